import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How attempts and entries become rows, and rows become them again.
enum AttemptRows {
    static let columns = "number, id, provider, payment, option, key, started, expires, refund, attempt.seal"

    static func values(_ attempt: PaymentAttempt) throws -> [Database.Value] {
        [
            .text(attempt.id.rawValue), .text(attempt.reference.provider.rawValue), .text(attempt.reference.label),
            .text(try JSONValue.encode(attempt.option).text), .text(attempt.idempotencyKey),
            .real(attempt.startedAt.timeIntervalSinceReferenceDate),
            attempt.expiresAt.map { .real($0.timeIntervalSinceReferenceDate) } ?? .null,
            try attempt.refund.map { .text(try JSONValue.encode($0).text) } ?? .null,
            attempt.seal.map { .text($0) } ?? .null,
        ]
    }

    /// What an attempt is about. The file calls refunds by their label, as it always has; that they are refunds is told by
    /// the refund beside it, never by the name.
    static func reference(_ provider: String, _ label: String, isRefund: Bool) -> PaymentReference? {
        let provider = ProviderID(rawValue: provider)
        guard isRefund else { return PaymentReference(provider: provider, id: label) }
        let prefix = PaymentReference.refundPrefix.utf8
        guard label.utf8.starts(with: prefix), let id = String(label.utf8.dropFirst(prefix.count)) else { return nil }
        return PaymentReference(provider: provider, id: id, subject: .refund)
    }

    /// How the file finds all attempts at `reference`: its provider, its label, and whether it is a refund.
    static func key(_ reference: PaymentReference) -> [Database.Value] {
        [.text(reference.provider.rawValue), .text(reference.label), .integer(reference.subject == .refund ? 1 : 0)]
    }

    /// How the file finds the lease of `reference`. No two references have the same: a payment whose id looks like a
    /// refund's label, or like this escape, is written after another prefix.
    static func leaseKey(_ reference: PaymentReference) -> [Database.Value] {
        let escape = "payment:"
        let isOdd = [PaymentReference.refundPrefix, escape].contains { reference.id.utf8.starts(with: $0.utf8) }
        let name = reference.subject == .payment && isOdd ? escape + reference.id : reference.label
        return [.text(reference.provider.rawValue), .text(name)]
    }

    static func attempt(_ row: Database.Columns) throws(JournalError) -> (Int64, PaymentAttempt) {
        let id = row.text(1)
        guard let option = try? JSONValue(parsing: row.text(4)).decode(PaymentOption.self) else {
            throw row.damage("the option of \(id) cannot be read")
        }
        var refund: RefundRequest?
        if !row.isNull(8) {
            refund = try? JSONValue(parsing: row.text(8)).decode(RefundRequest.self)
            // Taken for a payment, it would be made.
            if refund == nil { throw row.damage("the refund of \(id) cannot be read") }
        }
        guard let reference = reference(row.text(2), row.text(3), isRefund: refund != nil) else {
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

    /// The kind of event, the step's name, and the rest. The words are the file's format and never change.
    static func values(_ event: JournalEntry.Event) throws -> (event: String, name: String?, detail: String) {
        switch event {
        case .stepStarted(let name, let kind): ("started", name, word(kind))
        case .stepFinished(let name, let result): ("finished", name, result.text)
        case .stepFailed(let name, let reason): ("failed", name, reason)
        case .outcome(let outcome): ("outcome", nil, try JSONValue.encode(outcome).text)
        case .abandoned(let reason): ("abandoned", nil, reason)
        }
    }

    /// Reads an entry from `date, event, name, detail, seal`, beginning at `first`.
    static func entry(_ row: Database.Columns, _ first: Int32) throws(JournalError) -> JournalEntry {
        let name = row.text(first + 2)
        let detail = row.text(first + 3)
        let event: JournalEntry.Event?
        switch row.text(first + 1) {
        case "started": event = kind(detail).map { .stepStarted(name: name, kind: $0) }
        case "finished": event = (try? JSONValue(parsing: detail)).map { .stepFinished(name: name, result: $0) }
        case "failed": event = .stepFailed(name: name, reason: detail)
        case "outcome":
            event = (try? JSONValue(parsing: detail).decode(PaymentOutcome.self)).map { .outcome($0) }
        case "abandoned": event = .abandoned(reason: detail)
        default: event = nil
        }
        guard let event else { throw row.damage("an entry cannot be read") }
        return JournalEntry(
            date: Date(timeIntervalSinceReferenceDate: row.real(first)), event: event,
            seal: row.isNull(first + 4) ? nil : row.text(first + 4))
    }

    private static func word(_ kind: StepKind) -> String {
        switch kind {
        case .query: "query"
        case .interaction: "interaction"
        case .mutation(.never): "mutation"
        case .mutation(.sameKey): "mutation-same-key"
        case .walletTransfer: "wallet-transfer"
        }
    }

    private static func kind(_ word: String) -> StepKind? { kinds.first { Self.word($0) == word } }

    private static let kinds: [StepKind] = [
        .query, .interaction, .mutation(replay: .never), .mutation(replay: .sameKey), .walletTransfer,
    ]

    /// The words of the steps in which money may move, as a list in a statement.
    static let wordsThatMoveMoney = kinds.filter(\.movesMoney).map { "'\(word($0))'" }.joined(separator: ", ")
}
