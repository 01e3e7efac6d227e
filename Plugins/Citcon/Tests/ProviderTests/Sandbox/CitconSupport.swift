import CitconSandbox
import Foundation
import PaymentCore
import PaymentLoopback
import PaymentTesting
import PaymentTransport
import TestSupport
import Testing

/// A Citcon sandbox and a client that sends it exactly the given requests.
struct CitconWorld: Sendable {
    let clock = VirtualClock(Date(timeIntervalSince1970: 1_789_000_000))
    let sandbox: CitconSandbox
    /// The server of the sandbox; nil if it is called in the same process.
    private(set) var server: LoopbackServer?

    init(_ configure: (inout CitconSandbox.Configuration) -> Void = { _ in }) {
        var configuration = CitconSandbox.Configuration()
        configure(&configuration)
        sandbox = CitconSandbox(configuration, clock: clock, random: SeededRandomSource(seed: 4))
    }

    init(on wire: Wire) throws {
        self.init()
        if wire == .loopback { server = try LoopbackServer(sandbox) }
    }

    var transport: any HTTPTransport {
        server == nil ? SandboxTransport(sandbox) : PlatformTransport()
    }

    func payer(_ behaviour: CitconSandbox.Behaviour = .pays) -> Payer {
        guard let server else { return sandbox.payer(behaviour) }
        return CitconSandbox.payer(behaviour, at: server.baseURL, over: PlatformTransport())
    }

    /// Sends a request without credentials unless `bearer` is given.
    func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil, bearer: String? = nil,
        headers: [(String, String)] = []
    ) async throws -> PayAnswer {
        let base = server?.baseURL.origin ?? "https://api.sandbox.citconpay.com"
        var request = HTTPRequest(method, try HTTPURL(base + path))
        if let body {
            request.body = body.serialized()
            request.headers["Content-Type"] = "application/json"
        }
        if let bearer { request.headers["Authorization"] = "Bearer \(bearer)" }
        for (name, value) in headers { request.headers[name] = value }
        return PayAnswer(try await transport.send(request))
    }

    func token(_ kind: String = "server") async throws -> String {
        let key = CitconSandbox.privateKey.reveal()
        let answer = try await send(.post, "/v1/access-tokens", ["token_type": .string(kind)], bearer: key)
        return try #require(answer.json["data"]?["access_token"]?.string)
    }

    /// A call with an access token: `POST` with a body, `GET` without one.
    func call(_ path: String, _ body: JSONValue? = nil, as kind: String = "server") async throws -> PayAnswer {
        try await send(body == nil ? .get : .post, "/v1/" + path, body, bearer: try await token(kind))
    }

    /// The smallest recorded request for a charge.
    static func order(_ reference: String, method: String? = "alipay", clients: [String] = []) -> JSONValue {
        var order: JSONValue = [
            "transaction": [
                "reference": .string(reference), "amount": 100, "currency": "USD", "country": "US", "note": "n",
            ],
            "urls": [
                "ipn": "https://shop.example/ipn", "success": "https://shop.example/paid",
                "fail": "https://shop.example/failed", "cancel": "https://shop.example/cancelled",
            ],
        ]
        if let method {
            order["payment"] = ["method": .string(method), "client": .array(clients.map(JSONValue.string))]
        }
        return order
    }

    func state(_ id: String) async throws -> String? {
        try await call("transactions/\(id)").json["data"]?["status"]?.string
    }

    func events(_ id: String) async -> [SandboxLedger.Event] { await sandbox.ledger.events(of: id) }
    func captures(_ id: String) async -> Int { await sandbox.ledger.captures(of: id) }
}

extension PayAnswer {
    /// `400 4100: duplicate request`, or the status alone.
    var rejection: String {
        guard let code = json["data"]?["code"]?.string else { return "\(status)" }
        return "\(status) \(code): \(json["data"]?["message"]?.string ?? "")"
    }

    /// The names of the members of `data`, in the order of the text.
    var keys: [String] {
        guard let members = json["data"]?.object else { return [] }
        let start = text.range(of: "\"data\":{")?.upperBound ?? text.startIndex
        // A name may appear again deeper down; in these bodies its first place is that of the member itself.
        return members.keys.sorted { left, right in
            let places = [left, right].map { text.range(of: "\"\($0)\":", range: start..<text.endIndex)?.lowerBound }
            return places[0]! < places[1]!
        }
    }

    /// The launch entries: `desktop/redirect`.
    var entries: [String] {
        (json["data"]?["payment"]?["client"]?.array ?? []).map {
            "\($0["client"]?.string ?? "")/\($0["format"]?.string ?? "")"
        }
    }

    /// The content of the first launch entry.
    var content: String? { json["data"]?["payment"]?["client"]?[0]?["content"]?.string }
}
