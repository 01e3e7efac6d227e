import PaymentCore
import PaymentLoopback
import PaymentTesting
import SandboxSupport

/// The ports of a testnet at which its clients look for parts of the sandbox.
struct TestnetPorts {
    private let servers: [LoopbackServer]
    /// The address of each part, and the path that its root stands for.
    let parts: [(address: HTTPURL, path: String)]

    /// Serves the parts of a sandbox that is itself served at `base`.
    ///
    /// - Throws: `SandboxError`, naming the port.
    init(_ testnet: ListedTestnet, of sandbox: any SandboxService, at base: HTTPURL) throws(SandboxError) {
        var servers: [LoopbackServer] = []
        for part in testnet.parts {
            servers.append(
                try LoopbackServer(Part(whole: sandbox, base: base, path: part.path), port: part.port))
        }
        self.servers = servers
        parts = zip(servers, testnet.parts).map { ($0.baseURL, $1.path) }
    }

    func stop() { for server in servers { server.stop() } }
}

/// A part of a sandbox at another address.
private struct Part: SandboxService {
    let whole: any SandboxService
    let base: HTTPURL
    let path: String

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        guard let moved = moved(request) else { return HTTPResponse(status: 404) }
        return await whole.respond(to: moved)
    }

    func answer(to request: HTTPRequest) async -> SandboxAnswer {
        guard let moved = moved(request) else { return .response(HTTPResponse(status: 404)) }
        return await whole.answer(to: moved)
    }

    /// Returns the request as it would have come to the sandbox's own address.
    private func moved(_ request: HTTPRequest) -> HTTPRequest? {
        let query = request.url.query.map { "?" + $0 } ?? ""
        guard let url = try? HTTPURL(base.origin + path + request.url.path + query) else { return nil }
        var request = request
        request.url = url
        return request
    }
}
