#if canImport(CCurl)
    import CCurl
    import Glibc
    import PaymentCore

    /// One request at a time over one ``CurlHandle``: what libcurl asks in the meantime, what arrives, and the end.
    ///
    /// Lives on the event loop's thread; libcurl calls back on the same thread.
    final class CurlExchange {
        private let handle: CurlHandle
        private(set) var ticket: CurlTicket?

        private let configuration: TransportConfiguration
        private let watchdog: CurlWatchdog
        private var url: HTTPURL?
        private var replay = HTTPRequest.Replay.never
        private var limit = 0
        private var addresses = AddressRule()
        /// Why nothing was sent to an address of the host.
        private var refusal: TransportError.Reason?
        private var reply: CurlReply?

        private var head = ResponseHead()
        private var body: [UInt8] = []
        /// The bytes of a chunked body as they came, framing included.
        private var chunked = 0
        private var dispatches = 0
        private var verdict: TransportError.Reason?

        /// libcurl's handle of this exchange.
        var easy: UnsafeMutableRawPointer { handle.easy }

        /// - Returns: nil when libcurl has no memory for another handle.
        init?(_ configuration: TransportConfiguration, _ watchdog: CurlWatchdog) {
            guard let handle = CurlHandle(configuration) else { return nil }
            self.handle = handle
            self.configuration = configuration
            self.watchdog = watchdog
            setCallbacks()
        }

        private func setCallbacks() {
            let easy = easy
            let context = Unmanaged.passUnretained(self).toOpaque()
            handle.set(CURLOPT_PRIVATE, context)
            // libcurl may send a request a second time by itself when a reused connection ends before the first byte of
            // the answer. This hook runs before each sending, so it sees both that something will leave and that it
            // would leave twice.
            _ = ccurl_set_before_request(easy) { context, address, _, _, _ in
                CurlExchange.of(context).mayDispatch(to: ResolvedAddress(digits: address))
                    ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
            }
            handle.set(CURLOPT_PREREQDATA, context)
            _ = ccurl_set_receive(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
                CurlExchange.of(context).receiveHead(UnsafeRawBufferPointer(start: bytes, count: size * count))
            }
            handle.set(CURLOPT_HEADERDATA, context)
            _ = ccurl_set_receive(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
                CurlExchange.of(context).receiveBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
            }
            handle.set(CURLOPT_WRITEDATA, context)
            _ = ccurl_set_open(easy) { context, _, address in
                CurlExchange.of(context).open(address)
            }
            handle.set(CURLOPT_OPENSOCKETDATA, context)
            // A connection may outlive the exchange that opened it, not the watchdog.
            _ = ccurl_set_close(easy) { watchdog, socket in
                guard let watchdog else { return -1 }
                return Unmanaged<CurlWatchdog>.fromOpaque(watchdog).takeUnretainedValue().close(socket)
            }
            handle.set(CURLOPT_CLOSESOCKETDATA, Unmanaged.passUnretained(watchdog).toOpaque())
            _ = ccurl_set_debug(easy) { _, kind, _, count, context in
                if kind == CURLINFO_DATA_IN { CurlExchange.of(context).chunked += count }
                return 0
            }
            handle.set(CURLOPT_DEBUGDATA, context)
            _ = ccurl_set_progress(easy) { context, _, _, _, _ in
                CurlExchange.of(context).isWithinFraming() ? 0 : 1
            }
            handle.set(CURLOPT_XFERINFODATA, context)
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
            let proxy = request.url.isLoopback ? nil : configuration.proxy
            addresses = AddressRule(
                takesAll: request.url.isLoopback || proxy != nil, takesPrivate: request.reachesPrivateNetworks)
            return handle.prepare(request, proxy: proxy)
        }

        // MARK: Callbacks

        private static func of(_ context: UnsafeMutableRawPointer?) -> CurlExchange {
            guard let context else { preconditionFailure("libcurl lost the context of a callback") }
            return Unmanaged<CurlExchange>.fromOpaque(context).takeUnretainedValue()
        }

        /// Opens a socket for a resolved address.
        private func open(_ address: UnsafeMutablePointer<curl_sockaddr>?) -> curl_socket_t {
            guard let address else { return CURL_SOCKET_BAD }
            refusal = addresses.refusal(of: ResolvedAddress(address))
            guard refusal == nil else { return CURL_SOCKET_BAD }
            // Programs that are started in the meantime do not inherit it.
            let opened = socket(
                address.pointee.family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue),
                address.pointee.protocol)
            if opened >= 0 { watchdog.follow(opened) }
            return opened
        }

        private func mayDispatch(to address: ResolvedAddress) -> Bool {
            // A kept connection may have been opened for a request that reaches more.
            refusal = addresses.refusal(of: address)
            guard refusal == nil else { return false }
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
                handle.set(CURLOPT_VERBOSE, 1)
                handle.set(CURLOPT_NOPROGRESS, 0)
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
                body.reserveCapacity(max(bytes.count, min(limit, handle.announcedLength, Self.largestReservation)))
            }
            body.append(contentsOf: bytes)
            return bytes.count
        }

        /// A server can announce more than it sends: it does not decide how much memory is set aside.
        private static let largestReservation = 1 << 20

        private var endless: TransportError.Reason {
            let text = "the server sent without an end and without content, and was cut off"
            return phase == .notSent ? .connectFailed(text) : .connectionLost(text)
        }

        // MARK: The end

        // Read for failures only, because it is computed each time.
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
                    ?? (code == CURLE_COULDNT_CONNECT || code == CURLE_ABORTED_BY_CALLBACK ? refusal : nil)
                    ?? (wasCut && code != CURLE_OPERATION_TIMEDOUT ? endless : nil)
                    ?? CurlErrors.reason(
                        of: code, sent: phase == .maybeSent, text: handle.errorText, systemError: handle.systemError,
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
            handle.forgetRequest()
            reply?.resume(returning: outcome)
        }

        private var response: CurlOutcome {
            guard let headers = head.fields() else {
                return .failure(
                    TransportError(phase, .malformedResponse("a header line is not a field"), origin: origin))
            }
            var response = HTTPResponse(status: handle.status, headers: headers, body: body)
            response.mayFollowEarlierCopy = dispatches > 1
            return .success(response)
        }
    }

    // MARK: - Addresses

    /// An address to which a host's name resolved.
    struct ResolvedAddress {
        /// In the order of the network: 4 of IPv4, 16 of IPv6; none for other families.
        let bytes: [UInt8]

        init(bytes: [UInt8]) { self.bytes = bytes }

        init(_ address: UnsafePointer<curl_sockaddr>) { self.init { ccurl_address(address, $0) } }

        /// - Parameter digits: The address of a connection, as libcurl states it.
        init(digits: UnsafePointer<CChar>?) { self.init { ccurl_address_in(digits, $0) } }

        /// - Parameter read: Writes the bytes, and returns their number.
        private init(_ read: (UnsafeMutablePointer<UInt8>) -> Int32) {
            var room = [UInt8](repeating: 0, count: 16)
            // Not within one expression: what is called on an array there sees it as it was before.
            let count = room.withUnsafeMutableBufferPointer { $0.baseAddress.map(read) ?? 0 }
            bytes = Array(room.prefix(Int(count)))
        }

        /// True for an address of one host on the open network, as the registries of special addresses (RFC 6890) have
        /// it, and not of a private, shared, local or reserved network.
        var isPublic: Bool {
            if let v4 { return Self.isPublic(v4) }
            // Of IPv6 only 2000::/3 is handed out, with Teredo, 6to4 and examples in it.
            return bytes.count == 16 && bytes[0] & 0xE0 == 0x20 && !bytes.starts(with: [0x20, 0x01, 0, 0])
                && !bytes.starts(with: [0x20, 0x02]) && !bytes.starts(with: [0x20, 0x01, 0x0D, 0xB8])
        }

        /// True for an address of this machine or its link.
        var isNear: Bool {
            if let v4 { return v4[0] == 127 || v4[0] == 0 || v4[0] == 169 && v4[1] == 254 }
            guard bytes.count == 16 else { return false }
            return bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
                || bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] < 2
        }

        /// The bytes of IPv4, also in other forms: mapped, translated (RFC 6052).
        private var v4: [UInt8]? {
            if bytes.count == 4 { return bytes }
            guard bytes.starts(with: Self.mapped) || bytes.starts(with: Self.translated) else { return nil }
            return Array(bytes[12...])
        }

        private static let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
        private static let translated: [UInt8] = [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]

        private static func isPublic(_ v4: [UInt8]) -> Bool {
            switch (v4[0], v4[1], v4[2]) {
            case (0, _, _), (10, _, _), (127, _, _), (224..., _, _): false
            case (100, 64...127, _), (169, 254, _), (172, 16...31, _), (192, 168, _), (198, 18...19, _): false
            case (192, 0, 0), (192, 0, 2), (198, 51, 100), (203, 0, 113): false
            default: true
            }
        }
    }

    /// The addresses to which one request may be sent. The owner of a name decides where it leads: the name of another
    /// host never leads to the programs of this machine.
    struct AddressRule {
        /// True for a host that is called by a name or address of this machine, and for a proxy.
        var takesAll = false
        var takesPrivate = true

        /// Returns why nothing is sent to `address`; nil if it may be.
        func refusal(of address: ResolvedAddress) -> TransportError.Reason? {
            if takesAll { return nil }
            if address.isNear { return Self.near }
            return takesPrivate || address.isPublic ? nil : Self.privateNetwork
        }

        private static let near = TransportError.Reason.connectFailed(
            "its name leads to this machine or to its own link; a service of this machine is called localhost")
        private static let privateNetwork = TransportError.Reason.connectFailed(
            "its name leads into a private network, where hosts that others choose are not called")
    }

    // MARK: - Errors

    /// The meanings of libcurl's result codes. The progress of a request is known from elsewhere; see ``CurlExchange``.
    enum CurlErrors {
        /// The reason for `code`.
        ///
        /// - Parameters:
        ///   - sent: true if the request was handed to a connection.
        ///   - text: libcurl's own text. It is repeated for TLS only, because there it names the fault of the
        ///     certificate. Elsewhere it may quote the answer.
        ///   - systemError: the error number of the failed connect, or 0.
        ///   - knowsCertificates: true if only the application's certificates are trusted.
        static func reason(
            of code: CURLcode, sent: Bool, text: String, systemError: Int32, knowsCertificates: Bool
        ) -> TransportError.Reason {
            let general = String(cString: curl_easy_strerror(code))
            return switch code {
            case CURLE_OPERATION_TIMEDOUT:
                .timedOut
            case CURLE_COULDNT_RESOLVE_HOST:
                .hostNotFound
            case CURLE_COULDNT_RESOLVE_PROXY:
                .connectFailed("the proxy's name could not be resolved")
            case CURLE_COULDNT_CONNECT:
                .connectFailed(systemError == 0 ? general : String(cString: strerror(systemError)))
            case CURLE_PROXY:
                .connectFailed(general)
            case CURLE_PEER_FAILED_VERIFICATION where knowsCertificates:
                .tls("\(printable(text)); only the given certificates are trusted")
            case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE,
                CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
                CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CLIENTCERT, CURLE_SSL_ENGINE_INITFAILED:
                .tls(text.isEmpty ? general : printable(text))
            case CURLE_UNSUPPORTED_PROTOCOL where sent:
                // libcurl's code for an answer that does not begin with a status line.
                .malformedResponse("no status line")
            case CURLE_OUT_OF_MEMORY where sent:
                // libcurl's code for a line that is longer than its buffer for lines may become, too.
                .malformedResponse("a line of the header section is too long, or there is no memory for it")
            case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_TOO_MANY_REDIRECTS:
                .malformedResponse(general)
            case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_FUNCTION_ARGUMENT:
                .invalidRequest(general)
            case CURLE_ABORTED_BY_CALLBACK where sent:
                .connectionLost("a reused connection ended before the answer; the request was not repeated")
            default:
                sent ? .connectionLost(general) : .connectFailed(general)
            }
        }

        /// At most 200 characters, without control characters: parts of the text come from the server's certificate.
        private static func printable(_ text: String) -> String {
            String(text.unicodeScalars.prefix(200).map { $0.value < 0x20 || $0.value == 0x7F ? " " : Character($0) })
        }
    }
#endif
