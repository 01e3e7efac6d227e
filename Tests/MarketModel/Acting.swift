package import PaymentCore

/// A device or a merchant's server, and the process on it.
package struct Doer: Sendable, Hashable {
    /// Whose journal it is: 0 for the first device.
    package let device: Int
    /// The number of the process.
    package let process: Int

    package init(device: Int, process: Int) {
        self.device = device
        self.process = process
    }
}

/// On whose behalf something happens. Tasks inherit it, so the wallet and the network know it without being told.
package enum Acting {
    /// Who asked the router.
    @TaskLocal package static var doer: Doer?
    /// By which call, counted. Whoever joins a payment under way hears what another call does.
    @TaskLocal package static var call: Int?
    /// The attempt that a provider carries through.
    @TaskLocal package static var attempt: PaymentAttempt?
}
