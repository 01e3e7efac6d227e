import PaymentCore

/// Everything the router uses of the world.
struct RouterEffects: Sendable {
    let transport: any HTTPTransport
    let journal: any PaymentJournal
    let clock: any PaymentClock
    let random: any RandomSource
    let secrets: any SecretStore
    let log: PaymentLog
    let journalKey: JournalKey?

    /// Whether a record of the journal is what a router with the same key wrote there. Without a key it cannot be told.
    func isSound(_ history: AttemptHistory) -> Bool { journalKey?.isSound(history) ?? true }

    /// The context of one call to a provider or service.
    ///
    /// - Parameter journal: the journal whose lease is kept alive while the provider waits.
    func context(
        for descriptor: ProviderDescriptor, payer: Payer, steps: any StepRunner, attempt: AttemptID? = nil,
        journal: LeasedJournal? = nil, link: PaymentLink? = nil
    ) -> ProviderContext {
        let log = log
        var time = clock
        if let journal { time = LeasedClock(base: clock, journal: journal) }
        let hosts = OutboundHosts(descriptor.outboundHosts)
        return ProviderContext(
            http: GuardedTransport(base: transport, hosts: hosts), payer: payer.guarded(for: hosts), clock: time,
            random: random, secrets: secrets, link: link, steps: steps
        ) { message in
            log(PaymentEvent(provider: descriptor.id, attempt: attempt, kind: .note, message: message))
        }
    }
}
