import PaymentCore

// MARK: - Options

/// Tampering with the asset, the payer, and their display data.
extension WalletConnectPaySandbox.TamperedAnswer {
    private static let unit = "/0/amount/unit"
    private static let value = "/0/amount/value"
    private static let symbol = "/0/amount/display/assetSymbol"
    private static let decimals = "/0/amount/display/decimals"
    private static let strangersToken = "0x051f5c2fbbafff87e1bf3e7037d5e5f74597012b"
    private static let permittedToken = "/0/actions/0/data/params/1/message/permitted/token"

    static let options: [Self] = [
        Self(
            "another-chains-money", .permit, "shows POL on Polygon, has money of Ethereum signed for",
            rejection: "option-chain", .set(unit, "caip19/eip155:137/slip44:966"), .set(symbol, "POL"),
            .set(decimals, 18)),
        Self(
            "doge-on-optimism", .coin, "shows a coin that the chain does not have", rejection: "native-coin",
            .set(unit, "caip19/eip155:10/slip44:3"), .set(symbol, "DOGE")),
        Self(
            "ether-on-bnb-chain", .coin, "gives the coin of BNB Smart Chain out as ether", rejection: "native-coin",
            .set(unit, "caip19/eip155:56/slip44:60"), .set("/0/account", "eip155:56:{payer}")),
        Self(
            "fiat-option", .permit, "names dollars instead of a token", rejection: "option-asset",
            .set(unit, "iso4217/USD")),
        Self(
            "collectible", .permit, "names a collectible instead of a token", rejection: "option-asset",
            .set(unit, "caip19/eip155:1/erc721:0xdac17f958d2ee523a2206206994597c13d831ec7")),
        Self(
            "somebody-elses-account", .permit, "has another account pay", rejection: "option-account",
            .set("/0/account", "eip155:1:\(attacker)")),
        Self("amount-zero", .permit, "shows nothing to pay", rejection: "option-amount", .set(value, "0")),
        Self(
            "amount-below-zero", .permit, "shows an amount below zero", rejection: "option-amount", .set(value, "-100")),
        Self(
            "amount-with-zeros", .permit, "writes the amount as octal", rejection: "option-amount", .set(value, "0100")),
        Self(
            "amount-in-hex", .permit, "writes the amount in hexadecimal", rejection: "option-amount",
            .set(value, "0x64")),
        Self(
            "amount-with-exponent", .permit, "writes the amount as 1e2", rejection: "option-amount", .set(value, "1e2")),
        Self(
            "amount-without-end", .permit, "shows more than there can be", rejection: "option-amount",
            .set(value, .string("1" + String(repeating: "0", count: 78)))),
        Self(
            "nothing-drains-all", .coin, "shows 0 ETH, has all tokens sent away", rejection: "option-amount",
            .set(value, "0"), .set("\(transaction)/value", "0x0"), .set("\(transaction)/to", .string(usdc)),
            .set("\(transaction)/data", .string("0xa9059cbb" + attackerWord + unlimited))),
        Self(
            "known-token-with-18-decimals", .permit, "shows 12.50 USDT as 0.0000000000125",
            rejection: "display-decimals",
            .set(decimals, 18)),
        Self(
            "known-token-without-decimals", .permit, "shows 12.50 USDT as 12,500,000", rejection: "display-decimals",
            .set(decimals, 0)),
        Self(
            "decimals-below-zero", .permit, "shows a number of digits below zero", rejection: "display-decimals",
            .set(decimals, -6)),
        Self(
            "decimals-without-end", .permit, "shows a million digits", rejection: "display-decimals",
            .set(decimals, 1_000_000)),
        Self(
            "decimals-as-text", .permit, "writes the digits as a text", rejection: "not as expected",
            .set(decimals, "6")),
        Self(
            "coin-with-24-decimals", .coin, "shows a millionth of the coin", rejection: "display-decimals",
            .set(decimals, 24)),
        Self(
            "another-tokens-name", .permit, "calls USDT by another token's name", rejection: "display-symbol",
            .set(symbol, "USDC")),
        Self(
            "strangers-token", .permit, "calls a stranger's token USDT", rejection: "display-symbol",
            .set(unit, .string("caip19/eip155:1/erc20:" + strangersToken)),
            .set(permittedToken, .string(strangersToken))),
        Self(
            "strangers-token-with-blank", .permit, "calls a stranger's token 'USDT '", rejection: "display-text",
            .set(unit, .string("caip19/eip155:1/erc20:" + strangersToken)),
            .set(permittedToken, .string(strangersToken)),
            .set(symbol, "USDT ")),
        Self(
            "strangers-token-as-coin", .permit, "calls a stranger's token ETH", rejection: "display-symbol",
            .set(unit, .string("caip19/eip155:1/erc20:" + strangersToken)),
            .set(permittedToken, .string(strangersToken)),
            .set(symbol, "ETH")),
        Self(
            "cyrillic-name", .permit, "writes USDT with a Cyrillic letter", rejection: "display-text",
            .set(symbol, "USD\u{0422}")),
        Self(
            "backwards-name", .permit, "turns the writing direction", rejection: "display-text",
            .set(symbol, "\u{202E}TDSU")),
        Self("no-name", .permit, "shows no name at all", rejection: "display-text", .set(symbol, "")),
        Self(
            "name-for-terminals", .permit, "hides a terminal's command in the name", rejection: "display-text",
            .set("/0/amount/display/assetName", "\u{1B}[2JTether")),
        Self(
            "broken-checksum", .permit, "names a token with a wrong digit", rejection: "address-checksum",
            .set(unit, "caip19/eip155:1/erc20:0xdAC17F958D2ee523a2206206994597C13D831eC7")),
        Self(
            "two-options-of-one-name", .permit, "shows 0.01 first, has 1,000 signed", rejection: "id",
            .copy("/0", to: "/1"), .set("/0/amount/value", "1000000000"),
            .set("/0/actions/0/data/params/1/message/permitted/amount", "1000000000"), .set("/1/amount/value", "10000"),
            .set("/1/actions/0/data/params/1/message/permitted/amount", "10000")),
        Self("option-without-name", .permit, "gives the option no name", rejection: "id", .set("/0/id", "")),
    ]
}

// MARK: - Lists of calls

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

// MARK: - Typed data

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

// MARK: - Transactions on EVM chains

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

// MARK: - Solana

/// Tampering with Solana transactions.
extension WalletConnectPaySandbox.TamperedAnswer {
    private static let transactionText = "\(call)/params/0/transaction"

    /// The byte offsets of the honest transaction's parts: one signature, three keys, one transfer. See
    /// ``ForeignCalls``.
    private enum Place {
        static let signature = 1..<65
        static let header = 65
        static let keys = 69
        static let instructions = keys + 3 * 32 + 32
    }

    private static func bytes(
        _ name: String, _ summary: String, rejection: String, _ change: @escaping @Sendable (inout [UInt8]) -> Void
    ) -> Self {
        Self(name, .solana, summary, rejection: rejection, .bytes(transactionText, change))
    }

    /// Another instruction of the System program, after the transfer.
    private static func instruction(
        _ name: String, _ data: [UInt8], _ summary: String, rejection: String, first: Bool = false
    ) -> Self {
        bytes(name, summary, rejection: rejection) { bytes in
            bytes[Place.instructions] = 2
            let added: [UInt8] = [2, 2, 0, 1, UInt8(data.count)] + data
            bytes.insert(contentsOf: added, at: first ? Place.instructions + 1 : bytes.count)
        }
    }

    private static let transfer: [UInt8] = [2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]

    static let solana: [Self] = [
        Self(
            "solana-more", .solana, "has more sent than it shows", rejection: "(amount, ", .set("/0/amount/value", "1")),
        Self(
            "solana-with-6-decimals", .solana, "shows SOL with a token's digits", rejection: "display-decimals",
            .set("/0/amount/display/decimals", 6)),
        Self(
            "solana-other-name", .solana, "calls SOL by another name", rejection: "display-symbol",
            .set("/0/amount/display/assetSymbol", "USDC")),
        Self(
            "solana-other-network", .solana, "names a test network", rejection: "option-",
            .set("/0/amount/unit", "caip19/solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1/slip44:501")),
        Self(
            "solana-unreadable", .solana, "sends what is no transaction", rejection: "solana-malformed",
            .set(transactionText, "AAAA!")),
        Self(
            "solana-with-options", .solana, "hides a member beside the transaction", rejection: "params-shape",
            .set("\(call)/params/0/skipPreflight", true)),
        Self(
            "solana-two-transactions", .solana, "hides a second transaction", rejection: "params-shape",
            .copy("\(call)/params/0", to: "\(call)/params/1")),
        bytes("solana-trailing", "hides bytes behind the transaction", rejection: "solana-malformed") { $0.append(0) },
        bytes("solana-cut", "leaves the end out", rejection: "solana-malformed") { $0.removeLast() },
        bytes("solana-version-1", "uses a version that is not known", rejection: "solana-version") {
            $0.insert(0x81, at: Place.header)
        },
        bytes("solana-lookup-table", "names accounts by a table", rejection: "solana-lookup-table") { bytes in
            bytes.insert(0x80, at: Place.header)
            bytes += [1] + [UInt8](repeating: 7, count: 32) + [1, 0, 0]
        },
        bytes("solana-signed-already", "fills the payer's signature in", rejection: "solana-signers") {
            $0[Place.signature.lowerBound] = 1
        },
        bytes("solana-another-payer", "has another account pay", rejection: "solana-signers") { $0[Place.keys] ^= 1 },
        bytes("solana-unknown-program", "calls an unknown program", rejection: "solana-program") {
            $0[Place.keys + 64] = 9
        },
        bytes("solana-to-the-payer", "sends in a circle", rejection: "solana-") { bytes in
            bytes.replaceSubrange(Place.keys + 32..<Place.keys + 64, with: bytes[Place.keys..<Place.keys + 32])
        },
        instruction("solana-two-transfers", transfer, "has two transfers made", rejection: "list-two-payments"),
        instruction(
            "solana-assign", [1, 0, 0, 0] + [UInt8](repeating: 9, count: 32), "has the account given to a program",
            rejection: "solana-instruction"),
        instruction(
            "solana-allocate", [8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0], "has the account made a program's",
            rejection: "solana-instruction"),
        instruction(
            "solana-durable-nonce", [4, 0, 0, 0], "has a signature made that never ends",
            rejection: "solana-durable-nonce", first: true),
    ]
}
