#if canImport(CCurl)
    import CCurl
    import PaymentCore

    /// One libcurl easy handle with its buffers, used for one request after another.
    ///
    /// Lives on the event loop's thread; libcurl calls back on the same thread. The options that never change are set
    /// once, ``begin(_:ticket:reply:)`` sets each of the others for every request, so none is left over from the one
    /// before.
    final class CurlExchange {
        let easy: UnsafeMutableRawPointer
        private(set) var ticket: CurlTicket?

        private let configuration: TransportConfiguration
        private let watchdog: CurlWatchdog
        private let errorText: UnsafeMutablePointer<CChar>
        private var url: HTTPURL?
        private var replay = HTTPRequest.Replay.never
        private var limit = 0
        /// True if the connection is made to the host itself, which is not this machine.
        private var isElsewhere = false
        /// The reason for which an address of the host was not connected to.
        private var refusal: TransportError.Reason?
        /// False where libcurl did not take the certificates: then nothing is sent.
        private var hasTrust = true
        private var fieldList: UnsafeMutablePointer<curl_slist>?
        private var reply: CurlReply?

        private var head = ResponseHead()
        private var body: [UInt8] = []
        /// The bytes of a chunked body as they came, framing included.
        private var chunked = 0
        private var dispatches = 0
        private var verdict: TransportError.Reason?

        /// In seconds, for requests that may be repeated.
        private static let longestIdle = 60

        /// - Returns: nil when libcurl has no memory for another handle.
        init?(_ configuration: TransportConfiguration, _ watchdog: CurlWatchdog) {
            guard let easy = curl_easy_init() else { return nil }
            self.easy = easy
            self.configuration = configuration
            self.watchdog = watchdog
            errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
            errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
            setConstantOptions()
        }

        deinit {
            curl_easy_cleanup(easy)
            curl_slist_free_all(fieldList)
            errorText.deallocate()
        }

        // MARK: Options

        private func setConstantOptions() {
            let context = Unmanaged.passUnretained(self).toOpaque()
            set(CURLOPT_PRIVATE, context)
            set(CURLOPT_ERRORBUFFER, errorText)

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

            // libcurl may send a request a second time by itself when a reused connection ends before the first byte of
            // the answer. This hook runs before each sending, so it sees both that something will leave and that it
            // would leave twice.
            _ = ccurl_set_before_request(easy) { context, _, _, _, _ in
                CurlExchange.of(context).mayDispatch() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
            }
            set(CURLOPT_PREREQDATA, context)
            _ = ccurl_set_receive(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
                CurlExchange.of(context).receiveHead(UnsafeRawBufferPointer(start: bytes, count: size * count))
            }
            set(CURLOPT_HEADERDATA, context)
            _ = ccurl_set_receive(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
                CurlExchange.of(context).receiveBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
            }
            set(CURLOPT_WRITEDATA, context)
            _ = ccurl_set_open(easy) { context, _, address in
                CurlExchange.of(context).open(address)
            }
            set(CURLOPT_OPENSOCKETDATA, context)
            // A connection may outlive the exchange that opened it, not the watchdog.
            _ = ccurl_set_close(easy) { watchdog, socket in
                guard let watchdog else { return -1 }
                return Unmanaged<CurlWatchdog>.fromOpaque(watchdog).takeUnretainedValue().close(socket)
            }
            set(CURLOPT_CLOSESOCKETDATA, Unmanaged.passUnretained(watchdog).toOpaque())
            _ = ccurl_set_debug(easy) { _, kind, _, count, context in
                if kind == CURLINFO_DATA_IN { CurlExchange.of(context).chunked += count }
                return 0
            }
            set(CURLOPT_DEBUGDATA, context)
            _ = ccurl_set_progress(easy) { context, _, _, _, _ in
                CurlExchange.of(context).isWithinFraming() ? 0 : 1
            }
            set(CURLOPT_XFERINFODATA, context)
        }

        /// Makes the handle ready for `request`, which ``RequestCheck`` has accepted.
        ///
        /// - Returns: false when libcurl refuses an option; then nothing was sent.
        func begin(_ request: HTTPRequest, ticket: CurlTicket, reply: CurlReply) -> Bool {
            self.ticket = ticket
            self.reply = reply
            url = request.url
            replay = request.replay
            limit = request.responseLimit
            head.clear()
            body = []
            chunked = 0
            dispatches = 0
            verdict = nil
            refusal = nil
            errorText.pointee = 0
            set(CURLOPT_VERBOSE, 0)
            set(CURLOPT_NOPROGRESS, 1)

            let relaxed =
                configuration.acceptsAnyLoopbackCertificate && configuration.certificates == nil
                && request.url.isLoopback
            let proxy = request.url.isLoopback ? nil : configuration.proxy
            isElsewhere = !request.url.isLoopback && proxy == nil
            let timeout = request.timeout.wholeMilliseconds
            return hasTrust && set(CURLOPT_URL, request.url.text)
                && set(CURLOPT_PROXY, proxy?.origin ?? "")
                && set(CURLOPT_SSL_VERIFYPEER, relaxed ? 0 : 1)
                && set(CURLOPT_SSL_VERIFYHOST, relaxed ? 0 : 2)
                && set(CURLOPT_TIMEOUT_MS, timeout)
                && set(CURLOPT_CONNECTTIMEOUT_MS, min(timeout, configuration.connectTimeout.wholeMilliseconds))
                && setReuse()
                && setMethod(request) && setFields(request)
        }

        private func setReuse() -> Bool {
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
                    ccurl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, $0.baseAddress ?? UnsafeRawPointer(errorText))
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
        private func set(_ option: CURLoption, _ value: Int) -> Bool { ccurl_set_long(easy, option, value) == CURLE_OK }

        @discardableResult
        private func set(_ option: CURLoption, _ value: String?) -> Bool {
            ccurl_set_text(easy, option, value) == CURLE_OK
        }

        @discardableResult
        private func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer) -> Bool {
            ccurl_set_pointer(easy, option, value) == CURLE_OK
        }

        // MARK: Callbacks

        private static func of(_ context: UnsafeMutableRawPointer?) -> CurlExchange {
            guard let context else { preconditionFailure("libcurl lost the context of a callback") }
            return Unmanaged<CurlExchange>.fromOpaque(context).takeUnretainedValue()
        }

        /// Opens a socket for a resolved address. The owner of a name decides where it leads: the name of another
        /// host never leads to the programs of this machine.
        private func open(_ address: UnsafeMutablePointer<curl_sockaddr>?) -> curl_socket_t {
            guard let address else { return CURL_SOCKET_BAD }
            guard !isElsewhere || ccurl_is_near(address) == 0 else {
                refusal = Self.nearAddress
                return CURL_SOCKET_BAD
            }
            guard !isElsewhere || configuration.reachesPrivateNetworks || ResolvedAddress(address).isPublic else {
                refusal = Self.privateAddress
                return CURL_SOCKET_BAD
            }
            // Programs that are started meanwhile do not inherit it.
            let opened = socket(
                address.pointee.family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue),
                address.pointee.protocol)
            if opened >= 0 { watchdog.follow(opened) }
            return opened
        }

        private func mayDispatch() -> Bool {
            dispatches += 1
            return dispatches == 1 || replay == .safe
        }

        private func receiveHead(_ line: UnsafeRawBufferPointer) -> Int {
            if let defect = head.append(line) {
                verdict = .malformedResponse(defect)
                return 0
            }
            if ResponseHead.isTransferEncoding(line) {
                // From here on the body is counted as it arrives, before libcurl takes the chunks apart.
                set(CURLOPT_VERBOSE, 1)
                set(CURLOPT_NOPROGRESS, 0)
            }
            return line.count
        }

        /// True if the framing of the chunks (sizes, extensions, line ends) is in proportion to their content. libcurl
        /// skips it without a limit. Chunks of one byte have five bytes of framing.
        private func isWithinFraming() -> Bool {
            let allowed = Self.mostFraming + 8 * body.count
            guard chunked - body.count > allowed else { return true }
            verdict = .malformedResponse("the framing of its chunks is larger than \(allowed) bytes")
            return false
        }

        private static let mostFraming = 1 << 20

        private func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
            guard bytes.count <= limit - body.count else {
                verdict = .responseTooLarge(limit: limit)
                body = []
                return 0
            }
            if body.isEmpty {
                var announced: curl_off_t = 0
                _ = ccurl_get_offset(easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &announced)
                body.reserveCapacity(max(bytes.count, min(limit, Int(announced), Self.largestReservation)))
            }
            body.append(contentsOf: bytes)
            return bytes.count
        }

        /// A server can announce more than it sends: it does not decide how much memory is set aside.
        private static let largestReservation = 1 << 20

        private static let nearAddress = TransportError.Reason.connectFailed(
            "its name leads to this machine or to its own link; a service of this machine is called localhost")

        private static let privateAddress = TransportError.Reason.connectFailed(
            "its name leads into a private network, where hosts that others choose are not called")

        private var endless: TransportError.Reason {
            let text = "the server sent without an end and without content, and was cut off"
            return phase == .notSent ? .connectFailed(text) : .connectionLost(text)
        }

        // MARK: The end

        // Read for failures only, because it is made anew each time.
        private var origin: String { url?.origin ?? "" }

        /// The progress of the request.
        private var phase: TransportError.Phase { dispatches == 0 ? .notSent : .maybeSent }

        /// Answers the caller after libcurl ended the transfer with `code`, and makes the exchange ready for another.
        ///
        /// - Parameter wasCut: true if a connection has ended because ``CurlWatchdog`` took it away.
        func finish(_ code: CURLcode, wasCut: Bool) {
            if code == CURLE_OK, verdict == nil {
                answer(response)
            } else {
                let reason =
                    verdict
                    ?? (code == CURLE_COULDNT_CONNECT ? refusal : nil)
                    ?? (wasCut && code != CURLE_OPERATION_TIMEDOUT ? endless : nil)
                    ?? CurlErrors.reason(
                        of: code, sent: phase == .maybeSent, text: String(cString: errorText), systemError: systemError,
                        knowsCertificates: configuration.certificates != nil)
                answer(.failure(TransportError(phase, reason, origin: origin)))
            }
        }

        /// Answers the caller with a failure that is not libcurl's.
        func abandon(_ reason: TransportError.Reason) {
            answer(.failure(TransportError(phase, reason, origin: origin)))
        }

        private func answer(_ outcome: CurlOutcome) {
            let reply = reply
            self.reply = nil
            ticket = nil
            body = []
            // Bodies and credentials are released before the next request.
            _ = ccurl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, nil)
            _ = ccurl_set_list(easy, CURLOPT_HTTPHEADER, nil)
            curl_slist_free_all(fieldList)
            fieldList = nil
            reply?.resume(returning: outcome)
        }

        private var response: CurlOutcome {
            var status = 0
            _ = ccurl_get_long(easy, CURLINFO_RESPONSE_CODE, &status)
            guard let headers = head.fields() else {
                return .failure(
                    TransportError(phase, .malformedResponse("a header line is not a field"), origin: origin))
            }
            var response = HTTPResponse(status: status, headers: headers, body: body)
            response.mayFollowEarlierCopy = dispatches > 1
            return .success(response)
        }

        private var systemError: Int32 {
            var number = 0
            _ = ccurl_get_long(easy, CURLINFO_OS_ERRNO, &number)
            return Int32(truncatingIfNeeded: number)
        }
    }

    extension Duration {
        /// Milliseconds, rounded up, so that a positive duration never becomes zero, which means "forever" to libcurl;
        /// at most what libcurl can take, about 24 days.
        var wholeMilliseconds: Int {
            let (seconds, attoseconds) = components
            guard seconds < Int64(Int32.max) / 1000 else { return Int(Int32.max) }
            return Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
        }
    }
#endif
