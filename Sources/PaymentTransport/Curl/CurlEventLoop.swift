#if canImport(CCurl)
    import CCurl
    import Glibc
    import PaymentCore
    import Synchronization

    /// The thread that owns libcurl, and the way to it from other threads.
    ///
    /// Callers leave commands in an inbox. The thread takes all of them at once, and is woken only when it sleeps: many
    /// requests at a time cost one wake-up.
    final class CurlEventLoop: Sendable {
        enum Command: Sendable {
            case start(HTTPRequest, CurlTicket, CurlReply)
            case cancel(CurlTicket)
        }

        private struct Inbox {
            var commands: [Command] = []
            var isAsleep = false
            var isClosed = false
        }

        private let inbox = Mutex(Inbox())
        /// Becomes readable to wake the thread.
        private let bell: Int32

        init(_ configuration: TransportConfiguration, whenEnded: @escaping @Sendable () -> Void) {
            bell = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
            let started =
                bell >= 0
                && CurlThread.start("payment-http") { [self] in
                    // Made here, so that it cannot be seen by another thread.
                    if let multi = CurlMulti(configuration, bell: bell) { run(multi) } else { close() }
                    refuseLateComers()
                    whenEnded()
                }
            if !started { close() }
        }

        deinit { if bell >= 0 { Glibc.close(bell) } }

        func start(_ request: HTTPRequest, ticket: CurlTicket, reply: CurlReply) {
            if !leave(.start(request, ticket, reply)) { Self.refuse(request, reply) }
        }

        func cancel(_ ticket: CurlTicket) {
            _ = leave(.cancel(ticket))
        }

        /// Ends the thread, which then releases the loop.
        func close() {
            let wasAsleep = inbox.withLock { inbox in
                inbox.isClosed = true
                defer { inbox.isAsleep = false }
                return inbox.isAsleep
            }
            if wasAsleep { ring() }
        }

        private func leave(_ command: Command) -> Bool {
            let (accepted, wasAsleep) = inbox.withLock { inbox in
                guard !inbox.isClosed else { return (false, false) }
                inbox.commands.append(command)
                defer { inbox.isAsleep = false }
                return (true, inbox.isAsleep)
            }
            if wasAsleep { ring() }
            return accepted
        }

        private func ring() {
            var one: UInt64 = 1
            _ = write(bell, &one, 8)
        }

        // MARK: On the thread

        private func run(_ multi: CurlMulti) {
            var commands: [Command] = []
            while true {
                let isClosed = inbox.withLock { inbox in
                    swap(&inbox.commands, &commands)
                    return inbox.isClosed
                }
                if isClosed { break }
                for command in commands {
                    switch command {
                    case .start(let request, let ticket, let reply): multi.start(request, ticket: ticket, reply: reply)
                    case .cancel(let ticket): multi.cancel(ticket)
                    }
                }
                commands.removeAll(keepingCapacity: true)
                multi.advance {
                    inbox.withLock { inbox in
                        inbox.isAsleep = inbox.commands.isEmpty && !inbox.isClosed
                        return inbox.isAsleep
                    }
                }
            }
            for case .start(let request, _, let reply) in commands { Self.refuse(request, reply) }
            multi.abandonAll()
        }

        private func refuseLateComers() {
            let commands = inbox.withLock { inbox in
                defer { inbox.commands = [] }
                return inbox.commands
            }
            for case .start(let request, _, let reply) in commands { Self.refuse(request, reply) }
        }

        private static func refuse(_ request: HTTPRequest, _ reply: CurlReply) {
            reply.resume(returning: .failure(TransportError(.notSent, .cancelled, origin: request.url.origin)))
        }
    }
#endif
