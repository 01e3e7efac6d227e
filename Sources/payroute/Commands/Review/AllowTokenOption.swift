import PaymentCore

/// The `--allow-token` option: tokens that may be paid although no table knows them.
enum AllowTokenOption {
    static let syntax = CommandSyntax.Option(
        name: "allow-token", value: "tokens",
        help:
            "Pay these tokens although no table knows them: CAIP-19, comma-separated (eip155:1/erc20:0x...). Their names and decimals are then the service's claims.",
        form: "CAIP-19 ids, comma-separated: eip155:1/erc20:0x...")

    static func read(_ arguments: ParsedArguments) throws(UsageError) -> [AssetID] {
        try arguments.value(syntax.name) { text in
            let tokens = text.split(separator: ",", omittingEmptySubsequences: false).map { try? AssetID(String($0)) }
            return tokens.contains(nil) ? nil : tokens.compactMap(\.self)
        } ?? []
    }
}
