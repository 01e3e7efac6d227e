import PaymentCore

/// The `--allow-token` option: tokens that may be paid although no table knows them.
enum AllowTokenOption {
    static let syntax = CommandSyntax.Option(
        name: "allow-token", value: "tokens",
        help:
            "Pay these tokens although no table knows them: CAIP-19, by commas (eip155:1/erc20:0x...). What each is, and in which decimals it counts, is then the service's claim."
    )

    static func read(_ arguments: ParsedArguments) throws(UsageError) -> [AssetID] {
        try arguments.value(syntax.name) { text in
            let tokens = text.split(separator: ",", omittingEmptySubsequences: false).map { try? AssetID(String($0)) }
            return tokens.contains(nil) ? nil : tokens.compactMap(\.self)
        } ?? []
    }
}
