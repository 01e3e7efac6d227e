import Foundation
import PaymentCore
import TestSupport
import Testing

@testable import WalletConnectPayKit
@testable import WalletConnectPayProvider

/// The decoding of the service's answers (Protocol 1.5).
@Suite struct ClientDecodingTests {
    /// The accounts of the recordings.
    static let accounts = ["eip155:1", "eip155:10", "eip155:56"].flatMap {
        ["\($0):0x92abCE21234D71EC443E679f3a1feAFD3Fc830fB", "\($0):0xF977814e90dA44bFA03b6295A0616a897441aceC"]
    }

    static func response(_ text: String) async throws -> PaymentOptionsResponse {
        try await ClientWorld(["options": [.ok(text)]]).client.getPaymentOptions(
            paymentLink: "pay_1", accounts: Self.accounts)
    }

    @Test("Recorded options are read")
    func recordedOptions() async throws {
        let text = try #require(try RecordedTests.recorded()["options"]).text
        let response = try await Self.response(text)
        #expect(response.paymentId == "pay_1")
        let info = try #require(response.info)
        #expect(info.status == .requiresAction)
        #expect(info.expiresAt == 1_789_587_739)
        #expect(info.merchant.name == "Gem Wallet Test Merchant")
        #expect(info.buyer == nil)
        #expect(info.amount.display == AmountDisplay(assetSymbol: "USD", assetName: "US Dollar", decimals: 2))
        #expect(response.collectData == nil && response.resultInfo == nil)
        #expect(response.options.count == 3)
        let native = response.options[0]
        #expect(native.account == "eip155:10:0x92abCE21234D71EC443E679f3a1feAFD3Fc830fB")
        #expect(native.etaS == 5)
        #expect(native.expiresAt == 1_789_587_155)
        #expect(native.actions.isEmpty)
        #expect(
            native.amount.display.networkIconUrl
                == "https://api.walletconnect.com/assets/v1/image/network/eip155:10/md")
        let rpc = try #require(response.options[1].actions.first).walletRpc
        #expect(rpc.chainId == "eip155:1")
        #expect(rpc.method == "eth_signTypedData_v4")
        let (address, typedData) = try rpc.typedDataParameters()
        #expect(address == "0x92abce21234d71ec443e679f3a1feafd3fc830fb")
        #expect(try JSONValue(parsing: typedData)["primaryType"] == "PermitTransferFrom")
        // Parsed as in the guides.
        let params = try JSONSerialization.jsonObject(with: Data(rpc.params.utf8)) as? [Any]
        #expect(params?[1] as? String == typedData)
    }

    @Test("A recorded option that asks for data is read")
    func recordedOptionThatAsksForData() async throws {
        let option = try #require(try RecordedTests.recorded()["optionWithApproval"]).text
        let response = try await Self.response(#"{"options":[\#(option)],"collectData":{"url":"https://x.example"}}"#)
        #expect(response.collectData == CollectDataAction(url: "https://x.example"))
        let data = try #require(response.options[0].collectData)
        #expect(
            data.fields == [
                CollectDataField(id: "fullName", name: "Full name", required: true, fieldType: .text),
                CollectDataField(id: "dob", name: "Date of birth", required: true, fieldType: .date),
            ])
        #expect(data.url?.hasPrefix("https://pay.walletconnect.com/collect/?pid=pay_") == true)
        #expect(data.schema == "{}")
        #expect(response.options[0].actions.map(\.walletRpc.method) == ["eth_sendTransaction", "eth_signTypedData_v4"])
    }

    static let finished: [(String, PaymentStatus)] = [
        ("failed", .failed), ("succeeded", .succeeded), ("expired", .expired),
    ]

    @Test("Finished payments are read", arguments: finished)
    func finishedPayments(_ word: String, _ status: PaymentStatus) async throws {
        let text =
            #"{"info":{"status":"\#(word)","amount":\#(Script.amount),"expiresAt":1,"merchant":{"name":"M","iconUrl":null},"buyer":null},"collectData":null,"options":null,"resultInfo":{"txId":"0x1","optionAmount":\#(Script.amount)}}"#
        let response = try await Self.response(text)
        #expect(response.options.isEmpty)
        #expect(response.info?.status == status)
        #expect(response.resultInfo?.txId == "0x1")
    }

    /// A state that the guides don't have is never reported as one of theirs, by any call.
    @Test(
        "States that the guides don't have are thrown",
        arguments: [("cancelled", "cancelled"), ("reversed", "'reversed'"), ("", "neither success nor failure")])
    func otherStatesAreThrown(_ word: String, _ text: String) async throws {
        let world = try ClientWorld([
            "options": [
                .ok(
                    #"{"info":{"status":"\#(word)","amount":\#(Script.amount),"expiresAt":1,"merchant":{"name":"M"}},"options":null}"#
                )
            ],
            "status": [.ok(Script.status(word, isFinal: true))],
        ])
        for error in [
            await told(as: GetPaymentOptionsError.self) { try await world.options() },
            await told(as: GetPaymentStatusError.self) { try await world.client.getPaymentStatus(paymentId: "pay_1") },
        ] { #expect(error.name == "http" && error.text.contains(text)) }
    }

    static let lenient = [
        #"{"options":[]}"#, #"{}"#, #"{"options":null,"info":null,"collectData":null,"resultInfo":null}"#,
        #"{"options":[],"new":{"deep":[1]},"info":null}"#,
        // The minimal members of an option.
        #"{"options":[{"id":"o","account":"a","amount":{"unit":"u","value":"1","display":{"assetSymbol":"s","decimals":0}}}]}"#,
        // An action and a field of unknown kinds.
        #"{"options":[{"id":"o","account":"a","amount":\#(Script.amount),"actions":[{"type":"teleport"}],"collectData":{"fields":[{"type":"photo","id":"p","name":"P","required":false}],"schema":"{}"}}]}"#,
    ]

    @Test("What may be missing or new is tolerated", arguments: lenient)
    func toleratesWhatMayBeMissingOrNew(_ text: String) async throws {
        let response = try await Self.response(text)
        #expect(response.options.allSatisfy { $0.actions.isEmpty && $0.id == "o" })
        if let field = response.options.first?.collectData?.fields.first {
            // The guides have two types; any other one is a text.
            #expect(field.fieldType == .text)
            #expect(!field.required)
        }
    }

    static let broken = [
        "", "[]", "null", #"{"options":{}}"#, #"{"options":[{"id":"o"}]}"#,
        #"{"options":[{"id":"o","account":"a","amount":{"unit":"u","value":7,"display":{"assetSymbol":"s","decimals":0}}}]}"#,
        #"{"info":{"status":"succeeded"}}"#,
    ]

    @Test("What cannot be understood is refused", arguments: broken)
    func refusesWhatCannotBeUnderstood(_ text: String) async throws {
        let world = try ClientWorld(["options": [.ok(text)]])
        let error = await told(as: GetPaymentOptionsError.self) { try await world.options() }
        #expect(error.name == "http" && error.text.contains("cannot be understood"))
        // Never asked again.
        #expect(world.service.seen.count == 1)
    }

    static let statuses: [(String, PaymentStatus, Bool, Int64?, String?)] = [
        (
            #"{"status":"requires_action","isFinal":false,"pollInMs":1000,"info":null}"#, .requiresAction, false, 1000,
            nil
        ),
        (#"{"status":"processing","isFinal":false,"pollInMs":2000,"info":null}"#, .processing, false, 2000, nil),
        (#"{"status":"failed","isFinal":true,"pollInMs":null,"info":null}"#, .failed, true, nil, nil),
        (#"{"status":"failed","isFinal":true,"failureCode":"declined_user"}"#, .failed, true, nil, "declined_user"),
        (#"{"status":"expired","isFinal":true,"pollInMs":null,"info":null}"#, .expired, true, nil, nil),
        (#"{"status":"succeeded","isFinal":true}"#, .succeeded, true, nil, nil),
        // The status is known, so the rest may be missing or wrong.
        (#"{"status":"succeeded"}"#, .succeeded, true, nil, nil),
        (#"{"status":"processing","pollInMs":"soon","info":{"txId":7}}"#, .processing, false, nil, nil),
    ]

    @Test("Statuses are read", arguments: statuses)
    func readsStatuses(
        _ text: String, _ status: PaymentStatus, _ isFinal: Bool, _ poll: Int64?, _ code: String?
    ) async throws {
        let world = try ClientWorld(["status": [.ok(text)]])
        let response = try await world.client.getPaymentStatus(paymentId: "pay_1")
        #expect(
            response
                == PaymentStatusResponse(
                    paymentId: "pay_1", status: status, isFinal: isFinal, pollInMs: poll, failureCode: code))
    }

    @Test("A recorded receipt is read")
    func recordedReceipt() async throws {
        let text = try #require(try RecordedTests.recorded()["statuses"]?[4]).text
        let world = try ClientWorld(["confirm": [.ok(text)]])
        let result = try await world.client.confirmPayment(paymentId: "p", optionId: "o", signatures: ["s"])
        #expect(result.status == .succeeded && result.isFinal)
        #expect(result.info?.txId == "0x46fc18618d378feb6cbdff6ba42231ccfb73eea417f666e43e8ecc7a88df8024")
        #expect(result.info?.optionAmount.display.decimals == 18)
    }

    /// The transaction is the payer's proof; a defect in another member must not remove it.
    @Test(
        "A receipt without its amount keeps its transaction",
        arguments: [
            #","optionAmount":{"unit":"u","value":"1"}"#, #","optionAmount":{"unit":"u","value":7}"#,
            #","optionAmount":null"#, "", #","optionAmount":[]"#,
        ])
    func aReceiptWithoutItsAmount(_ amount: String) async throws {
        let info = #"{"txId":"0xabc"\#(amount)}"#
        let world = try ClientWorld([
            "options": [.ok(#"{"options":null,"resultInfo":\#(info)}"#)],
            "status": [.ok(#"{"status":"succeeded","isFinal":true,"info":\#(info)}"#)],
        ])
        let results = [
            try await world.options().resultInfo, try await world.client.getPaymentStatus(paymentId: "pay_1").info,
        ]
        for result in results {
            #expect(result?.txId == "0xabc")
            // Half an amount could be displayed as another one.
            #expect(result?.optionAmount.value == "" && result?.optionAmount.unit == "")
        }
        let body = try JSONValue(parsing: #"{"status":"succeeded","isFinal":true,"info":\#(info)}"#)
            .decode(StatusBody.self)
        let payment = PaymentReference(provider: "wcp-test", id: "pay_1")
        let receipt = try #require(body.report(of: payment).receipt, "not succeeded")
        #expect(receipt.transactionID == "0xabc" && receipt.amount == nil)
    }

    @Test("A receipt without a transaction takes nothing from the rest")
    func aReceiptWithoutTransactionTakesNothingFromTheRest() async throws {
        let response = try await Self.response(#"{"options":[],"resultInfo":{"txId":7}}"#)
        #expect(response.resultInfo == nil)
    }

    @Test("A cancellation is read")
    func cancellation() async throws {
        let world = try ClientWorld([
            "cancel": [
                .ok(
                    #"{"paymentId":"pay_1","status":"cancelled","cancelledReason":"cancelled_by_user","cancelledAt":"2025-01-14T10:30:00Z"}"#
                )
            ]
        ])
        let response = try await world.client.cancelPayment(paymentId: "pay_1")
        #expect(
            response
                == CancelPaymentResponse(
                    paymentId: "pay_1", cancelledReason: "cancelled_by_user", cancelledAt: "2025-01-14T10:30:00Z"))
    }

    @Test("Another answer to a cancellation is none", arguments: ["processing", "succeeded", "reversed"])
    func anotherAnswerToACancellationIsNone(_ word: String) async throws {
        let world = try ClientWorld(["cancel": [.ok(#"{"paymentId":"pay_1","status":"\#(word)"}"#)]])
        let error = await told(as: PayError.self) { try await world.client.cancelPayment(paymentId: "pay_1") }
        #expect(error.name == "http" && error.text.contains("'\(word)'"))
    }

    @Test("Raw values of enums are kept")
    func wordsOfEnumsSurvive() {
        for word in ["requires_action", "processing", "succeeded", "failed", "expired"] {
            #expect(PaymentStatus(rawValue: word)?.rawValue == word)
        }
        for word in ["text", "date"] { #expect(CollectDataFieldType(rawValue: word)?.rawValue == word) }
    }

    static let parameters: [(String, String, (String, String)?)] = [
        ("eth_signTypedData_v4", #"["0xabc","{\"a\":1}"]"#, ("0xabc", #"{"a":1}"#)),
        ("eth_signTypedData_v4", #"["0xabc",{"b":2,"a":[1]}]"#, ("0xabc", #"{"a":[1],"b":2}"#)),
        ("eth_signTypedData", #"["0xabc",{}]"#, ("0xabc", "{}")),
        ("eth_signTypedData_v3", #"["0xabc","{}","more"]"#, ("0xabc", "{}")),
        ("eth_signTypedData_v4", #"["0xabc","not json"]"#, nil), ("eth_signTypedData_v4", #"["0xabc","[1]"]"#, nil),
        ("eth_signTypedData_v4", #"["0xabc"]"#, nil), ("eth_signTypedData_v4", #"[7,{}]"#, nil),
        ("eth_signTypedData_v4", #"{"0":1}"#, nil), ("eth_signTypedData_v4", "", nil),
        ("eth_signTypedData_v4", #"["0xabc",7]"#, nil), ("eth_sendTransaction", #"["0xabc",{}]"#, nil),
        ("solana_signTransaction", #"[{"transaction":"AQ=="}]"#, nil),
    ]

    @Test("Parameters of typed data are taken apart", arguments: parameters)
    func takesTypedDataApart(
        _ method: String, _ params: String, _ expected: (address: String, typedData: String)?
    ) throws {
        let rpc = WalletRpcAction(chainId: "eip155:1", method: method, params: params)
        if let expected {
            let found = try rpc.typedDataParameters()
            #expect(found.address == expected.address)
            #expect(found.typedData == expected.typedData)
        } else {
            #expect(throws: InvalidActionParametersError.self) { try rpc.typedDataParameters() }
        }
    }

    @Test("Other chains' payloads arrive unharmed")
    func otherChainsPayloadsArriveUnharmed() throws {
        let solana = #"[{"transaction":"AQAB+/=="}]"#
        let tron = #"{"raw_data":{"n":10000000000000000000001},"raw_data_hex":"0a","txID":"ff"}"#
        let calls = [("solana:5eykt", "solana_signTransaction", solana), ("tron:0x2b", "tron_signTransaction", tron)]
            .map { #"{"chain_id":"\#($0)","method":"\#($1)","params":\#($2)}"# }
        let actions = try calls.compactMap { Action(try JSONValue(parsing: $0)) }
        // A wallet gets Tron's method with a list, which the service may omit.
        #expect(actions.map(\.walletRpc.params) == [solana, "[\(tron)]"])
        let listed = #"{"chain_id":"tron:0x2b","method":"tron_signTransaction","params":[\#(tron)]}"#
        #expect(Action(try JSONValue(parsing: listed))?.walletRpc.params == "[\(tron)]")
        #expect(actions.map(\.walletRpc.chainId) == ["solana:5eykt", "tron:0x2b"])
    }
}
