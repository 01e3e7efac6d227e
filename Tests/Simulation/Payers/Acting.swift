import PaymentCore

/// A device or a merchant's server, and the process on it.
struct Doer: Sendable, Hashable {
    /// Whose journal it is: 0 for the first device.
    let device: Int
    /// The number of the process.
    let process: Int
}

/// On whose behalf something happens. Tasks inherit it, so the wallet and the network know it without being told.
enum Acting {
    /// Who asked the router.
    @TaskLocal static var doer: Doer?
    /// By which call, counted. Whoever joins a payment under way hears what another call does.
    @TaskLocal static var call: Int?
    /// The attempt that a provider carries through.
    @TaskLocal static var attempt: PaymentAttempt?
}
