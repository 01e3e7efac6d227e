import Foundation
import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTesting
import TestSupport

/// A provider with scripted methods, which counts the calls.
struct ScriptedProvider: RedirectCompletingProvider {
    typealias Pay = @Sendable (PaymentAttempt, ProviderContext) async throws -> ServiceReport
    typealias Status = @Sendable (PaymentReference, ProviderContext) async throws -> ServiceReport

    var descriptor = ProviderDescriptor(
        id: "acme", name: "Acme", patterns: [.host("pay.acme.example"), .returnURL("shop://paid")],
        outboundHosts: ["api.acme.example"])
    var match: @Sendable (PaymentLink) -> LinkMatch? = ScriptedProvider.match
    var options: [PaymentMethodOption] = [.euros("card")]
    var quotedOutcome: ServiceReport?
    /// The reference of the quote, if it differs from the request's.
    var quotedReference: PaymentReference?
    var payee = Payee(name: "Shop")
    var expiresAt: Date?
    /// Runs during the quote.
    var quoteBody: @Sendable () async throws -> Void = {}
    var payBody: Pay = { attempt, _ in .succeeded(PaymentReceipt(reference: attempt.reference)) }
    var statusBody: Status?
    var completeBody: Pay = { attempt, _ in
        .succeeded(PaymentReceipt(reference: attempt.reference, transactionID: "completed"))
    }
    let calls = Tally()

    static let link = "https://pay.acme.example/?id=p1"
    static let reference = PaymentReference(provider: "acme", id: "p1")

    static func match(_ link: PaymentLink) -> LinkMatch? {
        guard let id = link.queryItems.values("id").first else { return nil }
        return LinkMatch(.payment(String(id)), role: link.scheme == "shop" ? .callback : .payment)
    }

    func recognize(_ link: PaymentLink) -> LinkMatch? { match(link) }

    func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> ProviderQuote {
        calls.count("quote")
        try await quoteBody()
        return ProviderQuote(
            reference: quotedReference ?? request.reference, payee: payee, amount: nil, options: options,
            expiresAt: expiresAt, report: quotedOutcome)
    }

    func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport {
        calls.count("pay")
        return try await payBody(attempt, context)
    }

    func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        calls.count("status")
        if let statusBody { return try await statusBody(payment, context) }
        // A payment of which nothing was sent is open.
        let isOpen = calls["left unsent"] > 0 && calls["pay"] == 0
        return isOpen ? .pending(retryAfter: nil) : .succeeded(PaymentReceipt(reference: payment))
    }

    func complete(
        _ callback: PaymentLink, for attempt: PaymentAttempt, in context: ProviderContext
    ) async throws -> ServiceReport {
        calls.count("complete")
        return try await completeBody(attempt, context)
    }
}

extension ProviderDescriptor {
    /// The scripted provider's, with a window in which its service recognises a repeated request.
    static func acme(replayWindow: Duration) -> ProviderDescriptor {
        let usual = ScriptedProvider().descriptor
        return ProviderDescriptor(
            id: usual.id, name: usual.name, patterns: usual.patterns, outboundHosts: usual.outboundHosts,
            replayWindow: replayWindow)
    }
}

/// A provider in front of the scripted one, of which a double replaces some methods; the rest is forwarded.
protocol ForwardingProvider: PaymentProvider {
    var base: ScriptedProvider { get }
}

extension ForwardingProvider {
    var descriptor: ProviderDescriptor { base.descriptor }
    func recognize(_ link: PaymentLink) -> LinkMatch? { base.recognize(link) }
    func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> ProviderQuote {
        try await base.quote(request, in: context)
    }
    func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport {
        try await base.pay(attempt, in: context)
    }
    func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        try await base.status(of: payment, in: context)
    }
}

extension PaymentMethodOption {
    /// Ten euros.
    static func euros(_ id: String, needs: [PayerNeed] = [], expiresAt: Date? = nil) -> PaymentMethodOption {
        PaymentMethodOption(id: id, title: id, amount: .cents(1000), needs: needs, expiresAt: expiresAt)
    }
}

extension Money {
    static func cents(_ cents: UInt128, _ currency: Currency = .eur) -> Money {
        guard let money = try? Money(minorUnits: cents, currency: currency) else {
            preconditionFailure("small amounts exist")
        }
        return money
    }
}

/// The surroundings of one payment.
struct World {
    var provider = ScriptedProvider()
    var transport = RecordingTransport()
    var journal: any PaymentJournal = InMemoryJournal()
    var key: JournalKey?
    /// A cancelled caller waits in real time: long enough for the true outcome on the busiest machine.
    var leases = LeasePolicy(grace: .seconds(3600))
    let clock = VirtualClock()
    var autoPay: AutoPay?
    var random = SeededRandomSource(seed: 1)

    var router: PaymentRouter { get throws { try router(telling: .silent) } }

    /// Creates a router of other services than the scripted provider.
    func router(of services: any PaymentService..., key: JournalKey? = nil) throws -> PaymentRouter {
        PaymentRouter(
            registry: try ProviderRegistry(services), transport: transport, journal: journal, clock: clock,
            random: random, journalKey: key)
    }

    func router(telling log: PaymentLog) throws -> PaymentRouter {
        PaymentRouter(
            registry: try ProviderRegistry([provider]), transport: transport, journal: journal, clock: clock,
            random: random, log: log, leases: leases, journalKey: key, autoPay: autoPay)
    }

    func pay(as payer: Payer = .careless) async throws -> PaymentOutcome {
        try await router.pay(ScriptedProvider.link, as: payer)
    }

    var histories: [AttemptHistory] {
        get async throws { try await journal.histories(of: ScriptedProvider.reference) }
    }

    /// Leaves an attempt in the journal as after a crash.
    func crashed(_ events: [JournalEntry.Event]) async throws -> AttemptID {
        try await leave(PaymentAttempt(from: clock.now), events)
    }

    /// Leaves an attempt in the journal as after a crash.
    @discardableResult
    func leave(_ attempt: PaymentAttempt, _ events: [JournalEntry.Event] = []) async throws -> AttemptID {
        try await leave(
            AttemptHistory(attempt: attempt, entries: events.map { JournalEntry(date: clock.now, event: $0) }))
        return attempt.id
    }

    /// Stores an attempt in the journal as an earlier process would have left it.
    func leave(_ history: AttemptHistory) async throws {
        if !history.mayHaveMovedMoney { provider.calls.count("left unsent") }
        try await journal.leave(history, at: clock.now)
    }
}

extension PaymentAttempt {
    /// Creates an attempt that an earlier process began at `date`.
    init(
        _ id: String = "att_crashed", at reference: PaymentReference = ScriptedProvider.reference,
        option: PaymentMethodOption = .euros("card"), key: String = "key", from date: Date, until end: Date? = nil
    ) {
        self.init(
            id: AttemptID(rawValue: id), reference: reference, option: option, idempotencyKey: key, startedAt: date,
            expiresAt: end)
    }
}

extension PaymentJournal {
    /// Stores an attempt as a process leaves it that crashes.
    func leave(_ history: AttemptHistory, at now: Date) async throws {
        let lease = PaymentLease(payment: history.attempt.reference, holder: "crashed", duration: .seconds(1))
        _ = try await acquire(lease, at: now)
        try await open(history.attempt, under: lease)
        for entry in history.entries { try await append(entry, to: history.attempt.id, under: lease) }
        try await release(lease)
    }

    /// Stores an attempt with these events as a process leaves it that crashes at once.
    @discardableResult
    func leave(_ attempt: PaymentAttempt, _ events: [JournalEntry.Event] = []) async throws -> AttemptID {
        let entries = events.map { JournalEntry(date: attempt.startedAt, event: $0) }
        try await leave(AttemptHistory(attempt: attempt, entries: entries), at: attempt.startedAt)
        return attempt.id
    }
}

extension HTTPRequest {
    /// The request that moves the money.
    static func capture(host: String = "api.acme.example", replay: Replay? = nil) throws -> HTTPRequest {
        HTTPRequest(.post, try HTTPURL("https://\(host)/capture"), replay: replay)
    }
}

extension AttemptHistory {
    /// The claim that says the same as the outcome.
    var report: ServiceReport? { outcome?.report }
}
