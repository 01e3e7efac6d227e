import Foundation
import PaymentCore
import Synchronization
import TestSupport
import WalletConnectPaySandbox

@testable import WalletConnectPayKit
@testable import WalletConnectPayProvider

extension VirtualClock {
    static let start = Date(timeIntervalSince1970: 1_789_587_000)

    static func fromStart() -> VirtualClock { VirtualClock(start) }

    /// All sleeps so far, in milliseconds.
    var sleeps: [Int64] { naps.map(\.milliseconds) }
}

/// Always the same bits: 0 makes every fraction 0.
struct SameRandom: RandomSource {
    var bits: UInt64 = 0
    func next() -> UInt64 { bits }
}

/// A wallet that keeps the transactions that it has sent; `before` runs first.
final class CountingWallet: PaymentSigner {
    private let base: SandboxWallet
    private let before: @Sendable () async throws -> Void
    private let after: @Sendable () throws -> Void
    private let hashes = Mutex<[String]>([])

    init(
        _ base: SandboxWallet, before: @escaping @Sendable () async throws -> Void = {},
        after: @escaping @Sendable () throws -> Void = {}
    ) {
        self.base = base
        self.before = before
        self.after = after
    }

    /// The transactions that it has sent.
    var sent: [String] { hashes.withLock { $0 } }

    func supports(method: String) -> Bool { base.supports(method: method) }
    func sign(_ request: SigningRequest) async throws -> String {
        try await before()
        let result = try await base.sign(request)
        if request.method == "eth_sendTransaction" { hashes.withLock { $0.append(result) } }
        try after()
        return result
    }
}

/// A service that answers by script and keeps every request.
final class ScriptedService: HTTPTransport {
    enum Answer: Sendable {
        case json(Int, String, retryAfter: String? = nil)
        case failure(TransportError.Phase, TransportError.Reason)

        static func ok(_ text: String) -> Answer { .json(200, text) }
    }

    struct Seen: Sendable {
        let method: String
        let verb: String
        let url: String
        let headers: HTTPHeaders
        let body: String
        let timeout: Duration
        let replay: HTTPRequest.Replay
    }

    private let answer: @Sendable (_ verb: String, _ count: Int) -> Answer
    private let state = Mutex<[Seen]>([])

    /// Answers by the last part of the path and the number of earlier requests with it.
    init(_ answer: @escaping @Sendable (_ verb: String, _ count: Int) -> Answer) { self.answer = answer }

    /// Answers each verb from its list, whose last answer repeats.
    convenience init(_ script: [String: [Answer]]) {
        self.init { verb, count in
            guard let list = script[verb], let last = list.last else { return .json(404, "") }
            return count < list.count ? list[count] : last
        }
    }

    var seen: [Seen] { state.withLock { $0 } }
    var verbs: [String] { seen.map(\.verb) }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let verb = request.url.path.split(separator: "/").last.map(String.init) ?? ""
        let count = state.withLock { seen in
            defer {
                seen.append(
                    Seen(
                        method: request.method.rawValue, verb: verb, url: request.url.text, headers: request.headers,
                        body: String(decoding: request.body, as: UTF8.self), timeout: request.timeout,
                        replay: request.replay))
            }
            return seen.count { $0.verb == verb }
        }
        switch answer(verb, count) {
        case .json(let status, let text, let retryAfter):
            var headers: HTTPHeaders = ["Content-Type": "application/json"]
            headers["Retry-After"] = retryAfter
            return HTTPResponse(status: status, headers: headers, body: Array(text.utf8))
        case .failure(let phase, let reason):
            throw TransportError(phase, reason, origin: request.url.origin)
        }
    }
}

/// A client of a scripted service on a virtual clock.
struct ClientWorld: Sendable {
    let service: ScriptedService
    let clock = VirtualClock.fromStart()
    let lines = Lines()
    let client: PayClient

    final class Lines: Sendable {
        private let state = Mutex<[String]>([])
        var all: [String] { state.withLock { $0 } }
        func add(_ line: String) { state.withLock { $0.append(line) } }
    }

    init(
        _ service: ScriptedService, random: UInt64 = 0,
        credentials: GatewayConfiguration.Credentials = .apiKey(Redacted("the-key"))
    ) throws {
        self.service = service
        let lines = lines
        client = PayClient(
            configuration: try GatewayConfiguration(credentials: credentials), transport: service, clock: clock,
            random: SameRandom(bits: random), log: PayLog { lines.add($0) })
    }

    init(_ script: [String: [ScriptedService.Answer]], random: UInt64 = 0) throws {
        try self.init(ScriptedService(script), random: random)
    }

    func options(_ id: String = "pay_1") async throws -> PaymentOptionsResponse {
        try await client.getPaymentOptions(paymentLink: id, accounts: [Script.account])
    }
}

/// Bodies for scripts.
enum Script {
    static let account = "eip155:8453:0x92abCE21234D71EC443E679f3a1feAFD3Fc830fB"
    static let token = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
    static let amount =
        #"{"unit":"caip19/eip155:8453/erc20:\#(token)","value":"1000000","display":{"assetSymbol":"USDC","assetName":"USD Coin","decimals":6,"iconUrl":"https://example.com/usdc.png","networkName":"Base"}}"#

    /// One `walletRpc` action that permits exactly the cost of an option here. Its nonce holds `mark`, which
    /// distinguishes it from others.
    static func call(_ mark: String) -> String {
        let deadline = Int64(VirtualClock.start.timeIntervalSince1970) + 3600
        let data: JSONValue = [
            "types": [
                "PermitTransferFrom": [
                    ["type": "TokenPermissions", "name": "permitted"], ["type": "address", "name": "spender"],
                    ["type": "uint256", "name": "nonce"], ["type": "uint256", "name": "deadline"],
                ],
                "TokenPermissions": [["type": "address", "name": "token"], ["type": "uint256", "name": "amount"]],
            ],
            "primaryType": "PermitTransferFrom",
            "domain": [
                "name": "Permit2", "chainId": "0x2105",
                "verifyingContract": "0x000000000022d473030f116ddee9f6b43ac78ba3",
            ],
            "message": [
                "permitted": ["token": .string(token), "amount": "1000000"],
                "spender": "0x5fae5310f257437fbfed0da3c417da410078058e",
                "nonce": .string("0x" + Hex.encode(mark.utf8)), "deadline": .number(JSONNumber(deadline)),
            ],
        ]
        return action("eth_signTypedData_v4", [.string(address), .string(data.text)])
    }

    /// One `walletRpc` action that approves Permit2. Its mark is `approve`.
    static let approval = action(
        "eth_sendTransaction",
        [
            [
                "from": .string(address), "to": .string(token),
                "data": .string(
                    "0x095ea7b3000000000000000000000000000000000022d473030f116ddee9f6b43ac78ba3"
                        + String(repeating: "f", count: 64)),
            ]
        ])

    /// An option in a chain's own coin, whose one call sends it.
    static func coinOption(_ id: String, _ value: Int) -> String {
        let call = action(
            "eth_sendTransaction",
            [
                [
                    "from": .string(address), "to": "0x5fae5310f257437fbfed0da3c417da410078058e",
                    "value": .string("0x" + String(value, radix: 16)), "data": "0x",
                ]
            ])
        let amount =
            #"{"unit":"caip19/eip155:8453/slip44:60","value":"\#(value)","display":{"assetSymbol":"ETH","assetName":"Ether","decimals":18}}"#
        return #"{"id":"\#(id)","account":"\#(account)","amount":\#(amount),"actions":[\#(call)]}"#
    }

    private static let address = "0x92abce21234d71ec443e679f3a1feafd3fc830fb"

    private static func action(_ method: String, _ params: JSONValue) -> String {
        let action: JSONValue = [
            "type": "walletRpc",
            "data": ["chain_id": "eip155:8453", "method": .string(method), "params": params],
        ]
        return action.text
    }

    static func build(_ data: String) -> String { #"{"type":"build","data":{"data":"\#(data)"}}"# }

    static func option(
        _ id: String, _ actions: [String], expiresAt: String = "null", collectData: String = "null"
    ) -> String {
        #"{"id":"\#(id)","account":"\#(account)","amount":\#(amount),"etaS":5,"expiresAt":\#(expiresAt),"actions":[\#(actions.joined(separator: ","))],"collectData":\#(collectData)}"#
    }

    static func options(_ options: [String], expiresAt: Int64? = nil) -> String {
        let info = expiresAt.map {
            #"{"status":"requires_action","amount":\#(amount),"expiresAt":\#($0),"merchant":{"name":"M"}}"#
        }
        return #"{"info":\#(info ?? "null"),"options":[\#(options.joined(separator: ","))]}"#
    }

    static func actions(_ actions: [String]) -> String { #"{"actions":[\#(actions.joined(separator: ","))]}"# }

    static func status(_ status: String, isFinal: Bool, pollInMs: String = "null") -> String {
        #"{"status":"\#(status)","isFinal":\#(isFinal),"pollInMs":\#(pollInMs)}"#
    }

    static func error(_ code: String, _ message: String = "text") -> String {
        #"{"code":"\#(code)","message":"\#(message)"}"#
    }
}

extension Action {
    /// The mark of ``Script/call(_:)``.
    var mark: String? {
        guard let (_, text) = try? walletRpc.typedDataParameters() else { return "approve" }
        let nonce = try? JSONValue(parsing: text)["message"]?["nonce"]?.string
        return nonce.flatMap { Hex.decode($0) }.map { String(decoding: $0, as: UTF8.self) }
    }
}
