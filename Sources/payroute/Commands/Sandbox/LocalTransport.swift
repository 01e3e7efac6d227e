import PaymentCore

/// A network that ends at this machine: a simulated service notifies no other machine of simulated payments.
struct LocalTransport: HTTPTransport {
    let base: any HTTPTransport

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        guard request.url.isLoopback else {
            throw TransportError(.notSent, .hostNotDeclared(request.url.authority), origin: request.url.origin)
        }
        return try await base.send(request)
    }
}
