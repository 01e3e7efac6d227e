import Foundation
import PaymentCore
import PaymentLoopback
import PaymentTesting
import PaymentTransport
import PaymentWallet
import Synchronization
import TestSupport
import Testing
import WalletConnectPaySandbox

typealias Scenario = WalletConnectPaySandbox.Scenario

/// A sandbox and a client that sends it exactly the given requests.
struct PayWorld: Sendable {
    static let wallet = DevelopmentWallet(seed: 3)
    static let address = "\(wallet.address)"
    static let key = ("Api-Key", "k")
    /// The credentials of the merchant whose payments the sandbox creates by itself.
    static let merchantKey = ("Api-Key", WalletConnectPaySandbox.liveKey.reveal())
    static let merchant = ("Merchant-Id", WalletConnectPaySandbox.merchantID)

    let clock = VirtualClock(Date(timeIntervalSince1970: 1_789_000_000))
    let sandbox: WalletConnectPaySandbox
    /// The server of the sandbox; nil if it is called in the same process.
    private(set) var server: LoopbackServer?

    init(_ configure: (inout WalletConnectPaySandbox.Configuration) -> Void = { _ in }) {
        var configuration = WalletConnectPaySandbox.Configuration()
        configure(&configuration)
        sandbox = WalletConnectPaySandbox(configuration, clock: clock)
    }

    init(on wire: Wire) throws {
        self.init()
        if wire == .loopback { server = try LoopbackServer(sandbox) }
    }

    /// Accounts of the wallet on Ethereum, Optimism and Base.
    static let accounts = [1, 10, 8453].map { "eip155:\($0):\(address)" }

    func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil,
        headers: [(String, String)] = [key]
    ) async throws -> PayAnswer {
        let base = server?.baseURL.origin ?? "https://api.pay.walletconnect.com"
        var request = HTTPRequest(method, try HTTPURL(base + path))
        if let body {
            request.body = body.serialized()
            request.headers["Content-Type"] = "application/json"
        }
        for (name, value) in headers { request.headers.append(name, value) }
        return try await send(request)
    }

    func send(_ request: HTTPRequest) async throws -> PayAnswer {
        guard server != nil else { return PayAnswer(await sandbox.respond(to: request)) }
        return PayAnswer(try await PlatformTransport().send(request))
    }

    /// A wallet-facing call: `POST` with a body, `GET` without one.
    func gateway(_ id: String, _ verb: String = "", _ body: JSONValue? = nil) async throws -> PayAnswer {
        try await send(body == nil ? .get : .post, "/v1/gateway/payment/\(id)" + verb, body)
    }

    func options(_ id: String, _ accounts: [String] = accounts) async throws -> PayAnswer {
        try await gateway(id, "/options", ["accounts": .array(accounts.map(JSONValue.string))])
    }

    /// The option for `symbol`.
    func option(_ id: String, _ symbol: String, _ accounts: [String] = accounts) async throws -> JSONValue {
        let options = try await options(id, accounts).json["options"]?.array
        return try #require(options?.first { $0["amount"]?["display"]?["assetSymbol"]?.string == symbol })
    }

    func fetch(_ id: String, _ option: JSONValue, data: String = "") async throws -> PayAnswer {
        try await gateway(id, "/fetch", ["optionId": option["id"] ?? nil, "data": .string(data)])
    }

    /// The wallet calls of an option, `build` actions fetched.
    func calls(_ id: String, _ option: JSONValue) async throws -> [JSONValue] {
        var calls: [JSONValue] = []
        for action in option["actions"]?.array ?? [] {
            if action["type"]?.string == "build" {
                let data = try #require(action["data"]?["data"]?.string)
                calls += try await fetch(id, option, data: data).json["actions"]?.array ?? []
            } else {
                calls.append(action)
            }
        }
        return calls.compactMap { $0["data"] }
    }

    /// A wallet's answer to a call; transactions get an invented hash.
    static func answer(_ call: JSONValue, _ wallet: DevelopmentWallet = wallet) throws -> JSONValue {
        guard call["method"]?.string == "eth_signTypedData_v4" else {
            return .string("0x" + String(repeating: "ab", count: 32))
        }
        return .string(try wallet.signTypedData(call["params"]?[1] ?? nil))
    }

    static func confirmation(_ option: JSONValue, _ results: [JSONValue], data: JSONValue? = nil) -> JSONValue {
        var body: JSONValue = [
            "optionId": option["id"] ?? nil,
            "results": .array(results.map { ["type": "walletRpc", "data": [$0]] }),
        ]
        if let data { body["collectedData"] = data }
        return body
    }

    /// Asks, fetches, signs, and returns the body to confirm with.
    func signed(_ id: String, _ symbol: String = "USDC") async throws -> JSONValue {
        let option = try await option(id, symbol)
        return Self.confirmation(option, try await calls(id, option).map { try Self.answer($0) })
    }

    func confirm(_ id: String, _ body: JSONValue, query: String = "") async throws -> PayAnswer {
        try await gateway(id, "/confirm" + query, body)
    }

    func captures(_ id: String) async -> Int { await sandbox.ledger.captures(of: id) }
    func events(_ id: String) async -> [SandboxLedger.Event] { await sandbox.ledger.events(of: id) }
}

/// Bodies recorded from the real service.
enum Recorded {
    static func bodies() throws -> JSONValue {
        try JSONValue(parsing: Array(Vectors.data("walletconnect-pay-wire")))
    }
}
