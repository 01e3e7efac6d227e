import PaymentCore

/// The network under a client that sends again what failed: were the transport to do so too, one call would be sent
/// many times.
struct OneTryTransport: HTTPTransport {
    let base: any HTTPTransport

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        var request = request
        request.replay = .never
        return try await base.send(request)
    }
}
