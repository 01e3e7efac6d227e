import PaykitProvider

/// Simulated money received by one of the sandbox's users.
struct PubkyReceived: Sendable {
    let payee: PubkyKey
    /// `lightning` or `onchain`.
    let method: String
    /// In satoshi.
    let amount: UInt64
    /// The payment hash of the invoice, or the id of the transaction.
    let name: String
    /// Seconds of Unix time.
    let time: UInt64
}
