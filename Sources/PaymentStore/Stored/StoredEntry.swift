import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An entry: a row of the table `entry`.
enum StoredEntry {
    /// What is read of a row.
    static let columns = "entry.date, entry.event, entry.name, entry.detail, entry.seal"

    /// The words for what happened.
    enum Word: String {
        case started, finished, failed, outcome, abandoned
    }

    /// A row's word, name, detail.
    static func values(_ event: JournalEntry.Event) throws -> (event: String, name: String?, detail: String) {
        let (word, name, detail): (Word, String?, String) =
            switch event {
            case .stepStarted(let name, let kind): (.started, name, StoredKind.word(kind))
            case .stepFinished(let name, let result): (.finished, name, result.text)
            case .stepFailed(let name, let reason): (.failed, name, reason)
            case .outcome(let outcome): (.outcome, nil, try StoredOutcome.text(outcome))
            case .abandoned(let reason): (.abandoned, nil, reason)
            }
        return (word.rawValue, name, detail)
    }

    /// Reads an entry from ``columns``, beginning at `first`.
    static func read(_ row: Database.Columns, _ first: Int32) throws(JournalError) -> JournalEntry {
        guard let event = try? event(row.text(first + 1), row.text(first + 2), row.text(first + 3)) else {
            throw row.damage("an entry cannot be read")
        }
        return JournalEntry(
            date: Date(timeIntervalSinceReferenceDate: row.real(first)), event: event,
            seal: row.isNull(first + 4) ? nil : row.text(first + 4))
    }

    private static func event(_ word: String, _ name: String, _ detail: String) throws -> JournalEntry.Event {
        switch Word(rawValue: word) {
        case .started:
            guard let kind = StoredKind.read(detail) else { throw Unreadable() }
            return .stepStarted(name: name, kind: kind)
        case .finished: return .stepFinished(name: name, result: try JSONValue(parsing: detail))
        case .failed: return .stepFailed(name: name, reason: detail)
        case .outcome: return .outcome(try StoredOutcome.read(detail))
        case .abandoned: return .abandoned(reason: detail)
        case nil: throw Unreadable()
        }
    }
}
