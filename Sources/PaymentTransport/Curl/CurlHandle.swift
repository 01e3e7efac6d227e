#if canImport(CCurl)
    import CCurl
    import PaymentCore

    /// One libcurl easy handle with the options of one request after another.
    ///
    /// The options that never change are set once; ``prepare(_:proxy:)`` sets each of the others for every request, so
    /// no option of an earlier request remains.
    final class CurlHandle {
        let easy: UnsafeMutableRawPointer

        private let configuration: TransportConfiguration
        private let errorBuffer: UnsafeMutablePointer<CChar>
        private var fieldList: UnsafeMutablePointer<curl_slist>?
        /// False if libcurl did not take the certificates: then nothing is sent.
        private var hasTrust = true

        /// In seconds, for requests that may be repeated.
        private static let longestIdle = 60

        /// - Returns: nil when libcurl has no memory for another handle.
        init?(_ configuration: TransportConfiguration) {
            guard let easy = curl_easy_init() else { return nil }
            self.easy = easy
            self.configuration = configuration
            errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
            errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
            set(CURLOPT_ERRORBUFFER, errorBuffer)

            set(CURLOPT_NOSIGNAL, 1)
            _ = ccurl_allow_only_http(easy)
            set(CURLOPT_FOLLOWLOCATION, 0)
            set(CURLOPT_PATH_AS_IS, 1)
            // HTTP/2 has frames that keep libcurl in one call for as long as a server sends them.
            set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
            set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
            set(CURLOPT_USERAGENT, configuration.userAgent)
            if var pem = configuration.certificates?.pem {
                hasTrust = pem.withUTF8 { ccurl_set_certificates(easy, $0.baseAddress, $0.count) } == CURLE_OK
            }
        }

        deinit {
            curl_easy_cleanup(easy)
            curl_slist_free_all(fieldList)
            errorBuffer.deallocate()
        }

        // MARK: A request

        /// Sets the options of `request`, which ``RequestCheck`` has accepted.
        ///
        /// - Returns: false when libcurl refuses an option; then nothing was sent.
        func prepare(_ request: HTTPRequest, proxy: HTTPURL?) -> Bool {
            errorBuffer.pointee = 0
            set(CURLOPT_VERBOSE, 0)
            set(CURLOPT_NOPROGRESS, 1)

            let relaxed =
                configuration.acceptsAnyLoopbackCertificate && configuration.certificates == nil
                && request.url.isLoopback
            let timeout = request.timeout.wholeMilliseconds
            return hasTrust && set(CURLOPT_URL, request.url.text)
                && set(CURLOPT_PROXY, proxy?.origin ?? "")
                && set(CURLOPT_SSL_VERIFYPEER, relaxed ? 0 : 1)
                && set(CURLOPT_SSL_VERIFYHOST, relaxed ? 0 : 2)
                && set(CURLOPT_TIMEOUT_MS, timeout)
                && set(CURLOPT_CONNECTTIMEOUT_MS, min(timeout, configuration.connectTimeout.wholeMilliseconds))
                && setIdentity(configuration.identities[request.url.authority])
                && setReuse(request.replay)
                && setMethod(request) && setFields(request)
        }

        /// Releases the body and the credentials of the request.
        func forgetRequest() {
            _ = ccurl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, nil)
            _ = ccurl_set_list(easy, CURLOPT_HTTPHEADER, nil)
            curl_slist_free_all(fieldList)
            fieldList = nil
        }

        private func setIdentity(_ identity: ClientIdentity?) -> Bool {
            guard let identity else { return ccurl_set_identity(easy, nil, 0, nil, 0) == CURLE_OK }
            var pem = identity.certificates.pem
            return pem.withUTF8 { certificate in
                identity.key.reveal().withUnsafeBytes { key in
                    ccurl_set_identity(easy, certificate.baseAddress, certificate.count, key.baseAddress, key.count)
                }
            } == CURLE_OK
        }

        private func setReuse(_ replay: HTTPRequest.Replay) -> Bool {
            let window = Int(clamping: configuration.reuseWindow.components.seconds)
            // libcurl counts whole seconds and accepts connections up to and including that age.
            return set(CURLOPT_FRESH_CONNECT, replay == .never && window < 1 ? 1 : 0)
                && set(
                    CURLOPT_MAXAGE_CONN,
                    replay == .never ? max(0, min(window, Self.longestIdle) - 1) : Self.longestIdle)
        }

        private func setMethod(_ request: HTTPRequest) -> Bool {
            let method = request.method.rawValue
            // Setting one kind of request undoes the others, so each starts from GET.
            guard set(CURLOPT_HTTPGET, 1) else { return false }
            if method == "HEAD" { return set(CURLOPT_CUSTOMREQUEST, nil) && set(CURLOPT_NOBODY, 1) }

            // These three say "Content-Length: 0" even when they have no body (RFC 9110 section 8.6).
            let sendsLength = !request.body.isEmpty || ["POST", "PUT", "PATCH"].contains(method)
            guard sendsLength else { return set(CURLOPT_CUSTOMREQUEST, method == "GET" ? nil : method) }
            return set(CURLOPT_POST, 1)
                && ccurl_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body.count)) == CURLE_OK
                && request.body.withUnsafeBytes {
                    // Copied, because the bytes must stay where they are until the end. The size above says how many.
                    ccurl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, $0.baseAddress ?? UnsafeRawPointer(errorBuffer))
                } == CURLE_OK
                && set(CURLOPT_CUSTOMREQUEST, method == "POST" ? nil : method)
        }

        private func setFields(_ request: HTTPRequest) -> Bool {
            var list: UnsafeMutablePointer<curl_slist>?
            func append(_ line: String) -> Bool {
                guard let longer = curl_slist_append(list, line) else { return false }
                list = longer
                return true
            }
            // A name with nothing after the colon keeps libcurl from adding that field itself.
            var complete = append("Expect:")
            var hasContentType = false
            for field in request.headers.fields {
                let isBlank = field.value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 }
                complete = complete && append(isBlank ? "\(field.name);" : "\(field.name): \(field.value)")
                hasContentType = hasContentType || field.name.lowercased() == "content-type"
            }
            if !hasContentType { complete = complete && append("Content-Type:") }
            complete = complete && ccurl_set_list(easy, CURLOPT_HTTPHEADER, list) == CURLE_OK
            curl_slist_free_all(fieldList)
            fieldList = list
            return complete
        }

        @discardableResult
        func set(_ option: CURLoption, _ value: Int) -> Bool { ccurl_set_long(easy, option, value) == CURLE_OK }

        @discardableResult
        func set(_ option: CURLoption, _ value: String?) -> Bool {
            ccurl_set_text(easy, option, value) == CURLE_OK
        }

        @discardableResult
        func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer) -> Bool {
            ccurl_set_pointer(easy, option, value) == CURLE_OK
        }

        // MARK: Its answer

        /// The status of the answer.
        var status: Int {
            var status = 0
            _ = ccurl_get_long(easy, CURLINFO_RESPONSE_CODE, &status)
            return status
        }

        /// The announced length of the body; negative if no length is announced.
        var announcedLength: Int {
            var announced: curl_off_t = 0
            _ = ccurl_get_offset(easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &announced)
            return Int(announced)
        }

        /// libcurl's text about the failure.
        var errorText: String { String(cString: errorBuffer) }

        /// The system's number of the failure.
        var systemError: Int32 {
            var number = 0
            _ = ccurl_get_long(easy, CURLINFO_OS_ERRNO, &number)
            return Int32(truncatingIfNeeded: number)
        }
    }

    extension Duration {
        /// Milliseconds, rounded up: a positive duration never becomes zero, which means "forever" to libcurl. At most
        /// what libcurl can take, about 24 days.
        var wholeMilliseconds: Int {
            let (seconds, attoseconds) = components
            guard seconds < Int64(Int32.max) / 1000 else { return Int(Int32.max) }
            return Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
        }
    }
#endif
