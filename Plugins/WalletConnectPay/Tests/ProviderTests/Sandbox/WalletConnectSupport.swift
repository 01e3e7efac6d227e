import Foundation
import PaymentCore
import PaymentReview
import PaymentTesting
import PaymentWallet
import Synchronization
import TestSupport
import Testing
import WalletConnectPayProvider
import WalletConnectPaySandbox

typealias Scenario = WalletConnectPaySandbox.Scenario

extension WalletConnectPaySandbox: WorldSandbox {
    static var origin: String { "https://api.pay.walletconnect.com" }
    static var headers: [(String, String)] { [("Api-Key", "k")] }
}

/// A sandbox, for exactly the given requests and the wallet's side.
typealias PayWorld = VendorWorld<WalletConnectPaySandbox, Void>

/// Made once, because keys are slow to compute.
private let payWallet = DevelopmentWallet(seed: 3)

extension PayWorld {
    static var wallet: DevelopmentWallet { payWallet }
    static var address: String { "\(wallet.address)" }
    /// The credentials of the merchant whose payments the sandbox creates by itself.
    static var merchantKey: (String, String) { ("Api-Key", WalletConnectPaySandbox.liveKey.reveal()) }
    static var merchant: (String, String) { ("Merchant-Id", WalletConnectPaySandbox.merchantID) }
    /// Accounts of the wallet on Ethereum, Optimism and Base.
    static var accounts: [String] { [1, 10, 8453].map { "eip155:\($0):\(address)" } }

    init(
        at start: Double = 1_789_000_000, _ configure: (inout WalletConnectPaySandbox.Configuration) -> Void = { _ in }
    ) {
        var configuration = WalletConnectPaySandbox.Configuration()
        configure(&configuration)
        self.init(at: start) { WalletConnectPaySandbox(configuration, clock: $0, random: $1) }
    }

    func provider(
        _ credentials: GatewayConfiguration.Credentials = .apiKey(Redacted("key")),
        requestTimeout: Duration = .seconds(10), reviewer: SigningReviewer = SigningReviewer()
    ) throws -> WalletConnectPayProvider {
        WalletConnectPayProvider(
            configuration: try GatewayConfiguration(
                credentials: credentials, baseURL: origin, requestTimeout: requestTimeout),
            reviewer: reviewer)
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
}

/// Bodies recorded from the real service.
enum Recorded {
    static func bodies() throws -> JSONValue {
        try JSONValue(parsing: Array(Vectors.data("walletconnect-pay-wire")))
    }
}
