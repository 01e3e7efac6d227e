package import PaymentCore

/// A device or a merchant's server, and the process on it.
package struct Doer: Sendable, Hashable {
    /// The number of the journal: 0 for the first device.
    package let device: Int
    /// The number of the process.
    package let process: Int

    package init(device: Int, process: Int) {
        self.device = device
        self.process = process
    }
}

/// The origin of an action. Tasks inherit it, so the wallet and the network need no parameter for it.
package enum Acting {
    /// The caller of the router.
    @TaskLocal package static var doer: Doer?
    /// The number of the call. A caller that joins a payment in progress receives another call's events.
    @TaskLocal package static var call: Int?
    /// The attempt that a provider performs.
    @TaskLocal package static var attempt: PaymentAttempt?
}
