import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An attempt: a row of the table `attempt`.
enum StoredAttempt {
    /// What is read of a row, ten columns.
    static let columns = "number, id, provider, payment, option, key, started, expires, refund, attempt.seal"

    /// A new row, without its number.
    static func values(_ attempt: PaymentAttempt) throws -> [Database.Value] {
        [
            .text(attempt.id.rawValue), .text(attempt.reference.provider.rawValue), .text(attempt.reference.label),
            .text(try StoredOption.text(attempt.option)), .text(attempt.idempotencyKey),
            .real(attempt.startedAt.timeIntervalSinceReferenceDate),
            attempt.expiresAt.map { .real($0.timeIntervalSinceReferenceDate) } ?? .null,
            try attempt.refund.map { .text(try StoredRefund.text($0)) } ?? .null,
            attempt.seal.map { .text($0) } ?? .null,
        ]
    }

    /// Reads a row's number and attempt from ``columns``.
    static func read(_ row: Database.Columns) throws(JournalError) -> (Int64, PaymentAttempt) {
        let id = row.text(1)
        guard let option = try? StoredOption.read(row.text(4)) else {
            throw row.damage("the option of \(id) cannot be read")
        }
        var refund: RefundRequest?
        if !row.isNull(8) {
            refund = try? StoredRefund.read(row.text(8))
            // Taken for a payment, it would be made.
            if refund == nil { throw row.damage("the refund of \(id) cannot be read") }
        }
        guard let reference = StoredReference.reference(row.text(2), row.text(3), isRefund: refund != nil) else {
            throw row.damage("what \(id) is about cannot be read")
        }
        let attempt = PaymentAttempt(
            id: AttemptID(rawValue: id),
            reference: reference, option: option, idempotencyKey: row.text(5),
            startedAt: Date(timeIntervalSinceReferenceDate: row.real(6)),
            expiresAt: row.isNull(7) ? nil : Date(timeIntervalSinceReferenceDate: row.real(7)),
            refund: refund, seal: row.isNull(9) ? nil : row.text(9))
        return (row.integer(0), attempt)
    }
}
