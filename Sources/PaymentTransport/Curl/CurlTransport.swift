#if canImport(CCurl)
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
        /// Set before the loop is notified, so that a cancellation that overtakes its own request is not lost.
        let isCancelled = Atomic(false)
    }
#endif
