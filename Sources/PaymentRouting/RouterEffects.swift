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
    let autoPay: AutoPay?
    /// Who listens to what happens.
    let listeners = EventListeners()

    /// Whether a record of the journal is what a router with the same key wrote there. Without a key it cannot be told.
    func isSound(_ history: AttemptHistory) -> Bool { journalKey?.isSound(history) ?? true }

    /// Tells everybody who listens what happened.
    func emit(
        _ kind: PaymentEvent.Kind, at provider: ProviderID?, _ reference: PaymentReference? = nil,
        _ attempt: AttemptID? = nil
    ) {
        let event = PaymentEvent(
            date: clock.now, provider: provider, reference: reference, attempt: attempt, kind: kind)
        log(event)
        listeners.emit(event)
    }

    /// Tells everybody who listens what happened to an attempt.
    func emit(_ kind: PaymentEvent.Kind, of attempt: PaymentAttempt) {
        emit(kind, at: attempt.reference.provider, attempt.reference, attempt.id)
    }

    /// The context of one call to a provider or service.
    ///
    /// - Parameters:
    ///   - reference: the payment or refund that the call is about.
    ///   - attempt: the attempt that the call is about.
    ///   - journal: the journal whose lease is kept alive while the provider waits.
    func context(
        for descriptor: ProviderDescriptor, payer: Payer, steps: any StepRunner, about reference: PaymentReference,
        attempt: AttemptID? = nil, journal: LeasedJournal? = nil, link: PaymentLink? = nil
    ) -> ProviderContext {
        let emit = { @Sendable (kind: PaymentEvent.Kind) in self.emit(kind, at: descriptor.id, reference, attempt) }
        var time = clock
        if let journal { time = LeasedClock(base: clock, journal: journal) }
        let hosts = OutboundHosts(descriptor.outboundHosts)
        return ProviderContext(
            http: ObservedTransport(base: GuardedTransport(base: transport, hosts: hosts), emit: emit),
            payer: payer.guarded(for: hosts).observed(by: emit), clock: ObservedClock(base: time, emit: emit),
            random: random, secrets: secrets, link: link, steps: steps
        ) { emit(.note($0)) }
    }
}
