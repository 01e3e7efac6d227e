import Foundation
import PaymentCore

/// A summary of one attempt in a journal.
struct AttemptSummary {
    let history: AttemptHistory

    /// The state: an outcome, `abandoned` (nothing was paid), or `interrupted`.
    var state: String {
        if let outcome = history.outcome { return PaymentResult.Ending(outcome).rawValue }
        return history.isFinished ? "abandoned" : "interrupted"
    }

    var tone: Style.Tone {
        switch state {
        case "succeeded": .good
        case "interrupted", "unknown", "pending": .doubtful
        default: .bad
        }
    }

    /// The transaction on the payment network.
    var transaction: String? {
        if case .succeeded(let receipt)? = history.outcome { receipt.transactionID } else { nil }
    }

    /// A date as RFC 3339 text in UTC.
    static func text(_ date: Date) -> String {
        RFC3339(date).text
    }

    /// The members of `journal list --json` for this attempt.
    func write(to buffer: inout [UInt8]) {
        let attempt = history.attempt
        buffer.addJSONLine { line in
            line.addAmount(attempt.option.amount)
            line.addMember("attempt", attempt.id.rawValue)
            line.addMember("outcome", state)
            line.addMember("provider", attempt.reference.provider.rawValue)
            line.addMember("reference", attempt.reference.id)
            line.addMember("started", Self.text(attempt.startedAt))
            line.addMember("subject", attempt.reference.subject.kind)
            line.addMember("transaction", transaction)
            line.addUnit(attempt.option.amount)
        }
    }
}

extension JournalEntry {
    /// The event in words: never a step's result, which may hold a wallet's signature.
    var words: (what: String, detail: String) {
        switch event {
        case .stepStarted(let name, let kind): ("started", "\(name) (\(kind.note))")
        case .stepFinished(let name, _): ("finished", name)
        case .stepFailed(let name, let reason, let wasSent): (wasSent ? "failed" : "not sent", "\(name): \(reason)")
        case .outcome(let outcome): ("outcome", outcome.description)
        case .abandoned(let reason): ("abandoned", reason)
        }
    }
}
