import Foundation
import PaymentCore
import PaymentRouting
import PaymentSimulation
import PaymentTesting
import Synchronization

/// A journal with a mistake: every other call goes to a sound one.
protocol FaultyJournal: PaymentJournal {
    var base: any PaymentJournal { get }
}

extension FaultyJournal {
    func acquire(_ lease: PaymentLease, at now: Date) async throws -> Bool { try await base.acquire(lease, at: now) }
    func renew(_ lease: PaymentLease, at now: Date) async throws { try await base.renew(lease, at: now) }
    func release(_ lease: PaymentLease) async throws { try await base.release(lease) }
    func open(_ attempt: PaymentAttempt, under lease: PaymentLease) async throws {
        try await base.open(attempt, under: lease)
    }
    func append(_ entry: JournalEntry, to attempt: AttemptID, under lease: PaymentLease) async throws {
        try await base.append(entry, to: attempt, under: lease)
    }
    func history(of attempt: AttemptID) async throws -> AttemptHistory? { try await base.history(of: attempt) }
    func histories(of payment: PaymentReference) async throws -> [AttemptHistory] {
        try await base.histories(of: payment)
    }
    func refunds(relatedTo refund: PaymentReference) async throws -> [AttemptHistory] {
        try await base.refunds(relatedTo: refund)
    }
    func unfinished() async throws -> [AttemptHistory] { try await base.unfinished() }
}

/// Reports a mutation's start as stored and does not store it.
struct ForgetfulJournal: FaultyJournal {
    let base: any PaymentJournal

    func append(_ entry: JournalEntry, to attempt: AttemptID, under lease: PaymentLease) async throws {
        if case .stepStarted(_, .mutation) = entry.event { return }
        try await base.append(entry, to: attempt, under: lease)
    }
}

/// Reports a mutation's start as stored, and stores it only with the next entry: too late for a crash in between.
struct HastyJournal: FaultyJournal {
    private final class Backlog: Sendable {
        let entries = Mutex<[AttemptID: JournalEntry]>([:])
    }

    let base: any PaymentJournal
    private let backlog = Backlog()

    init(base: any PaymentJournal) { self.base = base }

    func append(_ entry: JournalEntry, to attempt: AttemptID, under lease: PaymentLease) async throws {
        if case .stepStarted(_, .mutation) = entry.event {
            return backlog.entries.withLock { $0[attempt] = entry }
        }
        if let late = backlog.entries.withLock({ $0.removeValue(forKey: attempt) }) {
            try await base.append(late, to: attempt, under: lease)
        }
        try await base.append(entry, to: attempt, under: lease)
    }
}

/// Reports a person's decision as stored and does not store it.
struct DeafJournal: FaultyJournal {
    let base: any PaymentJournal

    func append(_ entry: JournalEntry, to attempt: AttemptID, under lease: PaymentLease) async throws {
        if case .outcome(.declined(let reason)) = entry.event, reason.code == .decided { return }
        try await base.append(entry, to: attempt, under: lease)
    }
}

/// Grants every lease to every caller.
struct LeaselessJournal: FaultyJournal {
    let base: any PaymentJournal

    func acquire(_ lease: PaymentLease, at now: Date) async throws -> Bool {
        try await base.acquire(shared(lease), at: now)
    }

    func renew(_ lease: PaymentLease, at now: Date) async throws {}

    func release(_ lease: PaymentLease) async throws {}

    func open(_ attempt: PaymentAttempt, under lease: PaymentLease) async throws {
        _ = try await base.acquire(shared(lease), at: attempt.startedAt)
        try await base.open(attempt, under: shared(lease))
    }

    func append(_ entry: JournalEntry, to attempt: AttemptID, under lease: PaymentLease) async throws {
        _ = try await base.acquire(shared(lease), at: entry.date)
        try await base.append(entry, to: attempt, under: shared(lease))
    }

    private func shared(_ lease: PaymentLease) -> PaymentLease {
        PaymentLease(payment: lease.payment, holder: "everyone", duration: lease.duration)
    }
}

/// Takes entries and attempts from the future as current ones: a negative age counts as young.
struct UnsuspectingJournal: FaultyJournal {
    let base: any PaymentJournal
    let clock: any PaymentClock

    func history(of attempt: AttemptID) async throws -> AttemptHistory? {
        try await base.history(of: attempt).map(young)
    }

    func histories(of payment: PaymentReference) async throws -> [AttemptHistory] {
        try await base.histories(of: payment).map(young)
    }

    func unfinished() async throws -> [AttemptHistory] { try await base.unfinished().map(young) }

    private func young(_ history: AttemptHistory) -> AttemptHistory {
        let (attempt, now) = (history.attempt, clock.now)
        return AttemptHistory(
            attempt: PaymentAttempt(
                id: attempt.id, reference: attempt.reference, option: attempt.option,
                idempotencyKey: attempt.idempotencyKey, startedAt: min(attempt.startedAt, now),
                expiresAt: attempt.expiresAt, seal: attempt.seal),
            entries: history.entries.map {
                JournalEntry(date: min($0.date, now), event: $0.event, seal: $0.seal)
            })
    }
}

/// A network that takes a fault of the service as proof that nothing happened.
struct Trusting500: HTTPTransport {
    let base: any HTTPTransport

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let response = try await base.send(request)
        guard response.status == 500 else { return response }
        throw TransportError(.notSent, .tls("a fault of the service"), origin: request.url.origin)
    }
}

/// Ends any attempt in progress at the payment of a notification, without an inquiry.
enum HastyTaking {
    static let taking: Variation.Taking = { notification, provider, router, journal, clock in
        guard let verifier = router.registry.service(provider) as? any NotificationReadingService else {
            throw PaymentError(.unsupported, "the provider takes no notifications", provider: provider)
        }
        let genuine = try verifier.verify(notification)
        let lease = PaymentLease(payment: genuine.reference, holder: "the merchant", duration: .seconds(600))
        let believed = HandledNotification(
            reference: genuine.reference, outcome: PaymentOutcome(stating: genuine.report))
        guard genuine.report.isFinal, try await journal.acquire(lease, at: clock.now) else { return believed }
        if let open = try await journal.histories(of: genuine.reference).last(where: { !$0.isFinished }) {
            let entry = JournalEntry(date: clock.now, event: .outcome(believed.outcome))
            try await journal.append(entry, to: open.attempt.id, under: lease)
        }
        try await journal.release(lease)
        return believed
    }
}

/// States what a message says, however old it is.
struct OldNews {
    /// True to believe that a payment is paid; false to believe that it is not.
    let believesPaid: Bool

    var taking: Variation.Taking {
        { [believesPaid] notification, provider, router, _, _ in
            let handled = try await router.handle(notification, from: provider)
            guard handled.reference.isPayment,
                let verifier = router.registry.service(provider) as? any NotificationReadingService
            else { return handled }
            let report = try verifier.verify(notification).report
            if case .succeeded = report {
                return believesPaid
                    ? HandledNotification(reference: handled.reference, outcome: PaymentOutcome(stating: report))
                    : handled
            }
            guard !believesPaid, report.isFinal else { return handled }
            return HandledNotification(reference: handled.reference, outcome: PaymentOutcome(stating: report))
        }
    }
}

/// Ends an open refund by the notification of any refund with its number.
enum NumberTaking {
    static let taking: Variation.Taking = { notification, provider, router, journal, clock in
        let genuine = try await router.handle(notification, from: provider)
        guard genuine.reference.isRefund,
            let open = try await journal.unfinished().first(where: { $0.attempt.refund?.id == genuine.reference.id })
        else { return genuine }
        let lease = PaymentLease(
            payment: open.attempt.reference, holder: "the merchant", duration: .seconds(600))
        guard try await journal.acquire(lease, at: clock.now) else { return genuine }
        let made = ServiceReport.succeeded(PaymentReceipt(reference: open.attempt.reference))
        try await journal.append(
            JournalEntry(date: clock.now, event: .outcome(made)), to: open.attempt.id, under: lease)
        try await journal.release(lease)
        return genuine
    }
}

/// Steps in which a signature is an answer like any other.
struct UncountedSignatures: StepRunner {
    let context: ProviderContext

    func run(
        _ name: String, _ kind: StepKind, _ body: @escaping @Sendable () async throws -> JSONValue
    ) async throws -> JSONValue {
        if case .signature = kind { return try await context.durable(name, .interaction, body) }
        return try await context.durable(name, kind, body)
    }

    func hasRun(_ name: String) async -> Bool { await context.hasRun(name) }

    func ensureInCharge() async throws { try await context.ensureInCharge() }
}
