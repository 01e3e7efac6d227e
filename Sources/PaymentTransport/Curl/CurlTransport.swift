#if canImport(CCurl)
    import CCurl
    import Glibc
    import Synchronization

    public import PaymentCore

    /// Sends requests with libcurl, all of them on one thread.
    ///
    /// - Connections are kept and reused, one request at a time, over HTTP/1.1 only: no other version is offered, and
    ///   an answer in another one is refused. Within HTTP/2 a server can keep libcurl, and with it all requests of the
    ///   transport, busy with empty frames beyond any time limit.
    /// - Redirects are returned, never followed; there are no cookies, no cache, no `.netrc` and no proxies from the
    ///   environment. Answers are not decompressed, because nothing compressed is asked for.
    /// - A host that is not called by an address or name of this machine is not connected to at one, whatever its name
    ///   resolves to, nor at one of the local link; addresses of private networks are, unless
    ///   ``HTTPRequest/reachesPrivateNetworks`` is false. Kept connections are held to the same; with a
    ///   ``TransportConfiguration/proxy`` it is the proxy that resolves names.
    /// - A server that keeps libcurl within one call for half a second, with TLS records that have no content, loses
    ///   its connection; so ``HTTPRequest/timeout`` holds, and other requests wait for no longer.
    /// - ``HTTPRequest/timeout`` covers the whole exchange; ``HTTPRequest/responseLimit`` is enforced while receiving,
    ///   and the header section may have 64 KiB.
    /// - A request that may not be repeated (``HTTPRequest/Replay/never``) is handed to a connection once, and to a
    ///   kept one only within ``TransportConfiguration/reuseWindow``. If even so the connection turns out to be
    ///   closing, the error is ``TransportError/Reason/connectionLost(_:)`` with phase `.maybeSent`.
    /// - ``TransportError/Phase/notSent`` is reported only when the request was never handed to a connection.
    ///
    /// The thread ends when the transport is released, or with ``close()``.
    public final class CurlTransport: HTTPTransport {
        private let loop: CurlEventLoop

        /// Creates a transport and starts its thread.
        ///
        /// - Parameter configuration: time limits, sizes and trust.
        public convenience init(_ configuration: TransportConfiguration = TransportConfiguration()) {
            self.init(configuration, whenEnded: {})
        }

        /// `whenEnded` is called on the thread after everything is released.
        init(_ configuration: TransportConfiguration, whenEnded: @escaping @Sendable () -> Void) {
            loop = CurlEventLoop(configuration, whenEnded: whenEnded)
        }

        deinit { loop.close() }

        /// Ends all requests in flight with ``TransportError/Reason/cancelled`` and closes all connections. Later
        /// requests fail the same way.
        public func close() { loop.close() }

        /// Sends `request` and returns the answer, whatever its status.
        ///
        /// - Parameter request: the request to send.
        /// - Returns: the answer; redirects are answers like any other.
        /// - Throws: ``TransportError`` when there is no complete answer.
        public func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
            try RequestCheck.check(request)
            let ticket = CurlTicket()
            let outcome = await withTaskCancellationHandler {
                await withUnsafeContinuation { reply in
                    loop.start(request, ticket: ticket, reply: reply)
                }
            } onCancel: {
                ticket.isCancelled.store(true, ordering: .relaxed)
                loop.cancel(ticket)
            }
            return try outcome.get()
        }
    }

    typealias CurlOutcome = Result<HTTPResponse, TransportError>
    typealias CurlReply = UnsafeContinuation<CurlOutcome, Never>

    /// Stands for one request outside the event loop's thread.
    final class CurlTicket: Sendable {
        /// Set before the loop is notified: a cancellation that overtakes its own request is not lost.
        let isCancelled = Atomic(false)
    }

    // MARK: - Event loop

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
                    // Made here: no other thread can see it.
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

    /// Starts the threads of the libcurl transport.
    enum CurlThread {
        private final class Body {
            let run: @Sendable () -> Void
            init(_ run: @escaping @Sendable () -> Void) { self.run = run }
        }

        /// Starts a thread that ends with `run`.
        ///
        /// - Parameter name: at most 15 characters, for debuggers and `ps`.
        /// - Returns: false when the system gives no thread.
        static func start(_ name: StaticString, _ run: @escaping @Sendable () -> Void) -> Bool {
            var thread = pthread_t()
            let body = Unmanaged.passRetained(
                Body {
                    name.utf8Start.withMemoryRebound(to: CChar.self, capacity: name.utf8CodeUnitCount + 1) {
                        ccurl_name_thread($0)
                    }
                    run()
                })
            // The thread inherits the mask: the application's signal handlers do not run on it, and a connection that
            // closes while something is written to it does not end the process.
            var all = sigset_t()
            var before = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_SETMASK, &all, &before)
            defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
            let failure = pthread_create(
                &thread, nil,
                { context in
                    guard let context else { return nil }
                    Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
                    return nil
                }, body.toOpaque())
            guard failure == 0 else {
                body.release()
                return false
            }
            pthread_detach(thread)
            return true
        }
    }
#endif
