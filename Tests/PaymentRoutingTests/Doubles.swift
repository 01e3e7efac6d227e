import Foundation
import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTesting
import Synchronization
import TestSupport
import Testing

extension SeededRandomSource {
    func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
    func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}

extension PaymentRouter {
    /// Creates a router of services with the system's clock and random numbers, unless there are others.
    init(
        of services: any PaymentService..., transport: any HTTPTransport = RecordingTransport(),
        journal: any PaymentJournal = InMemoryJournal(), readers: [any InstructionReader] = [],
        clock: any PaymentClock = SystemPaymentClock(), random: any RandomSource = SystemRandomSource(),
        log: PaymentLog = .silent, leases: LeasePolicy = LeasePolicy(), journalKey: JournalKey? = nil,
        autoPay: AutoPay? = nil
    ) throws {
        self.init(
            registry: try ProviderRegistry(services), transport: transport, journal: journal, readers: readers,
            clock: clock, random: random, log: log, leases: leases, journalKey: journalKey, autoPay: autoPay)
    }
}

/// Returns the receipt of a payment that was made.
func receipt(_ outcome: PaymentOutcome) throws -> PaymentReceipt { try #require(outcome.receipt, "\(outcome)") }

/// A place where a double stops until the test lets it continue.
struct Pause: Sendable {
    private let arrival = Gate()
    private let departure = Gate()

    /// Stops here.
    func hold() async {
        await arrival.open()
        await departure.pass()
    }

    /// Returns once something has stopped here.
    func reached() async { await arrival.pass() }

    /// Lets everything continue, now and later.
    func end() async { await departure.open() }
}

extension ProviderContext {
    /// Runs a step that counts how often it was run.
    func count(_ name: String, _ kind: StepKind, in runs: Tally) async throws {
        _ = try await step(name, kind) {
            runs.count(name)
            return true
        }
    }

    /// Runs a step that stops at a pause.
    func hold(_ name: String, _ kind: StepKind, at pause: Pause) async throws {
        _ = try await step(name, kind) {
            await pause.hold()
            return true
        }
    }
}

/// Counts by name.
final class Tally: Sendable {
    private let counts = Mutex<[String: Int]>([:])
    func count(_ name: String) { counts.withLock { $0[name, default: 0] += 1 } }
    subscript(_ name: String) -> Int { counts.withLock { $0[name] ?? 0 } }
}

/// A journal that fails on chosen events.
actor FailingJournal: ForwardingJournal {
    let base = InMemoryJournal()
    private let fails: @Sendable (JournalEntry.Event?) -> Bool

    /// - Parameter fails: returns true if writing this event fails; nil stands for opening an attempt.
    init(_ fails: @escaping @Sendable (JournalEntry.Event?) -> Bool) { self.fails = fails }

    struct Full: Error {}

    private var isLocked = false
    private var isUnreadable = false

    /// Grants no leases from now on.
    func lock() { isLocked = true }

    /// Hides payments from now on.
    func hide() { isUnreadable = true }

    /// The lease that was requested last.
    private(set) var lease: PaymentLease?

    func acquire(_ lease: PaymentLease, at now: Date) async throws -> Bool {
        if isLocked { throw Full() }
        self.lease = lease
        return await base.acquire(lease, at: now)
    }
    func release(_ lease: PaymentLease) async throws {
        if let work = beforeRelease {
            beforeRelease = nil
            try await work()
        }
        await base.release(lease)
    }

    private var beforeRelease: (@Sendable () async throws -> Void)?

    /// Runs `work` before the next lease is released.
    func delayNextRelease(by work: @escaping @Sendable () async throws -> Void) { beforeRelease = work }

    func open(_ attempt: PaymentAttempt, under lease: PaymentLease) async throws {
        if fails(nil) { throw Full() }
        try await base.open(attempt, under: lease)
    }

    func append(_ entry: JournalEntry, to attempt: AttemptID, under lease: PaymentLease) async throws {
        if fails(entry.event) { throw Full() }
        try await base.append(entry, to: attempt, under: lease)
        if case .outcome = entry.event, let work = afterEnding {
            afterEnding = nil
            try await work()
        }
    }

    private var afterEnding: (@Sendable () async throws -> Void)?

    /// Runs `work` after the next outcome is stored, before its writer returns.
    func delayNextEnding(by work: @escaping @Sendable () async throws -> Void) { afterEnding = work }

    private var afterReading: (@Sendable () async -> Void)?

    private var isForgetful = false

    /// Hides single attempts from now on.
    func forget() { isForgetful = true }

    /// Runs `work` before the next reader of one attempt, or of all unfinished ones, gets its result.
    func delayNextReading(by work: @escaping @Sendable () async -> Void) { afterReading = work }

    func history(of attempt: AttemptID) async throws -> AttemptHistory? {
        if isForgetful { throw Full() }
        let history = await base.history(of: attempt)
        await interfere()
        return history
    }
    func histories(of payment: PaymentReference) async throws -> [AttemptHistory] {
        if isUnreadable { throw Full() }
        return await base.histories(of: payment)
    }
    func unfinished() async throws -> [AttemptHistory] {
        let histories = await base.unfinished()
        await interfere()
        return histories
    }

    private func interfere() async {
        guard let work = afterReading else { return }
        afterReading = nil
        await work()
    }
}
