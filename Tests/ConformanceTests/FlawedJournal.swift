import Foundation
import PaymentCore
import PaymentRouting
import PaymentTesting

/// A journal with one flaw, or with none.
actor FlawedJournal: PaymentJournal, AttemptArchive {
    enum Flaw: String, CaseIterable, Sendable {
        case sharesLeases, expiresEarly, neverExpires, dropsLateHolders, writingDoesNotRenew, anyoneReleases,
            looksThenTakes
        case noFence, openingUnfenced, ignoresPayment, dropsSeals, roundsDates, losesAmounts, newestFirst, sortsByDate
        case manyUnfinished, replacesAttempts, takesUnknown, writesAfterEnd, pendingEnds, abandonedGoesOn, keepsAnswers
        case keepsAnswersOfAbandoned, erasesEarly, erasesEverything, looseNames, looseHolders, mixesSubjects
        case readsThenWrites, seesOnlyItself, leasesOfItsOwn, syncsLate, syncsSendsLate, losesOpenings, losesMiddle
        case refundsOfPaymentOnly, refundsByIDOnly, refundsOfAllAccounts, openRefundsOnly
        case repeatsPageEnds, ignoresSince, ignoresState, pagesByDate, prunesUnfinished, prunesProofs, prunesNothing

        /// The probe that has to find it.
        var probe: JournalConformance.Probe {
            switch self {
            case .sharesLeases: .exclusion
            case .expiresEarly, .neverExpires, .dropsLateHolders: .expiry
            case .writingDoesNotRenew: .renewal
            case .anyoneReleases: .release
            case .looksThenTakes: .race
            case .noFence, .openingUnfenced: .fence
            case .ignoresPayment: .foreignLease
            case .dropsSeals, .roundsDates, .losesAmounts: .fidelity
            case .newestFirst, .sortsByDate: .order
            case .manyUnfinished: .oneUnfinished
            case .replacesAttempts, .takesUnknown: .identity
            case .writesAfterEnd, .pendingEnds, .abandonedGoesOn: .ending
            case .keepsAnswers, .keepsAnswersOfAbandoned, .erasesEarly, .erasesEverything: .erasure
            case .looseNames, .looseHolders: .exactNames
            case .mixesSubjects: .subjects
            case .refundsOfPaymentOnly, .refundsByIDOnly, .refundsOfAllAccounts, .openRefundsOnly: .refunds
            case .readsThenWrites: .concurrency
            case .seesOnlyItself, .leasesOfItsOwn: .sharing
            case .syncsLate, .syncsSendsLate, .losesOpenings, .losesMiddle: .powerLoss
            case .repeatsPageEnds, .ignoresSince, .ignoresState, .pagesByDate: .pages
            case .prunesUnfinished, .prunesProofs, .prunesNothing: .pruning
            }
        }
    }

    private let flaw: Flaw?
    private var holdings: [String: (holder: String, end: Date)] = [:]
    private var rows: [AttemptHistory] = []
    /// The number of durable entries of an attempt; nil if its opening is not durable.
    private var durable: [AttemptID: Int] = [:]

    init(_ flaw: Flaw?) { self.flaw = flaw }

    static func subject(_ flaw: Flaw?) -> JournalSubject {
        JournalSubject(flaw?.rawValue ?? "sound") {
            let journal = FlawedJournal(flaw)
            return JournalSubject.Storage(
                journal,
                reopen: {
                    flaw == .seesOnlyItself || flaw == .leasesOfItsOwn ? await journal.copy() : journal
                },
                losePower: { await journal.afterPowerLoss() })
        }
    }

    /// The view of another process: the current state, or nothing.
    private func copy() async -> FlawedJournal {
        let copy = FlawedJournal(flaw)
        if flaw == .leasesOfItsOwn { await copy.fill(rows) }
        return copy
    }

    private func fill(_ rows: [AttemptHistory]) { self.rows = rows }

    private func afterPowerLoss() async -> FlawedJournal {
        let left = FlawedJournal(flaw)
        await left.fill(
            rows.compactMap { row in
                guard let count = durable[row.attempt.id] else { return nil }
                var entries = Array(row.entries.prefix(count))
                if flaw == .losesMiddle, entries.count > 2 { entries.remove(at: 1) }
                return AttemptHistory(attempt: row.attempt, entries: entries)
            })
        return left
    }

    // MARK: Names

    private func key(_ payment: PaymentReference) -> String {
        let id = flaw == .looseNames ? payment.id.precomposedStringWithCanonicalMapping : payment.id
        let prefix = flaw == .mixesSubjects ? "payment:" : "\(payment.parts[1]):"
        return "\(payment.provider.rawValue)/\(prefix)" + Data(id.utf8).map { "\($0)" }.joined(separator: ",")
    }

    private func isSame(_ left: String, _ right: String) -> Bool {
        flaw == .looseHolders ? left == right : left.utf8.elementsEqual(right.utf8)
    }

    // MARK: Leases

    func acquire(_ lease: PaymentLease, at now: Date) async throws -> Bool {
        let key = key(lease.payment)
        if let holding = holdings[key], !isSame(holding.holder, lease.holder), flaw != .sharesLeases {
            let end = flaw == .expiresEarly ? holding.end.addingTimeInterval(-1) : holding.end
            guard end <= now, flaw != .neverExpires else { return false }
        }
        if flaw == .looksThenTakes { await Task.yield() }
        holdings[key] = (lease.holder, lease.end(from: now))
        return true
    }

    func renew(_ lease: PaymentLease, at now: Date) throws {
        let key = key(lease.payment)
        guard let holding = holdings[key], isSame(holding.holder, lease.holder) else {
            throw JournalError.leaseLost(lease.payment)
        }
        if flaw == .dropsLateHolders, holding.end <= now { throw JournalError.leaseLost(lease.payment) }
        holdings[key] = (lease.holder, lease.end(from: now))
    }

    func release(_ lease: PaymentLease) {
        let key = key(lease.payment)
        guard let holding = holdings[key] else { return }
        if flaw == .anyoneReleases || isSame(holding.holder, lease.holder) { holdings[key] = nil }
    }

    private func write(under lease: PaymentLease, at now: Date) throws {
        let before = holdings[key(lease.payment)]
        try renew(lease, at: now)
        if flaw == .writingDoesNotRenew { holdings[key(lease.payment)] = before }
    }

    // MARK: Attempts

    func open(_ attempt: PaymentAttempt, under lease: PaymentLease) throws {
        guard key(attempt.reference) == key(lease.payment) || flaw == .ignoresPayment else {
            throw JournalError.leaseLost(attempt.reference)
        }
        if flaw != .openingUnfenced { try write(under: lease, at: attempt.startedAt) }
        if let index = rows.firstIndex(where: { $0.attempt.id == attempt.id }) {
            guard flaw == .replacesAttempts else { throw JournalError.duplicateAttempt(attempt.id) }
            rows.remove(at: index)
        }
        if let open = rows.first(where: { isAbout($0, attempt.reference) && !isFinished($0) }), flaw != .manyUnfinished
        {
            throw JournalError.unfinishedAttempt(open.attempt.id)
        }
        var attempt = attempt
        if flaw == .dropsSeals { attempt.seal = nil }
        rows.append(AttemptHistory(attempt: attempt))
        durable[attempt.id] = flaw == .losesOpenings ? nil : 0
    }

    func append(_ entry: JournalEntry, to id: AttemptID, under lease: PaymentLease) async throws {
        guard var row = rows.first(where: { $0.attempt.id == id }) else {
            if flaw == .takesUnknown { return }
            throw JournalError.unknownAttempt(id)
        }
        guard key(row.attempt.reference) == key(lease.payment) || flaw == .ignoresPayment else {
            throw JournalError.leaseLost(row.attempt.reference)
        }
        if flaw != .noFence { try write(under: lease, at: entry.date) }
        let isTaken = !isFinished(row) || entry.provesPayment && !row.entries.contains(where: \.provesPayment)
        guard isTaken || flaw == .writesAfterEnd else { throw JournalError.finishedAttempt(id) }
        if flaw == .readsThenWrites { await Task.yield() }
        let isKept = !entry.mayBeLost(afterMutation: row.hasBegunMutation)
        row.entries.append(stored(entry))
        erase(&row, entry)
        if let index = rows.firstIndex(where: { $0.attempt.id == id }) { rows[index] = row }
        if isKept, !isSyncedLate(entry) { durable[id] = row.entries.count }
    }

    private func isSyncedLate(_ entry: JournalEntry) -> Bool {
        switch entry.event {
        case .stepStarted(_, .mutation): flaw == .syncsLate
        case .stepStarted(_, .walletTransfer), .stepFinished("send", _): flaw == .syncsSendsLate
        default: false
        }
    }

    private func stored(_ entry: JournalEntry) -> JournalEntry {
        var (date, event) = (entry.date, entry.event)
        if flaw == .roundsDates {
            date = Date(timeIntervalSinceReferenceDate: (date.timeIntervalSinceReferenceDate * 1000).rounded() / 1000)
        }
        if flaw == .losesAmounts, case .outcome(.succeeded(let receipt)) = event {
            event = .outcome(
                .succeeded(PaymentReceipt(reference: receipt.reference, transactionID: receipt.transactionID)))
        }
        return JournalEntry(date: date, event: event, seal: flaw == .dropsSeals ? nil : entry.seal)
    }

    private func erase(_ row: inout AttemptHistory, _ entry: JournalEntry) {
        if flaw == .erasesEarly, case .outcome = entry.event { row.eraseInteractions() }
        guard entry.isEnding, flaw != .keepsAnswers else { return }
        if flaw == .keepsAnswersOfAbandoned, case .abandoned = entry.event { return }
        row.eraseInteractions()
        guard flaw == .erasesEverything else { return }
        row.entries = row.entries.map { entry in
            guard case .stepFinished(let name, _) = entry.event else { return entry }
            return JournalEntry(date: entry.date, event: .stepFinished(name: name, result: nil), seal: entry.seal)
        }
    }

    private func isFinished(_ row: AttemptHistory) -> Bool {
        switch (flaw, row.entries.last?.event) {
        case (.pendingEnds, .outcome(.pending)): true
        case (.abandonedGoesOn, .abandoned): false
        default: row.isFinished
        }
    }

    private func isAbout(_ row: AttemptHistory, _ payment: PaymentReference) -> Bool {
        key(row.attempt.reference) == key(payment)
    }

    private func ordered(_ rows: [AttemptHistory]) -> [AttemptHistory] {
        switch flaw {
        case .newestFirst: rows.reversed()
        case .sortsByDate: rows.sorted { $0.attempt.startedAt < $1.attempt.startedAt }
        default: rows
        }
    }

    func history(of id: AttemptID) -> AttemptHistory? { rows.first { $0.attempt.id == id } }

    func histories(of payment: PaymentReference) -> [AttemptHistory] { ordered(rows.filter { isAbout($0, payment) }) }

    func refunds(relatedTo refund: PaymentReference) -> [AttemptHistory] {
        ordered(
            rows.filter { row in
                let reference = row.attempt.reference
                return switch flaw {
                case .refundsOfPaymentOnly: reference.subject == refund.subject && reference.provider == refund.provider
                case .refundsByIDOnly: reference.refundName == refund.refundName && reference.isRefund
                case .refundsOfAllAccounts:
                    reference.isRefund
                        && (reference.id == refund.id || reference.subject == refund.subject)
                case .openRefundsOnly: !row.isFinished && reference.isRefund(relatedTo: refund)
                default: reference.isRefund(relatedTo: refund)
                }
            })
    }

    func unfinished() -> [AttemptHistory] { ordered(rows.filter { !isFinished($0) }) }

    // MARK: Archive

    func attempts(_ query: AttemptQuery) -> AttemptPage {
        var wanted = query
        if flaw == .ignoresSince { wanted.since = nil }
        if flaw == .ignoresState { wanted.state = nil }
        var numbered = rows.enumerated().map { (place: Int64($0.offset), row: $0.element) }
        if flaw == .pagesByDate { numbered.sort { $0.row.attempt.startedAt < $1.row.attempt.startedAt } }
        if query.order == .newestFirst { numbered.reverse() }
        numbered = numbered.filter { place, row in
            guard let cursor = query.cursor?.position else { return wanted.includes(row) }
            let isBehind = query.order == .oldestFirst ? place > cursor : place < cursor
            return wanted.includes(row) && (isBehind || flaw == .repeatsPageEnds && place == cursor)
        }
        let page = numbered.prefix(query.limit)
        return AttemptPage(
            histories: page.map(\.row),
            next: numbered.count > query.limit ? page.last.map { AttemptCursor(position: $0.place) } : nil)
    }

    func prune(endedBefore date: Date, keepingProofsSince proofs: Date) -> Int {
        let count = rows.count
        rows.removeAll { row in
            switch flaw {
            case .prunesNothing: false
            case .prunesUnfinished: !row.isFinished && row.attempt.startedAt < date
            case .prunesProofs: row.endedAt.map { $0 < date } ?? false
            default: row.isPruned(endedBefore: date, keepingProofsSince: proofs)
            }
        }
        return count - rows.count
    }
}
