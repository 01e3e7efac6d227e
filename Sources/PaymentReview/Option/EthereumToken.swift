import PaymentCrypto

/// A token of an EVM chain.
struct EthereumToken: Sendable, Hashable {
    let address: EthereumAddress
    /// The name and version of the token's own typed data, where they are certain.
    let domainName: String?
    let domainVersion: String?
}
