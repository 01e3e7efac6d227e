/// Users of Paykit's generation 3.
extension PubkySandbox.Scenario {
    /// Publishes for Paykit's generation 3 only.
    public static let thirdGeneration = Self(
        "third-generation", "a wallet of generation 3: an invoice and an address",
        .init(methods: Plan.walletMethods, files: Plan.walletFiles))
    /// Publishes as several apps of generation 3; the first has no endpoint.
    public static let receivers = Self(
        "receivers", "several apps of generation 3: an empty wallet, a server, files that are no endpoints",
        .init(
            methods: ["btc-lightning-bolt11"],
            files: [
                Plan.current("aaa/wallet/receiver.json", "{}"),
                Plan.current("shop/server/endpoints/btc-lightning-bolt11", .invoice(2100)),
                Plan.current("shop/server/endpoints/btc-bitcoin-p2tr", #"{"value":"bc1qsomethingelse"}"#),
                Plan.current("shop/server/endpoints/usdt-tron-address", "no JSON"),
                Plan.current("private/shop/server/messages/00/0", "sealed"),
                Plan.current("Not An App/wallet/endpoints/btc-lightning-bolt11", .invoice(1)),
            ]))
    /// Publishes as the first apps of generation 3 did.
    public static let flatIdentifiers = Self(
        "flat-identifiers", "the oldest form of generation 3: identifiers without an app",
        .init(methods: ["btc-lightning-bolt11"], files: [Plan.current("btc-lightning-bolt11", .invoice(2100))]))
    /// Publishes for generations 2 and 3.
    public static let bothGenerations = Self(
        "both-generations", "generations 2 and 3 beside each other, each with its own invoice",
        .init(methods: Plan.walletMethods, files: [Plan.invoice] + Plan.walletFiles))
    /// Publishes in a form that is newer than generation 3.
    public static let appRegistry = Self(
        "app-registry", "a form of Paykit that is newer than generation 3", ends: .nothing,
        .init(files: [
            Plan.current("app-registry.json", #"{"version":1,"kind":"paykit.app_registry","apps":{}}"#),
            Plan.current("apps/bitkit/endpoints/btc-lightning-bolt11", .invoice(2100)),
        ]))

    static let generation3: [Self] = [.thirdGeneration, .receivers, .flatIdentifiers, .bothGenerations, .appRegistry]
}

extension PubkySandbox.Scenario.Plan {
    /// Returns a file below the root of generation 3.
    fileprivate static func current(_ path: String, _ text: String) -> File { ("/pub/paykit/v0/" + path, .text(text)) }

    /// Returns an endpoint of generation 3.
    fileprivate static func current(_ path: String, _ content: Content) -> File {
        ("/pub/paykit/v0/" + path, .framed(#"{"value":"%"}"#, content))
    }

    /// The methods and files of a wallet of generation 3.
    fileprivate static let walletMethods = ["btc-lightning-bolt11", "btc-regtest-p2wpkh"]
    fileprivate static let walletFiles = [
        current("bitkit/wallet/endpoints/btc-lightning-bolt11", .invoice(2100)),
        current("bitkit/wallet/endpoints/btc-regtest-p2wpkh", .address),
    ]
}
