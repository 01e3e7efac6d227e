import PaymentCore

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
