import Foundation
import PaymentCore
import PaymentWallet
import TestSupport
import Testing
import WalletConnectPaySandbox

/// A payer that handles every scenario, and judges outcomes as a careful wallet does.
struct FullPayer {
    static let solanaAccount =
        "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T"
    /// The wallet's key on Tron; the checksum, which no code here checks, is zero.
    static let tronAccount = tronAccount(version: 0x41)

    static func tronAccount(version: UInt8) -> String {
        "tron:0x2b6653dc:" + base58([version] + (Hex.decode(PayWorld.address) ?? []) + [0, 0, 0, 0])
    }

    let world: PayWorld

    func pay(_ id: String) async throws -> Scenario.Outcome {
        let accounts = PayWorld.accounts + [Self.solanaAccount, Self.tronAccount]
        var answer = try await world.options(id, accounts)
        for _ in 0..<3 where answer.status == 429 || answer.status == 500 {
            answer = try await world.options(id, accounts)
        }
        guard answer.status == 200 else { return answer.json["code"] == "sanctioned_user" ? .declined : .error }
        let status = answer.json["info"]?["status"]?.string
        guard status == "requires_action" else { return Self.outcome(status) }
        guard let option = answer.json["options"]?[0] else { return .declined }
        if let url = option["collectData"]?["url"]?.string {
            let page = try await world.submit(try await world.open(url), goodDetails)
            #expect(page.message == ["type": "IC_COMPLETE", "success": true])
        }
        let kinds = option["actions"]?.array?.compactMap { $0["type"]?.string } ?? []
        guard kinds.allSatisfy({ $0 == "walletRpc" || $0 == "build" }) else { return .error }
        let results = try await world.calls(id, option).map(Self.sign)
        return try await confirm(id, PayWorld.confirmation(option, results))
    }

    private func confirm(_ id: String, _ body: JSONValue) async throws -> Scenario.Outcome {
        var answer = try await world.confirm(id, body)
        switch answer.json["code"]?.string {
        case nil: break
        case "payment_expired"?: return .expired
        case "sanctioned_user"?: return .declined
        default:
            let now = try await world.gateway(id, "/status").json["status"]?.string
            guard now == "requires_action" else { return Self.outcome(now) }
            // A conflict may be caused by another copy of the same request.
            return answer.status == 409 ? .unknown : .error
        }
        let deadline = world.clock.now.addingTimeInterval(60)
        while answer.json["isFinal"] == false, world.clock.now < deadline {
            world.clock.advance(by: .milliseconds(try #require(answer.json["pollInMs"]?.int64)))
            answer = try await world.gateway(id, "/status")
        }
        return Self.outcome(answer.json["status"]?.string)
    }

    private static func outcome(_ status: String?) -> Scenario.Outcome {
        switch status {
        case "succeeded": .paid
        case "failed": .declined
        case "expired": .expired
        case "cancelled": .cancelled
        case "processing", "requires_action": .pending
        default: .unknown
        }
    }

    // MARK: Signing

    private static func sign(_ call: JSONValue) throws -> JSONValue {
        switch call["method"]?.string {
        case "solana_signTransaction":
            let text = call["params"]?[0]?["transaction"]?.string ?? ""
            var transaction = Array(try #require(Data(base64Encoded: text)))
            transaction[1] = 7
            return .string(Data(transaction).base64EncodedString())
        case "tron_signTransaction": return try tronAnswer(call)
        default: return try PayWorld.answer(call)
        }
    }

    static func tronAnswer(_ call: JSONValue) throws -> JSONValue {
        let digest = try #require((call["params"]?[0]?["txID"]?.string).flatMap { Hex.decode($0) })
        let signature = try PayWorld.wallet.sign(digest: digest)
        return [
            "raw_data_hex": call["params"]?[0]?["raw_data_hex"] ?? nil,
            "signature": [.string(String(signature.dropFirst(2)))],
        ]
    }

    private static func base58(_ bytes: [UInt8]) -> String {
        let alphabet = Array("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")
        var number = bytes.map(Int.init)
        var text: [Character] = []
        while number.contains(where: { $0 != 0 }) {
            var rest = 0
            for index in number.indices {
                rest = rest * 256 + number[index]
                number[index] = rest / 58
                rest %= 58
            }
            text.append(alphabet[rest])
        }
        return String(text.reversed())
    }
}
