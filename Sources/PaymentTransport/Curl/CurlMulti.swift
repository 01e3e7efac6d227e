#if canImport(CCurl)
    import CCurl
    import Glibc
    import PaymentCore
    import Synchronization

    /// libcurl's multi handle, driven by epoll. Lives on the event loop's thread.
    ///
    /// libcurl names the sockets to watch and the time of its next call; it is notified only about the sockets with
    /// events, so the cost of a request does not grow with the number of others.
    final class CurlMulti {
        private let multi: UnsafeMutableRawPointer
        private let configuration: TransportConfiguration
        private let epoll: Int32
        private let bell: Int32
        private let watchdog: CurlWatchdog
        private var events: [epoll_event]
        /// The time at which libcurl wants to be called, in milliseconds of the monotonic clock.
        private var due: Int?

        private var running: [ObjectIdentifier: CurlExchange] = [:]
        private var idle: [CurlExchange] = []

        /// Connections kept open without a request.
        private static let mostIdleConnections = 256
        /// Handles kept for the next requests.
        private static let mostIdleExchanges = 128
        /// Sockets looked at in one turn; the others wait for the next.
        private static let eventsPerTurn = 256

        private static let isReady = ccurl_start() == CURLE_OK

        /// - Returns: nil when the system has no descriptor or memory left.
        init?(_ configuration: TransportConfiguration, bell: Int32) {
            guard Self.isReady, let multi = curl_multi_init() else { return nil }
            guard let watchdog = CurlWatchdog() else {
                curl_multi_cleanup(multi)
                return nil
            }
            epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
            self.multi = multi
            self.configuration = configuration
            self.bell = bell
            self.watchdog = watchdog
            events = Array(repeating: epoll_event(), count: Self.eventsPerTurn)
            guard epoll >= 0, watch(bell, EPOLLIN.rawValue, EPOLL_CTL_ADD) else { return nil }

            let context = Unmanaged.passUnretained(self).toOpaque()
            _ = ccurl_multi_set_socket(multi) { _, socket, wanted, context, known in
                guard let context else { return -1 }
                let owner = Unmanaged<CurlMulti>.fromOpaque(context).takeUnretainedValue()
                owner.follow(socket, wanted: wanted, isKnown: known != nil)
                return 0
            }
            _ = ccurl_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, context)
            _ = ccurl_multi_set_timer(multi) { _, milliseconds, context in
                guard let context else { return -1 }
                let owner = Unmanaged<CurlMulti>.fromOpaque(context).takeUnretainedValue()
                owner.due = milliseconds < 0 ? nil : CurlMulti.now + milliseconds
                return 0
            }
            _ = ccurl_multi_set_pointer(multi, CURLMOPT_TIMERDATA, context)
            _ = ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, Self.mostIdleConnections)
        }

        deinit {
            idle = []
            curl_multi_cleanup(multi)
            watchdog.end()
            if epoll >= 0 { close(epoll) }
        }

        // MARK: Requests

        func start(_ request: HTTPRequest, ticket: CurlTicket, reply: CurlReply) {
            func refuse(_ reason: TransportError.Reason) {
                reply.resume(returning: .failure(TransportError(.notSent, reason, origin: request.url.origin)))
            }
            if ticket.isCancelled.load(ordering: .relaxed) { return refuse(.cancelled) }
            guard let exchange = idle.popLast() ?? CurlExchange(configuration, watchdog) else {
                return refuse(.connectFailed("out of memory"))
            }
            guard exchange.begin(request, ticket: ticket, reply: reply) else {
                return exchange.abandon(.invalidRequest("refused by libcurl"))
            }
            guard curl_multi_add_handle(multi, exchange.easy) == CURLM_OK else {
                return exchange.abandon(.connectFailed("out of memory"))
            }
            running[ObjectIdentifier(ticket)] = exchange
        }

        func cancel(_ ticket: CurlTicket) {
            guard let exchange = running.removeValue(forKey: ObjectIdentifier(ticket)) else { return }
            abandon(exchange)
        }

        func abandonAll() {
            for exchange in running.values { abandon(exchange) }
            running = [:]
        }

        private func abandon(_ exchange: CurlExchange) {
            curl_multi_remove_handle(multi, exchange.easy)
            exchange.abandon(.cancelled)
            keep(exchange)
        }

        private func keep(_ exchange: CurlExchange) {
            if idle.count < Self.mostIdleExchanges { idle.append(exchange) }
        }

        // MARK: Progress

        /// Lets libcurl work, waiting for sockets first if `mayWait` agrees when asked at the last moment.
        func advance(mayWait: () -> Bool) {
            runTimer()
            answerFinished()
            let count = epoll_wait(epoll, &events, Int32(events.count), mayWait() ? timeToWait : 0)
            for index in 0..<max(0, Int(count)) { handle(events[index]) }
            answerFinished()
        }

        private func handle(_ event: epoll_event) {
            if event.data.fd == bell {
                var count: UInt64 = 0
                _ = read(bell, &count, 8)
                return
            }
            var flags: Int32 = 0
            if event.events & (EPOLLIN.rawValue | EPOLLHUP.rawValue) != 0 { flags |= CURL_CSELECT_IN }
            if event.events & EPOLLOUT.rawValue != 0 { flags |= CURL_CSELECT_OUT }
            if event.events & EPOLLERR.rawValue != 0 { flags |= CURL_CSELECT_ERR }
            act(event.data.fd, flags)
        }

        private func runTimer() {
            guard let due, due <= Self.now else { return }
            self.due = nil
            act(CURL_SOCKET_TIMEOUT, 0)
        }

        private func act(_ socket: Int32, _ flags: Int32) {
            var running: Int32 = 0
            watchdog.call { curl_multi_socket_action(multi, socket, flags, &running) }
        }

        private var timeToWait: Int32 {
            guard let due else { return -1 }
            return Int32(clamping: max(0, due - Self.now))
        }

        private func answerFinished() {
            var left: Int32 = 0
            var wasCut: Bool?
            while let message = curl_multi_info_read(multi, &left) {
                guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
                // The message is gone after the handle is removed.
                let code = message.pointee.data.result
                var context: UnsafeMutableRawPointer?
                _ = ccurl_get_pointer(easy, CURLINFO_PRIVATE, &context)
                curl_multi_remove_handle(multi, easy)
                guard let context else { continue }
                let exchange = Unmanaged<CurlExchange>.fromOpaque(context).takeUnretainedValue()
                if let ticket = exchange.ticket { running.removeValue(forKey: ObjectIdentifier(ticket)) }
                wasCut = wasCut ?? (code == CURLE_OK ? nil : watchdog.takeClosedCut())
                exchange.finish(code, wasCut: wasCut == true)
                keep(exchange)
            }
        }

        // MARK: Sockets

        private func follow(_ socket: Int32, wanted: Int32, isKnown: Bool) {
            switch wanted {
            case CURL_POLL_REMOVE:
                var unused = epoll_event()
                epoll_ctl(epoll, EPOLL_CTL_DEL, socket, &unused)
            default:
                var interest: UInt32 = 0
                if wanted & CURL_POLL_IN != 0 { interest |= EPOLLIN.rawValue }
                if wanted & CURL_POLL_OUT != 0 { interest |= EPOLLOUT.rawValue }
                _ = watch(socket, interest, isKnown ? EPOLL_CTL_MOD : EPOLL_CTL_ADD)
                // Any pointer will do: it marks the socket as known until libcurl removes it.
                if !isKnown { curl_multi_assign(multi, socket, multi) }
            }
        }

        private func watch(_ descriptor: Int32, _ interest: UInt32, _ operation: Int32) -> Bool {
            var event = epoll_event(events: interest, data: epoll_data_t(fd: descriptor))
            return epoll_ctl(epoll, operation, descriptor, &event) == 0
        }

        private static var now: Int {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
        }
    }

    // MARK: - Watchdog

    /// Closes connections that keep libcurl inside one call.
    ///
    /// libcurl looks at time limits, cancellations and other connections between its calls. TLS knows records without
    /// content, and a server that sends them faster than they are read ends no call: all requests of a transport would
    /// wait for it. So a second thread looks at the calls from outside. If a call lasts, the thread takes away the
    /// connection that the call reads from. libcurl then finds its end.
    final class CurlWatchdog: Sendable {
        private struct Sockets {
            /// The bytes that had been read from each open socket when it was looked at last.
            var open: [Int32: Int] = [:]
            var cut: Set<Int32> = []
            /// True if a connection that was taken away has been closed by libcurl.
            var hasClosedCut = false
            var isEnded = false
        }

        private let sockets = Mutex(Sockets())
        /// The number of beginnings and ends of calls: odd within a call.
        private let calls = Atomic(0)
        private let isAsleep = Atomic(false)
        /// Becomes readable to wake the thread.
        private let bell: Int32
        /// A connection whose other end is closed.
        private let over: Int32

        /// The time between two looks, in milliseconds.
        private static let turn: Int32 = 100
        /// A call is looked into when it has been seen this often. Counted in looks rather than by a clock: a process
        /// that was stopped for a while has not worked in that time.
        private static let mostTurns = 4
        /// The thread sleeps after as many looks without a call.
        private static let quietTurns = 20

        /// - Returns: nil when the system has no descriptor or thread left.
        init?() {
            bell = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
            var ends: [Int32] = [-1, -1]
            let paired = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0
            over = ends[0]
            if paired { Glibc.close(ends[1]) }
            guard bell >= 0, paired, CurlThread.start("payment-watch", { [self] in run() }) else { return nil }
        }

        deinit {
            if bell >= 0 { Glibc.close(bell) }
            if over >= 0 { Glibc.close(over) }
        }

        // MARK: On the thread of libcurl

        /// Calls into libcurl with `body`.
        func call(_ body: () -> Void) {
            calls.add(1, ordering: .sequentiallyConsistent)
            if isAsleep.load(ordering: .sequentiallyConsistent) { ring() }
            body()
            calls.add(1, ordering: .sequentiallyConsistent)
        }

        /// Looks after a socket that libcurl has opened.
        func follow(_ socket: Int32) {
            sockets.withLock { $0.open[socket] = 0 }
        }

        /// Closes a socket of libcurl. Under the lock no other file with its number is taken for it.
        func close(_ socket: Int32) -> Int32 {
            sockets.withLock { sockets in
                sockets.open[socket] = nil
                if sockets.cut.remove(socket) != nil { sockets.hasClosedCut = true }
                return Glibc.close(socket)
            }
        }

        /// Returns true if libcurl has closed a connection, since the last call of this, that was taken away from it.
        func takeClosedCut() -> Bool {
            sockets.withLock { sockets in
                defer { sockets.hasClosedCut = false }
                return sockets.hasClosedCut
            }
        }

        /// Ends the thread.
        func end() {
            sockets.withLock { $0.isEnded = true }
            ring()
        }

        private func ring() {
            var one: UInt64 = 1
            _ = write(bell, &one, 8)
        }

        // MARK: On its own thread

        private func run() {
            var seen = 0
            var turns = 0
            while true {
                wait(isAsleep.load(ordering: .relaxed) ? -1 : Self.turn)
                if sockets.withLock({ $0.isEnded }) { return }
                isAsleep.store(false, ordering: .relaxed)
                let now = calls.load(ordering: .sequentiallyConsistent)
                turns = now == seen ? turns + 1 : 0
                seen = now
                if now % 2 != 0 {
                    if turns >= Self.mostTurns { look(atCall: now, cuts: turns > Self.mostTurns) }
                } else if turns >= Self.quietTurns {
                    isAsleep.store(true, ordering: .sequentiallyConsistent)
                    // A call that has begun in the meantime may have seen it awake.
                    if calls.load(ordering: .sequentiallyConsistent) != now {
                        isAsleep.store(false, ordering: .relaxed)
                    }
                }
            }
        }

        private func wait(_ milliseconds: Int32) {
            var polls = pollfd(fd: bell, events: Int16(POLLIN), revents: 0)
            guard poll(&polls, 1, milliseconds) > 0 else { return }
            var count: UInt64 = 0
            _ = read(bell, &count, 8)
        }

        /// Compares how much has been read from each connection with the last look, and takes away the connections that
        /// were read from.
        private func look(atCall number: Int, cuts: Bool) {
            sockets.withLock { sockets in
                for (socket, before) in sockets.open {
                    let count = ccurl_consumed(socket)
                    sockets.open[socket] = count
                    guard cuts, count != before, calls.load(ordering: .sequentiallyConsistent) == number else {
                        continue
                    }
                    // The number stays taken, by a connection that has ended.
                    if ccurl_replace(socket, over) >= 0 { sockets.cut.insert(socket) }
                }
            }
        }
    }
#endif
