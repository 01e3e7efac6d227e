package import PaymentCore

/// A network without any server.
package struct NoNetwork: HTTPTransport {
    package init() {}

    package func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        throw TransportError(.notSent, .hostNotFound, origin: request.url.origin)
    }
}
