/// How long routers that share a journal wait for each other, and who is cancelled for the payment.
public struct LeasePolicy: Sendable, Hashable {
    /// How long a router may be silent about a payment before another may take it over. A process that ended is not
    /// waited for where the journal can tell.
    public let duration: Duration
    /// How long a payment that another router is making is waited for.
    public let timeout: Duration
    /// How long a cancelled caller waits for the payment's true ending, in real time: a payer's page or wallet need not
    /// notice that it is called off. After that it is told what the journal knows.
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
