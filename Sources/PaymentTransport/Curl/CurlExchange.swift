#if canImport(CCurl)
    import CCurl
    import PaymentCore

    /// One request at a time over one ``CurlHandle``: what libcurl asks meanwhile, what arrives, and the end.
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
        /// The reason for which nothing was sent to an address of the host.
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
            // Programs that are started meanwhile do not inherit it.
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
#endif
