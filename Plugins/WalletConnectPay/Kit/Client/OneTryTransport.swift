import PaymentCore

/// The transport of a client that does its own retries: if the transport retried too, one call would be sent many
/// times.
struct OneTryTransport: HTTPTransport {
    let base: any HTTPTransport

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        var request = request
        request.replay = .never
        return try await base.send(request)
    }
}
