/// The waiting times of routers that share a journal, and of callers that are cancelled.
public struct LeasePolicy: Sendable, Hashable {
    /// The time that a router may be silent about a payment before another may take it over. A process that ended is
    /// not waited for where the journal can detect that.
    public let duration: Duration
    /// The longest wait for a payment that another router is making.
    public let timeout: Duration
    /// The time for which a cancelled caller waits for the payment's true ending, in real time: a payer's page or
    /// wallet need not notice the cancellation. After that the caller receives the journal's result.
    public let grace: Duration

    /// Creates a policy. The default lets a payer think for ten minutes, waits for half a minute, and for five seconds
    /// when cancelled.
    public init(
        duration: Duration = .seconds(600), timeout: Duration = .seconds(30), grace: Duration = .seconds(5)
    ) {
        self.duration = duration
        self.timeout = timeout
        self.grace = grace
    }
}
