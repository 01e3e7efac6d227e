#if canImport(CCurl)
    import CCurl
    import Glibc
    import Synchronization

    /// Closes connections that keep libcurl inside one call.
    ///
    /// libcurl looks at time limits, cancellations and other connections between its calls. TLS knows records without
    /// content, and a server that sends them faster than they are read ends no call: all requests of a transport would
    /// wait for it. So a second thread looks at the calls from outside. Where one lasts, it takes the connection away
    /// that is read from in it; libcurl then finds its end.
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

        /// Closes a socket of libcurl: under the lock, so that no other file with its number is taken for it.
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
                    // A call that has begun meanwhile may have seen it awake.
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

        /// Compares how much has been read from each connection with the last look, and takes those away from which
        /// something was.
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
