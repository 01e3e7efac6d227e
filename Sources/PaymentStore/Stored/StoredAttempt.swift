package import PaymentCore
package import PaymentRouting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An attempt: a row of the table `attempt`.
package enum StoredAttempt {
    /// The columns that are written when an attempt is opened.
    package enum Column: String, ReferenceColumn {
        package static let table = "attempt"
        case number, id, provider, subject, reference, option, key, started, expires, seal
    }

    /// The condition on the rows of refunds that name their payment, as the index of them has it. The second text is
    /// the first one that is behind all subjects of such refunds.
    package static let namesRefund = "subject >= 'refund of ' AND subject < 'refund of!'"

    /// The columns that an entry is checked against before it is added.
    package enum Status: String, ReferenceColumn {
        package static let table = "attempt"
        case number, provider, subject, reference, finished, paid
    }

    /// Returns true if an attempt takes an entry, as `AttemptHistory.takes(_:)` does.
    package static func takes(_ entry: JournalEntry, _ status: Row<Status>) -> Bool {
        status.integer(.finished) == 0 || entry.provesPayment && status.integer(.paid) == 0
    }

    /// A new row.
    package static func values(_ attempt: PaymentAttempt) throws -> [Database.Value] {
        try Column.allCases.map { column in
            switch column {
            // SQLite numbers the rows.
            case .number: .null
            case .id: .text(attempt.id.rawValue)
            case .provider, .subject, .reference: column.part(of: attempt.reference)
            case .option: .text(try StoredOption.text(attempt.option))
            case .key: .text(attempt.idempotencyKey)
            case .started: .real(attempt.startedAt.timeIntervalSinceReferenceDate)
            case .expires: attempt.expiresAt.map { .real($0.timeIntervalSinceReferenceDate) } ?? .null
            case .seal: attempt.seal.map { .text($0) } ?? .null
            }
        }
    }

    /// Reads an attempt.
    package static func read(_ row: Row<Column>) throws(JournalError) -> PaymentAttempt {
        let id = row.text(.id)
        guard let option = try? StoredOption.read(row.text(.option)) else {
            throw row.damage("the option of \(id) cannot be read")
        }
        let reference = try row.reference()
        guard !reference.isRefund || reference.refundedPayment != nil else {
            throw row.damage("\(id) is a refund of no payment")
        }
        return PaymentAttempt(
            id: AttemptID(rawValue: id), reference: reference, option: option, idempotencyKey: row.text(.key),
            startedAt: Date(timeIntervalSinceReferenceDate: row.real(.started)),
            expiresAt: row.isNull(.expires) ? nil : Date(timeIntervalSinceReferenceDate: row.real(.expires)),
            seal: row.optionalText(.seal))
    }
}
