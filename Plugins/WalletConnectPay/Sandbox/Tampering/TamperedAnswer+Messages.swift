import PaymentCore

/// Tampering with the typed data that a wallet signs.
extension WalletConnectPaySandbox.TamperedAnswer {
    private static let message = "\(typedData)/message"
    private static let types = "\(typedData)/types"
    private static let amount = "\(message)/permitted/amount"
    private static let deadline = "\(message)/deadline"
    private static let spender = "\(message)/spender"
    private static let domain = "\(typedData)/domain"

    private static func kind(_ primaryType: String, _ summary: String) -> Self {
        Self(
            "message-\(primaryType)", .permit, summary, rejection: "primary-type",
            .set("\(typedData)/primaryType", .string(primaryType)))
    }

    static let messages: [Self] = [
        Self(
            "typed-data-unreadable", .permit, "sends what is no JSON", rejection: "typed-data-malformed",
            .set(typedData, "{domain}")),
        Self(
            "amount-twice", .permit, "writes two amounts under one name", rejection: "typed-data-malformed",
            .set(typedData, #"{"types":{},"primaryType":"PermitTransferFrom","domain":{},"message":{},"message":{}}"#)),
        Self(
            "typed-data-with-more", .permit, "hides a member beside the message", rejection: "typed-data-malformed",
            .set("\(typedData)/authorizationList", [])),
        kind("PermitSingle", "has a standing allowance signed"),
        kind("PermitBatch", "has several allowances signed"),
        kind("PermitBatchTransferFrom", "has several tokens taken"),
        kind("PermitWitnessTransferFrom", "has a permit of an unknown kind signed"),
        kind("Permit", "has an allowance of the token itself signed (EIP-2612)"),
        kind("SafeTx", "has a Safe's transaction signed"),
        kind("OrderComponents", "has an order of a market place signed"),
        kind("MetaTransaction", "has a call of the token signed"),
        kind("Mail", "has anything else signed"),
        Self(
            "amount-of-160-bits", .permit, "declares a narrower amount", rejection: "(types, ",
            .set("\(types)/TokenPermissions/1/type", "uint160")),
        Self(
            "fields-in-another-order", .permit, "declares the fields in another order", rejection: "(types, ",
            .copy("\(types)/PermitTransferFrom/0", to: "\(types)/PermitTransferFrom/-"),
            .remove("\(types)/PermitTransferFrom/0")),
        Self(
            "one-type-more", .permit, "declares a type that nothing uses", rejection: "(types, ",
            .set("\(types)/Extra", [["type": "address", "name": "to"]])),
        Self(
            "types-of-another-message", .permit, "hashes another message than it shows", rejection: "(types, ",
            .set("\(types)/PermitTransferFrom", [["type": "address", "name": "spender"]])),
        Self(
            "domain-type-without-chain", .permit, "leaves the chain out of the hash", rejection: "(types, ",
            .remove("\(types)/EIP712Domain/1")),
        Self(
            "field-with-more", .permit, "hides a member in a field's declaration", rejection: "(types, ",
            .set("\(types)/TokenPermissions/0/indexed", true)),
        Self(
            "domain-with-salt", .permit, "adds a salt to the domain", rejection: "(domain, ",
            .set("\(domain)/salt", .string("0x" + String(repeating: "0", count: 64)))),
        Self(
            "domain-without-chain", .permit, "leaves the chain out of the domain", rejection: "(domain, ",
            .remove("\(domain)/chainId")),
        Self(
            "message-with-more", .permit, "hides a member in the message", rejection: "message-members",
            .set("\(message)/to", .string(attacker))),
        Self(
            "permit-with-more", .permit, "hides a member in the permit", rejection: "message-members",
            .set("\(message)/permitted/recipient", .string(attacker))),
        Self(
            "amount-of-257-bits", .permit, "writes an amount that no wallet holds", rejection: "number-malformed",
            .set(amount, .string("0x1" + String(repeating: "0", count: 64)))),
        Self(
            "amount-with-fraction", .permit, "writes the amount as a fraction", rejection: "number-malformed",
            .set(amount, .number(JSONNumber("12500000.0") ?? JSONNumber(0)))),
        Self(
            "amount-beyond-json", .permit, "writes the amount as a number that readers round",
            rejection: "number-malformed", .set(amount, .number(JSONNumber("12500000000000000000000") ?? JSONNumber(0)))
        ),
        Self(
            "contract-as-number", .permit, "writes an address as a number", rejection: "address-malformed",
            .set("\(domain)/verifyingContract", "180847076211518657644945212059388835")),
        Self(
            "spender-with-wrong-digit", .permit, "writes a spender with a wrong checksum",
            rejection: "address-checksum",
            .set(spender, "0x5fae5310F257437fBfed0dA3c417DA410078058e")),
        Self(
            "domain-of-another-chain", .permit, "has the permit good on another chain", rejection: "domain-chain",
            .set("\(domain)/chainId", "0x89")),
        Self(
            "another-permit-contract", .permit, "has the permit given to another contract",
            rejection: "domain-contract",
            .set("\(domain)/verifyingContract", .string(attacker))),
        Self(
            "another-domain", .permit, "calls the domain by another name", rejection: "domain-name",
            .set("\(domain)/name", "Permit3")),
        Self(
            "another-token", .permit, "has another token permitted", rejection: "(token, ",
            .set("\(message)/permitted/token", "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48")),
        Self(
            "one-unit-more", .permit, "takes a millionth more than it shows", rejection: "(amount, ",
            .set(amount, "12500001")),
        Self(
            "all-of-it", .permit, "takes all there is", rejection: "(amount, ", .set(amount, .string("0x" + unlimited))),
        Self("less-than-shown", .permit, "takes less than it shows", rejection: "(amount, ", .set(amount, "1")),
        Self(
            "spender-nobody", .permit, "names no spender", rejection: "recipient-invalid",
            .set(spender, "0x0000000000000000000000000000000000000000")),
        Self(
            "spender-payer", .permit, "lets the payer take it", rejection: "recipient-invalid", .set(spender, "{payer}")
        ),
        Self(
            "spender-token", .permit, "lets the token take it", rejection: "recipient-invalid",
            .set(spender, "0xdac17f958d2ee523a2206206994597c13d831ec7")),
        Self(
            "spender-permit2", .permit, "lets Permit2 itself take it", rejection: "recipient-invalid",
            .set(spender, "0x000000000022d473030f116ddee9f6b43ac78ba3")),
        Self(
            "deadline-past", .permit, "has a permit signed that is over", rejection: "deadline-past",
            .set(deadline, "{now+-1}")),
        Self(
            "deadline-after-a-day", .permit, "has a permit good for more than a day", rejection: "deadline-too-far",
            .set(deadline, "{now+86460}")),
        Self(
            "deadline-2100", .permit, "has a permit good until 2100", rejection: "deadline-too-far",
            .set(deadline, "4102444800")),
        Self(
            "deadline-in-milliseconds", .permit, "counts the end in milliseconds", rejection: "deadline-too-far",
            .set(deadline, "{now+600}000")),
        Self(
            "deadline-never", .permit, "has a permit good permanently", rejection: "deadline-too-far",
            .set(deadline, .string("0x" + unlimited))),
    ]

    static let authorizations: [Self] = [
        Self(
            "authorization-from-another", .authorization, "takes from another account", rejection: "(from, ",
            .set("\(message)/from", .string(attacker))),
        Self(
            "authorization-for-more", .authorization, "authorises more than it shows", rejection: "(amount, ",
            .set("\(message)/value", "12500001")),
        Self(
            "authorization-to-payer", .authorization, "pays the payer", rejection: "recipient-invalid",
            .set("\(message)/to", "{payer}")),
        Self(
            "authorization-to-token", .authorization, "pays the token's own contract", rejection: "recipient-invalid",
            .set("\(message)/to", "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913")),
        Self(
            "authorization-later", .authorization, "becomes good tomorrow", rejection: "not-yet-valid",
            .set("\(message)/validAfter", "{now+86400}")),
        Self(
            "authorization-never-ends", .authorization, "is good permanently", rejection: "deadline-too-far",
            .set("\(message)/validBefore", .string("0x" + unlimited))),
        Self(
            "authorization-over", .authorization, "is over already", rejection: "deadline-past",
            .set("\(message)/validBefore", "1")),
        Self(
            "authorization-short-nonce", .authorization, "has a nonce of 31 bytes", rejection: "number-malformed",
            .set("\(message)/nonce", .string("0x" + String(repeating: "1", count: 62)))),
        Self(
            "authorization-of-another-token", .authorization, "authorises another token", rejection: "domain-contract",
            .set("\(domain)/verifyingContract", .string(attacker))),
        Self(
            "authorization-in-another-name", .authorization, "calls the token's domain by another name",
            rejection: "domain-name", .set("\(domain)/name", "USDC")),
        Self(
            "authorization-in-another-version", .authorization, "names another version of the token",
            rejection: "domain-name", .set("\(domain)/version", "1")),
        Self(
            "authorization-on-another-chain", .authorization, "is good on another chain", rejection: "domain-chain",
            .set("\(domain)/chainId", "0x1")),
        Self(
            "authorization-with-permit-types", .authorization, "declares other types than it signs",
            rejection: "(types, ", .set("\(types)/ReceiveWithAuthorization/2/type", "uint128")),
    ]
}
