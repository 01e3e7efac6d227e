import PaymentCore

/// Tampering with the number, the order and the kind of the calls.
extension WalletConnectPaySandbox.TamperedAnswer {
    static let attacker = "0xf1de7be9a623fae3d8ae449173a99c43818b2a8b"
    static let attackerWord = "000000000000000000000000f1de7be9a623fae3d8ae449173a99c43818b2a8b"
    static let unlimited = String(repeating: "f", count: 64)
    static let usdc = "0x0b2c639c533813f4aa9d7837caf62653d097ff85"
    static let call = "/0/actions/0/data"
    static let typedData = "/0/actions/0/data/params/1"
    static let transaction = "/0/actions/0/data/params/0"

    private static func copies(_ count: Int) -> [Edit] {
        (1..<count).map { .copy("/0/actions/0", to: "/0/actions/\($0)") }
    }

    private static func another(_ method: String, _ params: JSONValue, _ summary: String) -> Self {
        Self(
            "method-\(method)", .permit, summary, rejection: "method-not-allowed",
            .set("\(call)/method", .string(method)),
            .set("\(call)/params", params))
    }

    static let lists: [Self] = [
        Self("nothing-to-sign", .permit, "asks for nothing", rejection: "0 wallet calls", .set("/0/actions", [])),
        Self("two-permits", .permit, "has one amount permitted twice", rejection: "list-two-payments", all: copies(2)),
        Self(
            "eight-permits", .permit, "has one amount permitted eight times", rejection: "list-too-long", all: copies(8)
        ),
        Self(
            "nine-permits", .permit, "has one amount permitted nine times", rejection: "9 wallet calls", all: copies(9)),
        Self("two-sends", .coin, "has one amount sent twice", rejection: "list-two-payments", all: copies(2)),
        Self("eight-sends", .coin, "has one amount sent eight times", rejection: "list-too-long", all: copies(8)),
        Self(
            "two-authorizations", .authorization, "has one amount authorised twice", rejection: "list-two-payments",
            all: copies(2)),
        Self(
            "send-behind-a-permit", .permit, "has coins sent behind the permit", rejection: "list-order",
            .copy("/0/actions/0", to: "/0/actions/1"), .set("/0/actions/1/data/method", "eth_sendTransaction"),
            .set(
                "/0/actions/1/data/params",
                [["from": "{payer}", "to": .string(attacker), "value": "0xde0b6b3a7640000"]])),
        Self(
            "send-before-a-permit", .permit, "has coins sent before the permit", rejection: "(calldata, ",
            .copy("/0/actions/0", to: "/0/actions/1"), .set("\(call)/method", "eth_sendTransaction"),
            .set("\(call)/params", [["from": "{payer}", "to": .string(attacker), "value": "0xde0b6b3a7640000"]])),
        Self(
            "approval-behind-the-permit", .approval, "asks for the approval last", rejection: "list-order",
            .copy("/0/actions/0", to: "/0/actions/2"), .remove("/0/actions/0")),
        Self(
            "approval-alone", .approval, "has an allowance given and nothing bought", rejection: "list-no-payment",
            .remove("/0/actions/1")),
        Self(
            "approval-for-nothing", .authorization, "has an allowance given that the payment does not need",
            rejection: "approval-unneeded", .copy("/0/actions/0", to: "/0/actions/1"),
            .set("\(call)/method", "eth_sendTransaction"),
            .set(
                "\(call)/params",
                [
                    [
                        "from": "{payer}", "to": "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
                        "data": .string(
                            "0x095ea7b3000000000000000000000000000000000022d473030f116ddee9f6b43ac78ba3" + unlimited),
                    ]
                ])),
        Self(
            "call-with-capabilities", .permit, "hides a member in the call", rejection: "call-shape",
            .set("\(call)/capabilities", [:])),
        Self(
            "call-on-another-chain", .permit, "has the call made on another chain", rejection: "call-chain",
            .set("\(call)/chain_id", "eip155:137")),
        another(
            "personal_sign", [.string("0x" + String(repeating: "5a", count: 32)), "{payer}"],
            "has 32 unreadable bytes signed"),
        Self(
            "log-in-elsewhere", .permit, "has a log-in to another site signed", rejection: "method-not-allowed",
            .set("\(call)/method", "personal_sign"),
            .set(
                "\(call)/params", ["bank.example wants you to sign in with your Ethereum account:\n{payer}", "{payer}"])
        ),
        another(
            "eth_sign", ["{payer}", .string("0x" + String(repeating: "5a", count: 32))],
            "has a hash signed: a blank cheque"),
        another("eth_signTypedData", [[], "{payer}"], "has typed data of the first kind signed"),
        another(
            "eth_signTransaction", [["from": "{payer}", "to": .string(attacker)]], "has a transaction signed for later"),
        another("eth_sendRawTransaction", ["0x00"], "has foreign bytes broadcast"),
        another("wallet_sendCalls", [["calls": [["to": .string(attacker), "value": "0x1"]]]], "has a batch sent"),
        another("wallet_signAuthorization", [["contractAddress": .string(attacker)]], "has the account handed over"),
        another("wallet_requestExecutionPermissions", [[:]], "asks for standing permissions"),
        another("solana_signTransaction", [["transaction": "AA=="]], "asks for another chain's transaction"),
        another("tron_signTransactions", [[:]], "asks for something that no wallet knows"),
        Self(
            "third-parameter", .permit, "hides a third parameter", rejection: "params-shape",
            .set("\(call)/params/-", [:])),
        Self(
            "parameters-as-object", .permit, "gives the parameters names", rejection: "params-shape",
            .set("\(call)/params", ["0": "{payer}"])),
        Self(
            "another-signer", .permit, "has another account sign", rejection: "(signer, ",
            .set("\(call)/params/0", .string(attacker))),
        Self(
            "signature-for-a-coin", .coin, "has typed data signed for a coin", rejection: "asset-kind",
            .set("\(call)/method", "eth_signTypedData_v4"), .set("\(call)/params", ["{payer}", [:]])),
        Self(
            "coins-for-a-token", .permit, "has coins sent instead of the token", rejection: "asset-kind",
            .set("\(call)/method", "eth_sendTransaction"),
            .set("\(call)/params", [["from": "{payer}", "to": .string(attacker), "value": "0xde0b6b3a7640000"]])),
        Self(
            "token-sent-directly", .permit, "has the token sent to a stranger", rejection: "(calldata, ",
            .set("\(call)/method", "eth_sendTransaction"),
            .set(
                "\(call)/params",
                [
                    [
                        "from": "{payer}", "to": "0xdac17f958d2ee523a2206206994597c13d831ec7",
                        "data": .string("0xa9059cbb" + attackerWord + unlimited),
                    ]
                ])),
        Self(
            "more-when-fetched", .permit, "asks for more when the calls are fetched", rejection: "(amount, ",
            isFetched: true,
            .set("\(typedData)/message/permitted/amount", .string("0x" + unlimited))),
    ]
}
