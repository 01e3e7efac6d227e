import PaymentCore
import PaymentRouting

/// The spendings without a question, on the same disk.
extension SimulatedJournal: SpendingStore {
    func reserve(
        _ spending: Spending, within limits: [SpendingLimit], counting worths: SpendingWorths?
    ) async throws -> SpendingVerdict {
        try await account("reserves \(spending.amounts[0]) for \(spending.attempt)") {
            (ledger, _) throws(SpendingError) in
            try ledger.reserve(spending, within: limits, counting: worths)
        }
    }

    func commit(_ attempt: AttemptID) async throws {
        try await account("spends what is reserved for \(attempt)") { (ledger, _) throws(SpendingError) in
            try ledger.commit(attempt)
        }
    }

    func release(_ attempt: AttemptID) async throws {
        try await account("releases what is reserved for \(attempt)") { (ledger, isOpen) throws(SpendingError) in
            try ledger.release(attempt, isOpen: isOpen(attempt))
        }
    }

    // Every ending of a payment reads this: a read takes no time, so that histories without limits stay as they were.

    func spending(of attempt: AttemptID) async throws -> SpendingRecord? {
        try alive()
        return disk.account { $0[attempt] }
    }

    func reservedSpendings() async throws -> [SpendingRecord] {
        try alive()
        return disk.account { $0.reserved }
    }

    func spendings(since day: SpendingDay) async throws -> [SpendingRecord] {
        try alive()
        return disk.account { $0.since(day) }
    }

    /// Changes the spendings, which may fail on a full disk, or after the change, and takes some time.
    private func account<Result: Sendable>(
        _ what: @autoclosure () -> String,
        _ rule: (inout SpendingLedger, (AttemptID) -> Bool) throws(SpendingError) -> Result
    ) async throws -> Result {
        try await begin(what())
        let result = try disk.changeAccount(rule)
        await pause()
        await process.awake()
        guard process.passes("has stored") else { throw SimulatedDiskError.gone }
        if process.world.happens(process.world.faults.diskLate) { throw SimulatedDiskError.late }
        return result
    }
}
