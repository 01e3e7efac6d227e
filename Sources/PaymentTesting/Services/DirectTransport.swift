package import PaymentCore

/// The payer's own transport to a service: without timeouts, faults or crashes of the paying process, and without
/// delay.
package struct DirectTransport: HTTPTransport {
    private let service: any SandboxService

    /// Creates a transport to `service`, whatever the host.
    package init(service: any SandboxService) { self.service = service }

    package func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        await service.respond(to: request)
    }
}
