/// How long routers that share a journal wait for each other.
public struct LeasePolicy: Sendable, Hashable {
    /// How long a router may be silent about a payment before another may take it over. A process that ended is not
    /// waited for where the journal can tell.
    public let duration: Duration
    /// How long a payment that another router is making is waited for.
    public let patience: Duration

    /// Makes a policy. The default lets a payer think for ten minutes, and waits for half a minute.
    public init(duration: Duration = .seconds(600), patience: Duration = .seconds(30)) {
        self.duration = duration
        self.patience = patience
    }
}
