import Foundation
import PaymentCore
import TestSupport
import Testing

@testable import WalletConnectPayProvider

/// What the wallet may be asked to sign: the recorded calls pass, and each kind of deviation is refused.
@Suite struct ActionRulesTests {
    /// The recorded Permit2 option, as offered shortly before it ended.
    static let permit = try! option(try! recorded()["options"]?["options"]?[1])
    static let approval = try! option(try! recorded()["optionWithApproval"])
    static let now = Date(timeIntervalSince1970: 1_789_587_000)

    static func recorded() throws -> JSONValue { try JSONValue(parsing: Vectors.data("walletconnect-pay-wire")) }

    static func option(_ json: JSONValue?) throws -> OptionBody { try #require(json).decode(OptionBody.self) }

    static func check(_ option: OptionBody, _ call: WalletCallBody, now: Date = now) throws {
        let account = try AccountID(option.account)
        let offered = PaymentCore.PaymentOption(
            id: option.id, title: "", amount: try option.amount.money(), account: account)
        try ActionRules(
            option: offered, account: account, paymentExpiry: Date(timeIntervalSince1970: 1_789_587_739)
        ).check(call, now: now)
    }

    static func call(_ option: OptionBody, _ index: Int = 0) throws -> WalletCallBody {
        try option.actions[index].data.decode(WalletCallBody.self)
    }

    @Test func acceptsRecordedCalls() throws {
        try Self.check(Self.permit, Self.call(Self.permit))
        try Self.check(Self.approval, Self.call(Self.approval, 0))
        try Self.check(Self.approval, Self.call(Self.approval, 1))
    }

    @Test func acceptsRecordedNativePayment() throws {
        let recorded = try Self.recorded()
        let option = try Self.option(recorded["options"]?["options"]?[0])
        let call = try #require(recorded["fetchNative"]?["actions"]?[0]?["data"]).decode(WalletCallBody.self)
        try Self.check(option, call)
        var changed = call.params[0] ?? .null
        changed["value"] = "0x261641d79da5"
        let dearer = WalletCallBody(chainID: call.chainID, method: call.method, params: [changed])
        #expect(throws: PaymentError.self) { try Self.check(option, dearer) }
    }

    static let typedDataChanges: [(String, String, String)] = [
        ("amount", "\"amount\":\"0x186a0\"", "\"amount\":\"0x186a1\""),
        ("token", "0xdac17f958d2ee523a2206206994597c13d831ec7", "0xdac17f958d2ee523a2206206994597c13d831ec8"),
        ("chain", "\"chainId\":\"0x1\"", "\"chainId\":\"0x2\""),
        ("contract", "0x000000000022d473030f116ddee9f6b43ac78ba3", "0x000000000022d473030f116ddee9f6b43ac78ba4"),
        ("deadline past", "0x6aaaf247", "0x1"),
        ("deadline far away", "0x6aaaf247", "0xffffffffff"),
        ("kind of message", "\"primaryType\":\"PermitTransferFrom\"", "\"primaryType\":\"TokenPermissions\""),
        ("deadline missing", "\"deadline\":\"0x6aaaf247\",", ""),
        ("not JSON", "{\"domain\"", "{domain"),
    ]

    @Test(arguments: typedDataChanges) func refusesChangedTypedData(_ what: String, _ from: String, _ to: String) throws
    {
        let call = try Self.call(Self.permit)
        let text = try #require(call.params[1]?.string)
        let changed = text.replacingOccurrences(of: from, with: to)
        #expect(changed != text)
        let params: JSONValue = [call.params[0] ?? .null, .string(changed)]
        #expect(throws: PaymentError.self) {
            try Self.check(Self.permit, WalletCallBody(chainID: call.chainID, method: call.method, params: params))
        }
    }

    @Test func acceptsTypedDataAsAnObject() throws {
        let call = try Self.call(Self.permit)
        let object = try JSONValue(parsing: try #require(call.params[1]?.string))
        let params: JSONValue = [call.params[0] ?? .null, object]
        try Self.check(Self.permit, WalletCallBody(chainID: call.chainID, method: call.method, params: params))
    }

    @Test func refusesOtherChainsAccountsAndMethods() throws {
        let call = try Self.call(Self.permit)
        let otherAccount: JSONValue = ["0x0000000000000000000000000000000000000001", call.params[1] ?? .null]
        let wrong = [
            WalletCallBody(chainID: "eip155:10", method: call.method, params: call.params),
            WalletCallBody(chainID: call.chainID, method: call.method, params: otherAccount),
            WalletCallBody(chainID: call.chainID, method: "eth_sign", params: call.params),
            WalletCallBody(chainID: call.chainID, method: call.method, params: .null),
        ]
        for call in wrong { #expect(throws: PaymentError.self) { try Self.check(Self.permit, call) } }
    }

    @Test func refusesOtherApprovals() throws {
        let call = try Self.call(Self.approval)
        for (key, value) in [
            ("to", "0xdac17f958d2ee523a2206206994597c13d831ec8"),
            ("from", "0x0000000000000000000000000000000000000001"),
            ("value", "0x1"), ("data", "0xa9059cbb"),
        ] {
            var transaction = call.params[0] ?? .null
            transaction[key] = .string(value)
            let changed = WalletCallBody(chainID: call.chainID, method: call.method, params: [transaction])
            #expect(throws: PaymentError.self, "\(key)") { try Self.check(Self.approval, changed) }
        }
    }
}
