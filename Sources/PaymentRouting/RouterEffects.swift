import PaymentCore

/// The router's outside effects.
struct RouterEffects: Sendable {
    let transport: any HTTPTransport
    let journal: any PaymentJournal
    let clock: any PaymentClock
    let random: any RandomSource
    let secrets: any SecretStore
    let log: PaymentLog
    let journalKey: JournalKey?
    let autoPay: AutoPay?
    /// The listeners to events.
    let listeners = EventListeners()

    /// Returns true if a record of the journal was written by a router with the same key. Without a key every record
    /// counts as sound.
    func isSound(_ history: AttemptHistory) -> Bool { journalKey?.isSound(history) ?? true }

    /// Reports an event to all listeners.
    func emit(
        _ kind: PaymentEvent.Kind, at provider: ProviderID?, _ reference: PaymentReference? = nil,
        _ attempt: AttemptID? = nil
    ) {
        let event = PaymentEvent(
            date: clock.now, provider: provider, reference: reference, attempt: attempt, kind: kind)
        log(event)
        listeners.emit(event)
    }

    /// Reports an event of an attempt to all listeners.
    func emit(_ kind: PaymentEvent.Kind, of attempt: PaymentAttempt) {
        emit(kind, at: attempt.reference.provider, attempt.reference, attempt.id)
    }

    /// Returns the context of one call to a provider or service.
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

extension Ledger {
    /// Creates the ledger of the journal's records, at this time.
    init(_ histories: [AttemptHistory], _ effects: RouterEffects) {
        self.init(histories, now: effects.clock.now, isSound: effects.isSound)
    }
}
