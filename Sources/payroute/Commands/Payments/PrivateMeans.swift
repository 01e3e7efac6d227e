import PaykitProvider
import PaymentCore
import PaymentStore
import PaymentTransport

/// With what this program pays people of Paykit by private agreement, at a sandbox: a key that can be computed, as the
/// development wallet's can.
enum PrivateMeans {
    static let option = CommandSyntax.Option(
        name: "private",
        help: "Pay somebody of Paykit by an invoice that they give over a private channel, and in no other way.")

    /// Makes the means.
    ///
    /// - Parameters:
    ///   - seed: the number that makes the payer's key.
    ///   - journal: the journal's file; the receipts are kept beside it. Nil keeps them as long as the program runs.
    ///   - isOnly: whether nothing is paid but what was agreed on privately.
    static func make(seed: UInt64, journal: String? = nil, only isOnly: Bool = false) throws -> PaykitPrivatePayments {
        let random = SeededRandomSource(seed: seed)
        let secret = (0..<4).flatMap { _ in
            let word = random.next()
            return (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(8 * $0)) }
        }
        let receipts: any ReceiptStore =
            if let journal { ReceiptsFile(path: journal + ".receipts") } else { InMemoryReceipts() }
        return try PaykitPrivatePayments(
            as: try PubkyKeyPair(seed: secret), over: TCPTransport(), receipts: receipts,
            use: isOnly ? .only : .preferred, chain: .regtest)
    }

    /// Why nobody can be asked privately by a link; nil where somebody can.
    static func objection(to provider: ProviderID, _ match: LinkMatch) -> PaymentError? {
        guard provider != PaykitProvider.id || !match.namesPayee else { return nil }
        return PaymentError(
            .unsupported, "--private asks a person for an invoice, and this link names none (pubky://…): leave it out",
            provider: provider)
    }
}

/// Receipts in a file that is opened, and made, when the first of them is looked for or kept.
actor ReceiptsFile: ReceiptStore {
    private let path: String
    private var file: SQLiteReceipts?

    init(path: String) { self.path = path }

    private var store: SQLiteReceipts {
        get throws {
            if let file { return file }
            let opened = try SQLiteReceipts(path: path)
            file = opened
            return opened
        }
    }

    func keep(_ receipt: PrivateReceipt) async throws -> PrivateReceipt { try await store.keep(receipt) }
    func advance(_ receipt: PrivateReceipt, from stages: Set<PrivateReceipt.Stage>) async throws -> Bool {
        try await store.advance(receipt, from: stages)
    }
    func receipt(_ id: PrivateReceipt.ID) async throws -> PrivateReceipt? { try await store.receipt(id) }
    func receipts(before earlier: PrivateReceipt.ID?, limit: Int) async throws -> [PrivateReceipt] {
        try await store.receipts(before: earlier, limit: limit)
    }
    func note(_ arrival: PrivateArrival) async throws -> Bool { try await store.note(arrival) }
    func isNoted(_ arrival: PrivateArrival) async throws -> Bool { try await store.isNoted(arrival) }
}
