package import PaykitProvider
import PaymentCore
package import PaymentRouting
package import PaymentStore

/// A receipt of a payment over a private channel, as a row of the receipts file.
package enum StoredReceiptRow {
    package enum Column: String, StoredColumn {
        package static let table = "receipt"
        case payer, payee, name, method, amount, currency, created, stage, metadata, proof
    }

    /// The condition on the receipt of an id; its values are ``key(_:)``.
    static let isKey = "payer = ?1 AND payee = ?2 AND name = ?3"

    static func key(_ id: ChannelReceipt.ID) -> [Database.Value] { [.text(id.payer), .text(id.payee), .text(id.name)] }

    /// The values of a new row, in the order of the columns.
    package static func values(_ receipt: ChannelReceipt) -> [Database.Value] {
        Column.allCases.map { value($0, of: receipt) }
    }

    package static func value(_ column: Column, of receipt: ChannelReceipt) -> Database.Value {
        switch column {
        case .payer: .text(receipt.id.payer)
        case .payee: .text(receipt.id.payee)
        case .name: .text(receipt.id.name)
        case .method: .text(receipt.method)
        case .amount: receipt.amount.map { .text($0) } ?? .null
        case .currency: receipt.currency.map { .text($0) } ?? .null
        case .created: .integer(receipt.createdAt)
        case .stage: .text(rawValue(receipt.stage))
        case .metadata: .text(receipt.metadata.text)
        case .proof: receipt.proof.map { .text($0.text) } ?? .null
        }
    }

    package static func receipt(_ row: Row<Column>) throws(JournalError) -> ChannelReceipt {
        guard let stage = ChannelReceipt.Stage.allCases.first(where: { rawValue($0) == row.text(.stage) }),
            let metadata = try? JSONValue(parsing: row.text(.metadata))
        else { throw row.damage("a receipt cannot be read") }
        var proof: JSONValue?
        if let text = row.optionalText(.proof) {
            proof = try? JSONValue(parsing: text)
            if proof == nil { throw row.damage("the proof of a receipt cannot be read") }
        }
        return ChannelReceipt(
            id: ChannelReceipt.ID(payer: row.text(.payer), payee: row.text(.payee), name: row.text(.name)),
            method: row.text(.method), amount: row.optionalText(.amount), currency: row.optionalText(.currency),
            createdAt: row.integer(.created), metadata: metadata, stage: stage, proof: proof)
    }

    private static func rawValue(_ stage: ChannelReceipt.Stage) -> String {
        switch stage {
        case .requested: "requested"
        case .confirmed: "confirmed"
        case .paying: "paying"
        case .paid: "paid"
        }
    }
}
