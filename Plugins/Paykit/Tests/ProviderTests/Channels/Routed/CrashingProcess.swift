import Foundation
import PaykitProvider
import PaymentCore
import PaymentRouting
import PaymentStore
import Synchronization
import TestSupport
import Testing

/// A process that may end at any of its actions: before it, or after it and before its caller receives the result.
final class ProcessLifetime: Sendable {
    struct Ended: Error {}

    private let rest: Mutex<Int>
    private let ended = Mutex(false)

    /// - Parameter actions: the number of actions that it completes; each has two moments at which it may end.
    init(_ actions: Int = .max) { rest = Mutex(actions) }

    var isOver: Bool { ended.withLock { $0 } }

    private func pass() throws {
        let isEnd = rest.withLock { rest in
            rest -= rest == .max ? 0 : 1
            return rest < 0
        }
        if isEnd { ended.withLock { $0 = true } }
        if isEnd { throw Ended() }
    }

    /// Does work that others see, while the process lives.
    func perform<Value: Sendable>(_ work: () async throws -> Value) async throws -> Value {
        try pass()
        let value = try await work()
        try pass()
        return value
    }

    /// Does work that others do not see, while the process lives.
    func read<Value: Sendable>(_ work: () async throws -> Value) async throws -> Value {
        guard !isOver else { throw Ended() }
        return try await work()
    }
}

/// A process of a payer who pays through a router.
struct RoutingProcess: Sendable {
    let router: PaymentRouter
    let provider: PaykitProvider
    var payer: Payer

    typealias Choice = (quote: PaymentQuote, option: PaymentMethodOption.ID)

    /// Chooses the first way to pay a link, without paying yet.
    func choose(_ link: String) async throws -> Choice {
        let quote = try await router.quote(link, as: payer)
        return (quote, try #require(quote.options.first?.id))
    }

    func pay(_ link: String) async -> Result<PaymentOutcome, PaymentError> {
        do throws(PaymentError) { return .success(try await router.pay(link, as: payer)) } catch {
            return .failure(error)
        }
    }

    func pay(_ choice: Choice) async -> Result<PaymentOutcome, PaymentError> {
        do throws(PaymentError) {
            return .success(try await router.pay(choice.quote, option: choice.option, as: payer))
        } catch { return .failure(error) }
    }
}

/// The journal of a process that may end.
struct CrashingJournal: PaymentJournal, SpendingStore {
    let base: InMemoryJournal
    let lifetime: ProcessLifetime

    func acquire(_ lease: PaymentLease, at now: Date) async throws -> Bool {
        try await lifetime.read { await base.acquire(lease, at: now) }
    }
    func renew(_ lease: PaymentLease, at now: Date) async throws {
        try await lifetime.read { try await base.renew(lease, at: now) }
    }
    func release(_ lease: PaymentLease) async throws { try await lifetime.read { await base.release(lease) } }
    func open(_ attempt: PaymentAttempt, under lease: PaymentLease) async throws {
        try await lifetime.perform { try await base.open(attempt, under: lease) }
    }
    func append(_ entry: JournalEntry, to attempt: AttemptID, under lease: PaymentLease) async throws {
        try await lifetime.perform { try await base.append(entry, to: attempt, under: lease) }
    }
    func history(of attempt: AttemptID) async throws -> AttemptHistory? {
        try await lifetime.read { await base.history(of: attempt) }
    }
    func histories(of payment: PaymentReference) async throws -> [AttemptHistory] {
        try await lifetime.read { await base.histories(of: payment) }
    }
    func refunds(relatedTo refund: PaymentReference) async throws -> [AttemptHistory] {
        try await lifetime.read { await base.refunds(relatedTo: refund) }
    }
    func unfinished() async throws -> [AttemptHistory] { try await lifetime.read { await base.unfinished() } }

    func reserve(
        _ spending: Spending, within limits: [SpendingLimit], counting worths: SpendingWorths?
    ) async throws -> SpendingVerdict {
        try await lifetime.perform { try await base.reserve(spending, within: limits, counting: worths) }
    }
    func commit(_ attempt: AttemptID) async throws { try await lifetime.perform { try await base.commit(attempt) } }
    func release(_ attempt: AttemptID) async throws { try await lifetime.perform { try await base.release(attempt) } }
    func spending(of attempt: AttemptID) async throws -> SpendingRecord? {
        try await lifetime.read { await base.spending(of: attempt) }
    }
    func reservedSpendings() async throws -> [SpendingRecord] {
        try await lifetime.read { await base.reservedSpendings() }
    }
    func spendings(since day: SpendingDay) async throws -> [SpendingRecord] {
        try await lifetime.read { await base.spendings(since: day) }
    }
}

/// The records of a process that may end.
struct CrashingRecords: ForwardingRecords {
    let base: any RecordStore
    let lifetime: ProcessLifetime

    func transact(
        _ ranges: [RecordRange], under lease: RecordLease?, at now: Date,
        _ decide: @escaping @Sendable ([[StoredRecord]]) throws -> [RecordWrite]
    ) async throws {
        try await lifetime.perform { try await base.transact(ranges, under: lease, at: now, decide) }
    }
    func records(_ ranges: [RecordRange]) async throws -> [[StoredRecord]] {
        try await lifetime.read { try await base.records(ranges) }
    }
    func records(_ query: RecordQuery) async throws -> [StoredRecord] {
        try await lifetime.read { try await base.records(query) }
    }
}

/// The settler of a process that may end. The node behind it lives on.
struct CrashingSettler: ForwardingSettler {
    let base: any PaymentSettler
    let lifetime: ProcessLifetime
    /// Called before each payment.
    var paying: @Sendable (Settlement) -> Void = { _ in }

    func register(_ name: String) async throws { try await lifetime.perform { try await base.register(name) } }
    func order(named name: String) async throws -> SettlementOrder? {
        try await lifetime.read { try await base.order(named: name) }
    }
    func order(paying endpoint: SettlementEndpoint) async throws -> SettlementOrder? {
        try await lifetime.read { try await base.order(paying: endpoint) }
    }
    func abandon(_ name: String) async throws -> SettlementState {
        try await lifetime.perform { try await base.abandon(name) }
    }
    func settle(_ settlement: Settlement) async throws -> SettlementState {
        try await lifetime.perform {
            paying(settlement)
            return try await base.settle(settlement)
        }
    }
}
