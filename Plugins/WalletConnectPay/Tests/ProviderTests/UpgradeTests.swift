import PaymentCore
import Testing

@testable import WalletConnectPayProvider

/// The stored data of steps, which a later version reads again when it resumes the attempt.
@Suite("An upgrade in the middle of a payment")
struct UpgradeTests {
    @Test(
        "An option that was chosen before is read, and written as it was",
        arguments: [
            #"{"actions":[{"data":{"data":"0xab"},"type":"build"}],"collectData":{"fields":[{"id":"fullName","name":"Full name","required":true,"type":"text"},{"id":"dob","name":"Date of birth","required":false,"type":"date"},{"id":"tos","name":"Terms","required":true,"type":"checkbox"}],"schema":"{\"required\":[\"fullName\"]}","url":"https://pay.walletconnect.com/form"},"symbol":"USDC"}"#,
            #"{"actions":[{"data":{"chain_id":"eip155:1","method":"eth_sendTransaction","params":[]},"type":"walletRpc"}],"symbol":"ETH"}"#,
        ])
    func option(text: String) throws {
        let stored = try JSONValue(parsing: text).decode(OptionActions.Stored.self)
        #expect(try JSONValue.encode(stored).text == text)
    }

    @Test("An option without the symbol that the payer saw is none")
    func withoutSymbol() throws {
        #expect(throws: (any Error).self) {
            try JSONValue(parsing: #"{"actions":[]}"#).decode(OptionActions.Stored.self)
        }
        #expect(
            try JSONValue(parsing: #"{"actions":[],"symbol":"ETH"}"#).decode(OptionActions.Stored.self).symbol == "ETH")
    }

    @Test(
        "A confirmation that was answered before is read, and written as it was",
        arguments: [
            #"{"isFinal":true,"status":"succeeded"}"#, #"{"isFinal":false,"pollInMs":2000,"status":"processing"}"#,
            #"{"failureCode":"declined_user","isFinal":true,"status":"failed"}"#,
            #"{"info":{"optionAmount":{"display":{"assetName":"USD Coin","assetSymbol":"USDC","decimals":6},"unit":"iso4217/USD","value":"100"},"txId":"0xabc"},"isFinal":true,"status":"succeeded"}"#,
        ])
    func confirmation(text: String) throws {
        let stored = try JSONValue(parsing: text).decode(StatusBody.self)
        #expect(try JSONValue.encode(stored).text == text)
    }
}
