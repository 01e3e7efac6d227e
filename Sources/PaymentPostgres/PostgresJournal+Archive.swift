import PaymentCore
public import PaymentRouting
import PaymentStore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension PostgresJournal {
    /// Returns one page of the attempts that match a query. Unlike what payments need, it ends with its task.
    ///
    /// - Throws: ``JournalError``.
    public func attempts(_ query: AttemptQuery) async throws -> AttemptPage {
        var (conditions, values): ([String], [Database.Value]) = (["true"], [])
        func add(_ condition: String, _ value: Database.Value) {
            values.append(value)
            conditions.append("\(condition) $\(values.count)")
        }
        let isAscending = query.order == .oldestFirst
        if let provider = query.provider { add("provider =", .text(provider.rawValue)) }
        if let since = query.since { add("started >=", .real(since.timeIntervalSinceReferenceDate)) }
        if let cursor = query.cursor { add(isAscending ? "number >" : "number <", .integer(cursor.position)) }
        switch query.state {
        case .unfinished: conditions.append("NOT finished")
        case .paid: conditions.append("finished AND paid")
        case .unpaid: conditions.append("finished AND NOT paid")
        case nil: break
        }
        let direction = isAscending ? "ASC" : "DESC"
        values.append(.integer(Int64(min(query.limit, Int.max - 1)) + 1))
        return try await histories(
            """
            attempt.number IN (
                SELECT number FROM \(tables.attempt) WHERE \(conditions.joined(separator: " AND "))
                ORDER BY number \(direction) LIMIT $\(values.count)
            )
            """, values, direction, isCompleted: false
        ).page(query)
    }

    /// The number of attempts that one transaction removes.
    private static let batch = 200

    /// Removes attempts that ended long ago: some at a time, so that payments can be made in between. Several may do so
    /// at once. An attempt whose end was not passed on yet is kept.
    ///
    /// - Returns: the number of attempts removed; fewer where a connection was lost meanwhile.
    /// - Throws: ``JournalError``; attempts removed before the error stay removed.
    public func prune(endedBefore date: Date, keepingProofsSince proofs: Date) async throws -> Int {
        try await forgetSpendings(before: SpendingDay(date, in: .gmt))
        let old = Statement(
            """
            DELETE FROM \(tables.attempt) WHERE number IN (
                SELECT number FROM \(tables.attempt) AS old
                WHERE finished AND ended < $1 AND (ended < $2 OR NOT (paid OR moved)) AND NOT EXISTS (
                    SELECT 1 FROM \(tables.spending) AS kept WHERE kept.attempt = old.id AND kept.state = 'reserved')
                    AND NOT EXISTS (SELECT 1 FROM \(tables.delivery) AS waiting WHERE waiting.attempt = old.number)
                ORDER BY number LIMIT \(Self.batch) FOR UPDATE SKIP LOCKED
            ) RETURNING 1
            """, [.real(date.timeIntervalSinceReferenceDate), .real(proofs.timeIntervalSinceReferenceDate)])
        var count = 0
        while true {
            let removed = try await store.rows(old).cells.count
            count += removed
            guard removed == Self.batch else { return count }
        }
    }
}
