import PaymentCore
import PaymentRouting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The conditions by which attempts are listed and removed.
enum ArchiveStatements {
    /// The number of attempts removed in one transaction.
    static let batch = 200

    /// Returns the conditions for a page and one attempt more, and their values.
    static func page(_ query: AttemptQuery) -> (filter: String, values: [Database.Value]) {
        var (conditions, values): ([String], [Database.Value]) = (["1"], [])
        func add(_ condition: String, _ value: Database.Value) {
            values.append(value)
            conditions.append("\(condition) ?\(values.count)")
        }
        let isAscending = query.order == .oldestFirst
        if let provider = query.provider { add("provider =", .text(provider.rawValue)) }
        if let since = query.since { add("started >=", .real(since.timeIntervalSinceReferenceDate)) }
        if let cursor = query.cursor { add(isAscending ? "number >" : "number <", .integer(cursor.position)) }
        switch query.state {
        case .unfinished: conditions.append("finished = 0")
        case .paid: conditions.append("finished = 1 AND paid = 1")
        case .unpaid: conditions.append("finished = 1 AND paid = 0")
        case nil: break
        }
        let direction = isAscending ? "ASC" : "DESC"
        // SQLite counts in 64 bits.
        values.append(.integer(Int64(min(query.limit, Int.max - 1)) + 1))
        let filter = """
            WHERE attempt.number IN (
                SELECT number FROM attempt WHERE \(conditions.joined(separator: " AND "))
                ORDER BY number \(direction) LIMIT ?\(values.count)
            ) ORDER BY attempt.number \(direction), entry.position
            """
        return (filter, values)
    }

    /// The numbers of some attempts that ended before `?1`; proofs only if they ended before `?2` too. Those that money
    /// is still reserved for are needed to settle the reservation.
    static let old = """
        SELECT number FROM attempt
        WHERE finished = 1 AND ended < ?1 AND (ended < ?2 OR (paid = 0 AND NOT EXISTS (
            SELECT 1 FROM entry
            WHERE attempt = number AND \(StoredEntry.beginsMutation)
        ))) AND NOT EXISTS (SELECT 1 FROM spending WHERE spending.attempt = attempt.id AND state = 'reserved')
        ORDER BY number LIMIT \(batch)
        """
}
