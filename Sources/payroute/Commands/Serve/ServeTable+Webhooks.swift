import Foundation
import PaymentCore
import PaymentRouting
import PaymentStore

/// Webhooks that were not taken yet, in the file of the payments that they are about.
extension ServeTable {
    private enum Column: String, StoredColumn {
        static let table = "webhook"
        case number, id, tenant, body, created, due, attempts
    }

    /// Stores the webhook of a payment as it is now. Called in the transaction that changes it.
    func announce(_ payment: ServedPayment, as id: String, at now: Date) throws(JournalError) {
        let state: ServedPayment.State = payment.hasEnded ? .ended : .interrupted
        let body: JSONValue = [
            "type": .string("payment.\(state.rawValue)"), "timestamp": .string(AttemptSummary.text(now)),
            "data": payment.json(state, action: nil),
        ]
        try database.insert(
            Column.self,
            Column.allCases.map { column in
                switch column {
                case .number: .null
                case .id: .text(id)
                case .tenant: .text(payment.tenant)
                case .body: .text(body.text)
                case .created, .due: .real(now.timeIntervalSinceReferenceDate)
                case .attempts: .integer(0)
                }
            })
    }

    /// Returns the webhook of a tenant that is due first; nil when none is left.
    func nextWebhook(of tenant: String) throws -> StoredWebhook? {
        try database.all(Column.self, "WHERE tenant = ?1 ORDER BY due, number LIMIT 1", [.text(tenant)]) {
            (row) throws(JournalError) in
            StoredWebhook(
                number: row.integer(.number), id: row.text(.id), body: row.text(.body),
                created: Date(timeIntervalSinceReferenceDate: row.real(.created)),
                due: Date(timeIntervalSinceReferenceDate: row.real(.due)), attempts: Int(row.integer(.attempts)))
        }.first
    }

    /// Removes a webhook that was taken, or is not sent any more.
    func forget(_ webhook: StoredWebhook) throws {
        try database.transaction { () throws(JournalError) in
            try database.run("DELETE FROM webhook WHERE number = ?1", [.integer(webhook.number)])
        }
    }

    /// Notes a failure to send a webhook.
    func postpone(_ webhook: StoredWebhook, until due: Date) throws {
        try database.transaction { () throws(JournalError) in
            try database.run(
                "UPDATE webhook SET due = ?2, attempts = attempts + 1 WHERE number = ?1",
                [.integer(webhook.number), .real(due.timeIntervalSinceReferenceDate)])
        }
    }
}
