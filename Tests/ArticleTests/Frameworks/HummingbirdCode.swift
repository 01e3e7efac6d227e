/// The block of Servers.md for Hummingbird 2, over stand-ins of its types.
enum HummingbirdCode {
    enum HTTPResponse {
        struct Status: Sendable { let code: Int }
    }
    struct ByteBuffer: Sendable { let bytes: [UInt8] }
    struct Field: Sendable {
        struct Name: Sendable { let rawName: String }
        let name: Name
        let value: String
    }
    struct Request: Sendable {
        struct Body: Sendable { func collect(upTo limit: Int) async throws -> ByteBuffer { ByteBuffer(bytes: []) } }
        let headers: [Field]
        let body: Body
    }
    struct Context: Sendable {}
    final class Router {
        var handler: (@Sendable (Request, Context) async throws -> HTTPResponse.Status)?

        func post(
            _ path: String, use handler: @escaping @Sendable (Request, Context) async throws -> HTTPResponse.Status
        ) { self.handler = handler }
    }

    static func answer(_ hooks: PaymentHooks) async throws -> HTTPResponse.Status {
        let router = Router()
        router.post("hooks/citcon") { request, _ in
            let body = try await request.body.collect(upTo: 1 << 20)
            let fields = request.headers.map { (name: $0.name.rawName, value: $0.value) }
            return HTTPResponse.Status(code: await hooks.take(fields, [UInt8](buffer: body)))
        }
        let request = Request(headers: [.init(name: .init(rawName: "a"), value: "b")], body: .init())
        return try await router.handler?(request, Context()) ?? .init(code: 0)
    }
}

extension [UInt8] {
    fileprivate init(buffer: HummingbirdCode.ByteBuffer) { self = buffer.bytes }
}
