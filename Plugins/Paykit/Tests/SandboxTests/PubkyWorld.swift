import PaykitProvider
import PaykitSandbox
import PaymentCore
import PaymentCrypto
import PaymentLoopback
import PaymentTesting
import PaymentTransport
import TestSupport
import Testing

/// A simulated Pubky network, and a client that sends it exactly the given requests.
struct PubkyWorld: Sendable {
    /// The time of the recorded packets and tokens.
    static let start: UInt64 = 1_767_225_600_000_000

    let clock = TestClock(at: Double(start) / 1_000_000)
    let sandbox: PubkySandbox
    /// The server of the sandbox; nil if it is called in the same process.
    private(set) var server: LoopbackServer?

    init(seed: UInt64 = 5, _ configure: (inout PubkySandbox.Configuration) -> Void = { _ in }) {
        var configuration = PubkySandbox.Configuration()
        configure(&configuration)
        sandbox = PubkySandbox(configuration, clock: clock, random: SeededRandomSource(seed: seed))
    }

    init(on wire: Wire, _ configure: (inout PubkySandbox.Configuration) -> Void = { _ in }) throws {
        self.init(configure)
        if wire == .loopback { server = try LoopbackServer(sandbox) }
    }

    var origin: String { server?.baseURL.origin ?? "http://127.0.0.1:6286" }
    var port: UInt16 { server?.baseURL.port ?? 6286 }
    var transport: any HTTPTransport { server == nil ? SandboxTransport(sandbox) : PlatformTransport() }

    // The clients that apps use.

    func pkarr() throws -> PkarrClient {
        let network = try PubkyNetwork.sandbox(HTTPURL(origin))
        return PkarrClient(relays: network.relays, http: transport, clock: clock)
    }

    func locator() throws -> HomeserverLocator { HomeserverLocator(try pkarr(), allowsLocal: true) }

    func homeserver() throws -> Homeserver { Homeserver(try HTTPURL(origin), over: transport) }

    /// The content of a user's file of an endpoint.
    func endpoint(_ method: String, of user: PubkySandbox.User) async throws -> String {
        let path = "/pub/paykit.app/v0/\(method)"
        return String(decoding: try #require(await sandbox.file(at: path, of: user.key)), as: UTF8.self)
    }

    // The sandbox's own pages.

    func get(_ path: String) async throws -> HTTPResponse {
        await sandbox.respond(to: HTTPRequest(.get, try HTTPURL(origin + path)))
    }

    func post(
        _ path: String, _ items: [String: String], type: String = "application/x-www-form-urlencoded"
    ) async throws -> HTTPResponse {
        let body = items.map { "\($0)=\(PercentCoding.encode($1))" }.joined(separator: "&")
        return await sandbox.respond(
            to: HTTPRequest(
                .post, try HTTPURL(origin + path), headers: ["Content-Type": type], body: Array(body.utf8)))
    }

    // A key pair of a user.

    static func pair(_ byte: UInt8) throws -> PubkyKeyPair {
        try PubkyKeyPair(seed: [UInt8](repeating: byte, count: 32))
    }

    func token(
        _ pair: PubkyKeyPair, _ capabilities: String = "/:rw", at offset: Int64 = 0
    ) throws -> AuthToken {
        let time = Int64(clock.now.microseconds) + offset
        return AuthToken(try PubkyCapability.list(capabilities), at: UInt64(time), by: pair)
    }

    /// Signs up.
    ///
    /// - Returns: the cookie in the form of a request.
    func signUp(_ pair: PubkyKeyPair, _ capabilities: String = "/:rw") async throws -> String {
        let answer = try await send("POST", "/signup", body: try token(pair, capabilities).bytes)
        #expect(answer.status == 200)
        return String(try #require(answer.headers["Set-Cookie"]).prefix { $0 != ";" })
    }

    func send(
        _ method: String, _ path: String, of owner: PubkyKey? = nil, cookie: String? = nil,
        _ headers: [(String, String)] = [], body: [UInt8] = []
    ) async throws -> HTTPResponse {
        var request = HTTPRequest(.init(rawValue: method), try HTTPURL(origin + path), body: body)
        if let owner { request.headers["pubky-host"] = owner.text }
        if let cookie { request.headers["Cookie"] = cookie }
        for (name, value) in headers { request.headers[name] = value }
        return try await transport.send(request)
    }
}

extension HTTPResponse {
    /// The status and the text of the body.
    var line: String { text.isEmpty ? "\(status)" : "\(status) \(text)" }
}
