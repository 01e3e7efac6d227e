import Foundation
import PaymentCore
import PaymentReview
import TestSupport
import Testing

@testable import WalletConnectPayProvider

/// The recorded requests of the live service pass the review, with a text that a payer can check.
@Suite struct RecordedTests {
    /// A moment before the end of the recorded payments.
    static let now = Date(timeIntervalSince1970: 1_789_587_000)
    /// The payments with an approval and with PYUSD were recorded a little later.
    static let later = Date(timeIntervalSince1970: 1_789_587_200)

    static func recorded() throws -> JSONValue { try JSONValue(parsing: Vectors.data("walletconnect-pay-wire")) }

    static func review(_ option: JSONValue?, _ calls: [JSONValue], now: Date = now) throws -> SigningReview {
        let option = try #require(option).decode(OptionBody.self)
        return try SigningReviewer().review(
            AgreedOption(option), calls: calls, payer: [AccountID(option.account)], now: now)
    }

    @Test("A recorded Permit2 transfer is described")
    func permit2() throws {
        let option = try Self.recorded()["options"]?["options"]?[1]
        let review = try Self.review(option, (option?["actions"]?.array ?? []).compactMap { $0["data"] })
        #expect(
            review.description == """
                Lets 0x5fae5310F257437fBfed0dA3c417DA410078058E (seen before) take up to 0.1 USDT on Ethereum \
                (eip155:1), once, until 19:47:19 UTC on 2026-09-16, in 17 minutes.
                From 0x92abCE21234D71EC443E679f3a1feAFD3Fc830fB. The asset is \
                eip155:1/erc20:0xdAC17F958D2ee523a2206206994597C13D831ec7.
                """)
        #expect(review.warnings == [])
        #expect(
            review.digest.map(Hex.encode) == "bfc9f473160c3d265b07ec303a6ff1601883648791253b14fd5b680ce0172f2e")
    }

    @Test("A recorded approval with its Permit2 transfer is described")
    func approvalAndPermit2() throws {
        let option = try Self.recorded()["optionWithApproval"]
        let review = try Self.review(
            option, (option?["actions"]?.array ?? []).compactMap { $0["data"] }, now: Self.later)
        #expect(review.effects.map(\.kind) == [.approve, .permit2Transfer])
        #expect(review.warnings == [.approvalUnlimited])
        #expect(
            review.lines.first == """
                Allows Permit2 (0x000000000022D473030F116dDEE9F6B43aC78BA3) to move all your USDT on Ethereum \
                (eip155:1), until you revoke it. Costs a network fee.
                """)
    }

    @Test("A recorded payment in a chain's own coin is described")
    func nativeCoin() throws {
        let recorded = try Self.recorded()
        let call = try #require(recorded["fetchNative"]?["actions"]?[0]?["data"])
        let review = try Self.review(recorded["options"]?["options"]?[0], [call])
        #expect(review.warnings == [])
        #expect(
            review.lines.first == """
                Pays 0.000041877035785636 ETH on Optimism (eip155:10) through \
                0x57b2B4288220005234c0E88a04a7943193971D21 (seen before) for \
                0x505F60096888ea3264dC8778Bb9bF1809daa042C, until 19:32:35 UTC on 2026-09-16, in 2 minutes. The \
                network's fee comes on top.
                """)
    }

    @Test("Every other recorded option passes without a warning")
    func everyOtherRecordedOption() throws {
        let options = try #require(try Self.recorded()["options"]?["options"]?.array)
        let ready = options.filter { $0["actions"]?[0]?["type"]?.string == "walletRpc" }
        #expect(!ready.isEmpty)
        for option in ready {
            let calls = (option["actions"]?.array ?? []).compactMap { $0["data"] }
            #expect(try Self.review(option, calls).warnings == [])
        }
    }

    /// The public fixtures A to I of the service's typed data: other implementations computed their digests, too.
    @Test("The public fixtures have the digests that others compute")
    func publicFixtures() throws {
        let rows = try #require(
            try JSONValue(parsing: Vectors.data("walletconnect-pay-signing"))["valid"]?.array?.filter {
                $0["input"]?["method"] == "eth_signTypedData_v4"
            })
        var digests: [String?] = []
        for row in rows {
            let given = try #require(row["input"]?["typedData"])
            let data = try given.string.map { try JSONValue(parsing: $0) } ?? given
            let message = try #require(data["message"])
            let chain = try #require(Self.number(data["domain"]?["chainId"]))
            let token = message["permitted"]?["token"] ?? data["domain"]?["verifyingContract"]
            let value = try #require(Self.number(message["permitted"]?["amount"] ?? message["value"]))
            let end = try #require(Self.number(message["deadline"] ?? message["validBefore"]))
            let from = message["from"]?.string ?? "0x92abCE21234D71EC443E679f3a1feAFD3Fc830fB"
            let account = "eip155:\(chain):\(from)"
            let option = AgreedOption(
                unit: "caip19/eip155:\(chain)/erc20:\(token?.string ?? "")", value: String(value), account: account,
                symbol: nil, decimals: chain == 56 ? 18 : 6)
            let review = try? SigningReviewer().review(
                option,
                calls: [
                    [
                        "chain_id": .string("eip155:\(chain)"), "method": "eth_signTypedData_v4",
                        "params": [.string(from), given],
                    ]
                ],
                payer: [AccountID(account)], now: Date(timeIntervalSince1970: Double(end) - 1))
            digests.append(review?.digest.map { Hex.encode($0) })
        }
        let expected = rows.map { $0["expect"]?["digest"]?.string?.replacing("0x", with: "") }
        #expect(digests.count == 9)
        // H is all zeros: it pays nothing, to the zero address.
        for (index, name) in "ABCDEFGHI".enumerated() {
            #expect(digests[index] == (name == "H" ? nil : expected[index]), "\(name)")
        }
    }

    private static func number(_ value: JSONValue?) -> UInt64? {
        guard let text = value?.string else { return value?.uint64 }
        return text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
    }
}
