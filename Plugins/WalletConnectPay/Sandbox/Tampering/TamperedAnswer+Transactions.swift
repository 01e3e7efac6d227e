import PaymentCore

/// Tampering with transactions on EVM chains.
extension WalletConnectPaySandbox.TamperedAnswer {
    private static let data = "\(transaction)/data"

    private static func member(_ name: String, _ value: JSONValue, _ summary: String) -> Self {
        Self(
            "transaction-with-\(name)", .coin, summary, rejection: "tx-member", .set("\(transaction)/\(name)", value))
    }

    /// 1 wei for a contract's function.
    private static func function(_ name: String, _ selector: String, _ summary: String) -> Self {
        Self(
            "coin-and-\(name)", .coin, summary, rejection: "(calldata, ", .set("/0/amount/value", "1"),
            .set("\(transaction)/value", "0x1"), .set("\(transaction)/to", .string(usdc)),
            .set(data, .string("0x" + selector + attackerWord + unlimited)))
    }

    static let transactions: [Self] = [
        member("type", "0x4", "has the account handed over (EIP-7702)"),
        member(
            "authorizationList", [["chainId": "0x0", "address": .string(attacker)]],
            "hands the account over on all chains"),
        member("chainId", "0x1", "sends on another chain than it shows"),
        member("input", .string("0xa9059cbb" + attackerWord + unlimited), "hides other calldata beside the shown"),
        member("gas", "0x1c9c380", "sets the gas"),
        member("gasPrice", "0xe8d4a51000", "sets the price of gas: the fee is the theft"),
        member("maxFeePerGas", "0xe8d4a51000", "sets the fee: the fee is the theft"),
        member("maxPriorityFeePerGas", "0xe8d4a51000", "sets the tip: the fee is the theft"),
        member("nonce", "0x0", "replaces a transaction of the payer"),
        member("accessList", [], "adds a list of places"),
        member("blobVersionedHashes", [], "adds blobs"),
        Self(
            "second-transaction", .coin, "hides a second transaction", rejection: "params-shape",
            .copy(transaction, to: "\(call)/params/1")),
        Self(
            "contract-creation", .coin, "creates a contract", rejection: "tx-member-missing",
            .remove("\(transaction)/to")
        ),
        Self(
            "recipient-null", .coin, "creates a contract", rejection: "tx-member-missing",
            .set("\(transaction)/to", nil)),
        Self(
            "sender-missing", .coin, "does not say who sends", rejection: "tx-member-missing",
            .remove("\(transaction)/from")),
        Self(
            "value-in-decimal", .coin, "writes the value so that libraries differ", rejection: "tx-value-malformed",
            .set("\(transaction)/value", "5208333333333333")),
        Self(
            "value-null", .coin, "leaves the value to the library", rejection: "tx-value-malformed",
            .set("\(transaction)/value", nil)),
        Self(
            "value-as-number", .coin, "writes the value as a number", rejection: "tx-value-malformed",
            .set("\(transaction)/value", 1)),
        Self(
            "value-more", .coin, "sends more than it shows", rejection: "(amount, ",
            .set("\(transaction)/value", "0xde0b6b3a7640000")),
        Self(
            "value-missing", .coin, "sends nothing and calls all the same", rejection: "(amount, ",
            .remove("\(transaction)/value")),
        Self(
            "sender-another", .coin, "sends from another account", rejection: "(from, ",
            .set("\(transaction)/from", .string(attacker))),
        Self(
            "coins-to-a-token", .coin, "sends coins to a token's contract", rejection: "recipient-invalid",
            .set("\(transaction)/to", .string(usdc)), .set(data, "0x")),
        Self(
            "coins-to-the-payer", .coin, "sends coins in a circle", rejection: "recipient-invalid",
            .set("\(transaction)/to", "{payer}"), .set(data, "0x")),
        Self(
            "coins-to-nobody", .coin, "has the coins burnt", rejection: "recipient-invalid",
            .set("\(transaction)/to", "0x0000000000000000000000000000000000000000"), .set(data, "0x")),
        Self("calldata-odd", .coin, "sends half a byte", rejection: "calldata-malformed", .set(data, "0xd39064880")),
        function("transfer", "a9059cbb", "has all of a token sent away for 1 wei"),
        function("approve", "095ea7b3", "has a stranger approved for 1 wei"),
        function("increaseAllowance", "39509351", "has an allowance raised for 1 wei"),
        function("transferFrom", "23b872dd", "has a token moved for 1 wei"),
        function("setApprovalForAll", "a22cb465", "has a whole collection handed over for 1 wei"),
        function("permit2-approve", "87517c45", "has Permit2 allow a stranger to move a token"),
        function("multicall", "ac9650d8", "has several calls made at once"),
        function("execute", "3593564c", "has a router do anything"),
        function("deposit", "d0e30db0", "has the coin wrapped"),
        function("claim", "4e71d92d", "lures with a gift"),
        function("upgradeTo", "3659cfe6", "has a contract of the payer's replaced"),
        function("transferOwnership", "f2fde38b", "has a contract of the payer's given away"),
    ]

    static let approvals: [Self] = [
        Self(
            "approval-of-a-stranger", .approval, "has a stranger approved", rejection: "approval-spender",
            .word(data, 0, String(attackerWord.suffix(40)))),
        Self(
            "approval-of-another-token", .approval, "has another token approved", rejection: "approval-token",
            .set("\(transaction)/to", "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48")),
        Self(
            "approval-with-coins", .approval, "sends coins along with the approval", rejection: "approval-value",
            .set("\(transaction)/value", "0xde0b6b3a7640000")),
        Self(
            "approval-too-small", .approval, "has gas paid for an approval that is too small",
            rejection: "approval-amount", .word(data, 1, "1")),
        Self(
            "approval-with-dirty-bits", .approval, "writes an address that contracts read differently",
            rejection: "calldata-malformed",
            .word(data, 0, "1000000000000000000000000000000000000022d473030f116ddee9f6b43ac78ba3")),
        Self(
            "approval-with-more", .approval, "hides bytes behind the approval", rejection: "calldata-malformed",
            .set(
                data,
                .string("0x095ea7b3000000000000000000000000000000000022d473030f116ddee9f6b43ac78ba3" + unlimited + "00")
            )),
        Self(
            "transfer-as-approval", .approval, "has the token sent away in place of the approval",
            rejection: "(calldata, ", .set(data, .string("0xa9059cbb" + attackerWord + unlimited))),
        Self(
            "increase-as-approval", .approval, "raises an allowance in place of the approval", rejection: "(calldata, ",
            .set(
                data, .string("0x39509351000000000000000000000000000000000022d473030f116ddee9f6b43ac78ba3" + unlimited))
        ),
        Self(
            "coins-as-approval", .approval, "sends coins in place of the approval", rejection: "(calldata, ",
            .remove(data), .set("\(transaction)/value", "0x1")),
    ]

    static let settlements: [Self] = [
        Self(
            "settlement-of-another-contract", .coin, "books the payment at another contract",
            rejection: "settlement-operator", .word(data, 0, String(attackerWord.suffix(40)))),
        Self(
            "settlement-for-another-payer", .coin, "books the payment to another payer", rejection: "settlement-payer",
            .word(data, 1, String(attackerWord.suffix(40)))),
        Self(
            "settlement-in-another-token", .coin, "settles in another token", rejection: "settlement-token",
            .word(data, 3, String(usdc.dropFirst(2)))),
        Self(
            "settlement-of-more", .coin, "settles another amount", rejection: "settlement-amount",
            .word(data, 4, "de0b6b3a7640000")),
        Self("settlement-over", .coin, "settles what is over", rejection: "deadline-past", .word(data, 5, "1")),
        Self(
            "settlement-without-end", .coin, "lets the settlement wait for years", rejection: "deadline-too-far",
            .word(data, 5, "ffffffffffff"), .word(data, 6, "ffffffffffff"), .word(data, 7, "ffffffffffff")),
        Self(
            "settlement-ends-in-disorder", .coin, "lets refunds end before payments", rejection: "settlement-expiries",
            .word(data, 7, "1")),
        Self(
            "settlement-with-fee", .coin, "takes a fee", rejection: "settlement-fee", .word(data, 14, "64"),
            .word(data, 15, String(attackerWord.suffix(40)))),
        Self("settlement-to-nobody", .coin, "pays no recipient", rejection: "recipient-invalid", .word(data, 2, "0")),
        Self(
            "settlement-with-dirty-bits", .coin, "writes an address that contracts read differently",
            rejection: "calldata-malformed", .word(data, 2, "1" + String(attackerWord.suffix(40)))),
        Self(
            "settlement-elsewhere", .coin, "points the data somewhere else", rejection: "calldata-malformed",
            .word(data, 13, "1e0")),
        Self(
            "settlement-cut", .coin, "leaves the end of the call out", rejection: "calldata-malformed",
            .set(data, "0xd3906488")),
    ]
}
