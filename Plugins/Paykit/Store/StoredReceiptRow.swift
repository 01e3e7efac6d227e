import PaykitProvider
import PaymentCore
import PaymentStore

/// A receipt of a private payment, as a row of its own file.
enum StoredReceiptRow {
    static let columns = "payer, payee, name, method, amount, currency, created, stage, metadata, proof"

    static func key(_ id: PrivateReceipt.ID) -> [Database.Value] { [.text(id.payer), .text(id.payee), .text(id.name)] }

    static func terms(_ receipt: PrivateReceipt) -> [Database.Value] {
        [
            .text(receipt.method), receipt.amount.map { .text($0) } ?? .null,
            receipt.currency.map { .text($0) } ?? .null, .integer(receipt.createdAt),
        ]
    }

    static func state(_ receipt: PrivateReceipt) -> [Database.Value] {
        [.text(word(receipt.stage)), .text(receipt.metadata.text), receipt.proof.map { .text($0.text) } ?? .null]
    }

    static func receipt(_ row: Database.Columns) throws(Unreadable) -> PrivateReceipt {
        guard let stage = words.first(where: { $0.word == row.text(7) })?.stage,
            let metadata = try? JSONValue(parsing: row.text(8))
        else { throw Unreadable() }
        var proof: JSONValue?
        if !row.isNull(9) {
            guard let read = try? JSONValue(parsing: row.text(9)) else { throw Unreadable() }
            proof = read
        }
        return PrivateReceipt(
            id: PrivateReceipt.ID(payer: row.text(0), payee: row.text(1), name: row.text(2)), method: row.text(3),
            amount: row.isNull(4) ? nil : row.text(4), currency: row.isNull(5) ? nil : row.text(5),
            createdAt: row.integer(6), metadata: metadata, stage: stage, proof: proof)
    }

    private static let words: [(stage: PrivateReceipt.Stage, word: String)] = [
        (.requested, "requested"), (.confirmed, "confirmed"), (.paying, "paying"), (.paid, "paid"),
    ]

    private static func word(_ stage: PrivateReceipt.Stage) -> String {
        words.first { $0.stage == stage }?.word ?? stage.rawValue
    }
}
