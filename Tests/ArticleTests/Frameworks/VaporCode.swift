/// The block of Servers.md for Vapor, over stand-ins of its types.
enum VaporCode {
    struct HTTPStatus: Sendable {
        let code: Int
        init(statusCode: Int) { code = statusCode }
    }
    struct ByteBuffer: Sendable { let bytes: [UInt8] }
    struct Request: Sendable {
        struct Body: Sendable { let data: ByteBuffer? }
        let headers: [(name: String, value: String)]
        let body: Body
    }
    enum Method { case POST }
    enum BodyStrategy { case collect(maxSize: String) }
    final class Application {
        var handler: (@Sendable (Request) async throws -> HTTPStatus)?

        func on(
            _ method: Method, _ path: String..., body: BodyStrategy,
            use handler: @escaping @Sendable (Request) async throws -> HTTPStatus
        ) { self.handler = handler }
    }

    static func answer(_ hooks: PaymentHooks) async -> HTTPStatus {
        let app = Application()
        app.on(.POST, "hooks", "citcon", body: .collect(maxSize: "1mb")) { request in
            let body = request.body.data.map { [UInt8](buffer: $0) } ?? []
            return HTTPStatus(statusCode: await hooks.take(request.headers, body))
        }
        let request = Request(headers: [("a", "b")], body: .init(data: ByteBuffer(bytes: [])))
        return await (try? app.handler?(request)) ?? HTTPStatus(statusCode: 0)
    }
}

extension [UInt8] {
    fileprivate init(buffer: VaporCode.ByteBuffer) { self = buffer.bytes }
}
