import PaymentCore
import PaymentSandbox
import PaymentTesting

/// From the payer's device to a sandbox: neither faults nor crashes of the paying process reach it, and it takes no time.
struct DirectTransport: HTTPTransport {
    let service: any SandboxService

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        await service.respond(to: request)
    }
}
