import PaymentCore
import PaymentRouting
import PaymentTesting
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Sees everything that leaves a device and can move money: requests, and wallets' transfers. It counts moments, which
/// order statements and events.
final class Witness: Sendable {
    /// An attempt that was passed to a provider.
    struct Known: Sendable {
        let attempt: PaymentAttempt
        let device: Int
        /// The moment at which it was first seen.
        let begun: Int
    }

    /// A request that can move money, or a wallet's broadcast.
    struct Act: Sendable {
        let doer: Doer
        /// The number of the call of the router that it comes from.
        let call: Int?
        let attempt: AttemptID?
        let payment: PaymentReference
        let moment: Int
        /// The wallet's transfer; nil for a request.
        let transfer: Chain.Transfer?
        /// True if it did leave, as far as the device can know.
        var hasLeft = true
    }

    private struct State {
        var moment = 0
        var known: [AttemptID: Known] = [:]
        var order: [AttemptID] = []
        var acts: [Act] = []
        var breaches: [String] = []
        /// Payments that a router was called for under another name than their usual one.
        var renamed: Set<PaymentReference> = []
        /// The calls in which the payer was asked to choose.
        var asking: Set<Int> = []
        /// The attempts that a person has ended before anything left for them.
        var ended: Set<AttemptID> = []
        /// The payments of which a device has lost records, and the devices.
        var lost: [PaymentReference: Set<Int>] = [:]
        /// The attempts for which a settler was asked to pay.
        var settling: Set<AttemptID> = []
        /// Every refund that was asked for.
        var refunds: [RefundRequest] = []
        /// Every capture that was asked for.
        var captures: [CaptureRequest] = []
        /// The attempts that were opened without a question.
        var unasked: Set<AttemptID> = []
    }

    private let state = Mutex(State())
    private let identity: @Sendable (PaymentReference) -> PaymentReference
    /// The signatures of the payers' wallets.
    let signatures: Signatures

    /// - Parameters:
    ///   - clock: the world's clock.
    ///   - identity: the one name of a payment.
    init(clock: any PaymentClock, identity: @escaping @Sendable (PaymentReference) -> PaymentReference) {
        signatures = Signatures(clock: clock)
        self.identity = identity
    }

    /// The one name of a payment.
    func name(of payment: PaymentReference) -> PaymentReference { identity(payment) }

    /// The next moment.
    func tick() -> Int {
        state.withLock { state in
            state.moment += 1
            return state.moment
        }
    }

    /// Records an attempt that is passed to a provider.
    func sees(_ attempt: PaymentAttempt) {
        let doer = Acting.doer
        state.withLock { state in
            guard state.known[attempt.id] == nil else { return }
            state.moment += 1
            state.known[attempt.id] = Known(attempt: attempt, device: doer?.device ?? 0, begun: state.moment)
            state.order.append(attempt.id)
        }
    }

    /// Records a request that can move the money of `payment`.
    ///
    /// - Returns: its number.
    func sends(for payment: PaymentReference, by doer: Doer) -> Int {
        let number = add(payment, doer, nil)
        signatures.handIn(at: state.withLock { $0.acts[number].moment })
        return number
    }

    /// Corrects the record: the request of this number has not left.
    func hasNotLeft(_ number: Int) {
        let moment = state.withLock { state in
            state.acts[number].hasLeft = false
            return state.acts[number].moment
        }
        signatures.takeBack(moment)
    }

    /// Records a transfer of a wallet.
    func broadcast(_ transfer: Chain.Transfer) {
        guard let attempt = Acting.attempt, let doer = Acting.doer else {
            return breach("a wallet sent coins outside of any attempt")
        }
        _ = add(identity(attempt.reference), doer, transfer)
    }

    /// Records that the payer's settler is about to pay.
    func settles() {
        guard let attempt = Acting.attempt, let doer = Acting.doer else {
            return breach("a settler was asked outside of any attempt")
        }
        _ = add(identity(attempt.reference), doer, nil)
        settles(for: attempt.id)
    }

    /// Records that a payer pays for an attempt under the name that all attempts at its payment may have.
    func settles(for attempt: AttemptID) { state.withLock { _ = $0.settling.insert(attempt) } }

    /// True if a settler, or a payer in its place, was asked to pay for an attempt.
    func wasSettled(_ attempt: AttemptID) -> Bool { state.withLock { $0.settling.contains(attempt) } }

    /// Records a call by a link under which the payment has another name.
    func renames(_ payment: PaymentReference) { state.withLock { _ = $0.renamed.insert(payment) } }

    /// True if there was a call for the payment under another name.
    func isRenamed(_ payment: PaymentReference) -> Bool { state.withLock { $0.renamed.contains(payment) } }

    /// Records that the payer is asked to choose.
    func asks() {
        guard let call = Acting.call else { return }
        state.withLock { _ = $0.asking.insert(call) }
    }

    /// Records an opened attempt: without a question, unless the payer was asked in the same call.
    func opens(_ attempt: AttemptID) {
        guard let call = Acting.call else { return }
        state.withLock { if !$0.asking.contains(call) { $0.unasked.insert(attempt) } }
    }

    /// Records that a person has ended an attempt before anything left for it.
    func ends(_ attempt: AttemptID) { state.withLock { _ = $0.ended.insert(attempt) } }

    /// Records that a device has lost records of a payment, or all that it had decided.
    func loses(_ payment: PaymentReference, on device: Int) {
        state.withLock { state in
            _ = state.lost[payment, default: []].insert(device)
            state.ended = []
        }
    }

    /// True if a device has lost records of the payment, or of any payment if it is nil.
    func hasLostRecords(of payment: PaymentReference?) -> Bool {
        state.withLock { state in payment.map { state.lost[$0] != nil } ?? !state.lost.isEmpty }
    }

    /// Records that a merchant asks for a refund.
    func asks(for refund: RefundRequest) {
        state.withLock { if !$0.refunds.contains(refund) { $0.refunds.append(refund) } }
    }

    /// Records that a merchant asks for a capture.
    func asks(for capture: CaptureRequest) {
        state.withLock { if !$0.captures.contains(capture) { $0.captures.append(capture) } }
    }

    /// Every capture that was asked for, oldest first.
    var captures: [CaptureRequest] { state.withLock { $0.captures } }

    /// Every refund that was asked for, oldest first.
    var refunds: [RefundRequest] { state.withLock { $0.refunds } }

    /// True if an attempt was opened without a question.
    func isUnasked(_ attempt: AttemptID) -> Bool { state.withLock { $0.unasked.contains(attempt) } }

    func breach(_ text: String) { state.withLock { $0.breaches.append(text) } }

    private func add(_ payment: PaymentReference, _ doer: Doer, _ transfer: Chain.Transfer?) -> Int {
        let (attempt, call) = (Acting.attempt?.id, Acting.call)
        return state.withLock { state in
            state.moment += 1
            if let attempt, state.ended.contains(attempt) {
                state.breaches.append("\(attempt): something left after a person had ended it")
            }
            state.acts.append(
                Act(
                    doer: doer, call: call, attempt: attempt, payment: payment, moment: state.moment,
                    transfer: transfer))
            return state.acts.count - 1
        }
    }

    // MARK: Looking back

    var breaches: [String] { state.withLock { $0.breaches } }

    func known(_ attempt: AttemptID) -> Known? { state.withLock { $0.known[attempt] } }

    /// The attempts at a payment, oldest first.
    func attempts(at payment: PaymentReference) -> [Known] {
        state.withLock { state in
            state.order.compactMap { state.known[$0] }.filter { identity($0.attempt.reference) == payment }
        }
    }

    /// The acts for a payment, oldest first.
    func acts(for payment: PaymentReference) -> [Act] {
        state.withLock { $0.acts.filter { $0.payment == payment } }
    }

    /// The transfers of wallets, oldest first.
    var broadcasts: [Act] { state.withLock { $0.acts.filter { $0.transfer != nil } } }

    /// The acts of an attempt, oldest first.
    func acts(by attempt: AttemptID) -> [Act] { state.withLock { $0.acts.filter { $0.attempt == attempt } } }

    /// True if a wallet sent coins for this attempt.
    func hasBroadcast(_ attempt: AttemptID) -> Bool { broadcasts.contains { $0.attempt == attempt } }
}

// MARK: - Journal

/// The journal of one process, with a witness of attempts without a question.
struct WitnessedJournal: PaymentJournal, AttemptArchive, SpendingStore {
    private let base: any PaymentJournal & SpendingStore
    private let disk: SimulatedDisk
    private let witness: Witness
    private let excess: @Sendable (PaymentAttempt) async -> [String]
    private let breach: @Sendable (String) async -> Void

    /// A journal without a spending store stays as it is: nothing is paid without a question over it.
    ///
    /// - Parameters:
    ///   - excess: returns by what an attempt that is opened without a question exceeds the limits.
    ///   - breach: called with each, once the attempt is open.
    static func around(
        _ journal: any PaymentJournal, on disk: SimulatedDisk, _ witness: Witness,
        excess: @escaping @Sendable (PaymentAttempt) async -> [String],
        breach: @escaping @Sendable (String) async -> Void
    ) -> any PaymentJournal {
        guard let base = journal as? any PaymentJournal & SpendingStore else { return journal }
        return WitnessedJournal(base: base, disk: disk, witness: witness, excess: excess, breach: breach)
    }

    func open(_ attempt: PaymentAttempt, under lease: PaymentLease) async throws {
        // Before it is stored: a process that crashes then leaves an attempt that others resume.
        var texts: [String] = []
        if attempt.reference.isPayment {
            witness.opens(attempt.id)
            if witness.isUnasked(attempt.id) { texts = await excess(attempt) }
        }
        try await base.open(attempt, under: lease)
        // One that has lost its lease is not opened, and pays nothing.
        for text in texts { await breach(text) }
    }

    func acquire(_ lease: PaymentLease, at now: Date) async throws -> Bool { try await base.acquire(lease, at: now) }
    func renew(_ lease: PaymentLease, at now: Date) async throws { try await base.renew(lease, at: now) }
    func release(_ lease: PaymentLease) async throws { try await base.release(lease) }
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
    func attempts(_ query: AttemptQuery) async throws -> AttemptPage {
        _ = try await base.unfinished()
        return AttemptPage(histories: disk.histories.filter(query.includes).suffix(query.limit), next: nil)
    }
    /// Nothing in a history is old enough.
    func prune(endedBefore date: Date, keepingProofsSince proofs: Date) async throws -> Int { 0 }

    func reserve(
        _ spending: Spending, within limits: [SpendingLimit], counting worths: SpendingWorths?
    ) async throws -> SpendingVerdict {
        try await base.reserve(spending, within: limits, counting: worths)
    }
    func commit(_ attempt: AttemptID) async throws { try await base.commit(attempt) }
    func release(_ attempt: AttemptID) async throws { try await base.release(attempt) }
    func spending(of attempt: AttemptID) async throws -> SpendingRecord? { try await base.spending(of: attempt) }
    func reservedSpendings() async throws -> [SpendingRecord] { try await base.reservedSpendings() }
    func spendings(since day: SpendingDay) async throws -> [SpendingRecord] { try await base.spendings(since: day) }
}

// MARK: - Network

/// The payee's requests of one process that are on their way. One payment's are sent one after the other.
final class PayeeActs: Sendable {
    private let open = Mutex<[PaymentReference: [String]]>([:])

    /// Notes a request, and returns the name of another one about the payment that is on its way.
    func begin(_ name: String, of payment: PaymentReference) -> String? {
        open.withLock { open in
            let other = open[payment]?.first { $0 != name }
            open[payment, default: []].append(name)
            return other
        }
    }

    func end(_ name: String, of payment: PaymentReference) {
        open.withLock { open in
            if let index = open[payment]?.firstIndex(of: name) { open[payment]?.remove(at: index) }
        }
    }
}

/// The network of one process, with a witness of requests that can move money, and a check that a durable record covers
/// each of them when it leaves. The attempt may have ended: while its process was stopped, another one may have taken
/// it over and settled it.
struct WitnessedNetwork: HTTPTransport {
    let base: any HTTPTransport
    let process: SimulatedProcess
    let doer: Doer
    let markets: Markets
    let witness: Witness
    let oracle: Oracle
    let checksDurability: Bool
    /// The requests of the payee's side of the process that have no answer yet.
    let acts: PayeeActs

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        guard let act = markets.act(of: request) else { return try await sendToPay(request) }
        if let other = acts.begin(act.name, of: act.payment) {
            witness.breach("\(act.name) of \(act.payment.id) was requested beside \(other), by one process")
        }
        defer { acts.end(act.name, of: act.payment) }
        return try await base.send(request)
    }

    private func sendToPay(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        guard let payment = markets.payment(movedBy: request) else { return try await base.send(request) }
        if checksDurability {
            let isCovered = process.disk.durableHistories.contains { history in
                markets.identity(of: history.attempt.reference) == payment && history.mayHaveMovedMoney
            }
            if !isCovered { witness.breach("a request for \(payment.id) left before its step was durable") }
        }
        let number = witness.sends(for: payment, by: doer)
        await oracle.checkHandedIn(for: payment)
        do { return try await base.send(request) } catch {
            if error.phase == .notSent { witness.hasNotLeft(number) }
            throw error
        }
    }
}
