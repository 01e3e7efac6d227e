package import PaymentCore
package import PaymentRouting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An entry: a row of the table `entry`.
package enum StoredEntry {
    package enum Column: String, StoredColumn {
        package static let table = "entry"
        case attempt, position, date, event, name, detail, seal
    }

    /// The raw values of events.
    package enum Event: String {
        case started, finished, failed, unsent, outcome, abandoned
    }

    /// An event, as texts.
    package typealias Content = (event: Event, name: String?, detail: String)

    package static func content(_ event: JournalEntry.Event) throws -> Content {
        switch event {
        case .stepStarted(let name, let kind): (.started, name, kind.rawValue)
        case .stepFinished(let name, let result): (.finished, name, result.text)
        case .stepFailed(let name, let reason, let wasSent): (wasSent ? .failed : .unsent, name, reason)
        case .outcome(let outcome): (.outcome, nil, try StoredOutcome.text(outcome))
        case .abandoned(let reason): (.abandoned, nil, reason)
        }
    }

    /// A new row: the entry at a position of an attempt, with its ``content(_:)``.
    package static func values(
        _ entry: JournalEntry, _ content: Content, attempt: Int64, position: Int64
    ) -> [Database.Value] {
        Column.allCases.map { column in
            switch column {
            case .attempt: .integer(attempt)
            case .position: .integer(position)
            case .date: .real(entry.date.timeIntervalSinceReferenceDate)
            case .event: .text(content.event.rawValue)
            case .name: content.name.map { .text($0) } ?? .null
            case .detail: .text(content.detail)
            case .seal: entry.seal.map { .text($0) } ?? .null
            }
        }
    }

    /// Reads an entry.
    package static func read(_ row: Row<Column>) throws(JournalError) -> JournalEntry {
        guard let event = try? event(row.text(.event), row.text(.name), row.text(.detail)) else {
            throw row.damage("an entry cannot be read")
        }
        return JournalEntry(
            date: Date(timeIntervalSinceReferenceDate: row.real(.date)), event: event, seal: row.optionalText(.seal))
    }

    private static func event(_ event: String, _ name: String, _ detail: String) throws -> JournalEntry.Event {
        switch Event(rawValue: event) {
        case .started:
            guard let kind = StepKind(rawValue: detail) else { throw StoredFormDefect() }
            return .stepStarted(name: name, kind: kind)
        case .finished: return .stepFinished(name: name, result: try JSONValue(parsing: detail))
        case .failed, .unsent: return .stepFailed(name: name, reason: detail, wasSent: event == Event.failed.rawValue)
        case .outcome: return .outcome(try StoredOutcome.read(detail))
        case .abandoned: return .abandoned(reason: detail)
        case nil: throw StoredFormDefect()
        }
    }

    // MARK: Conditions

    /// The condition on the entries that begin a step in which money may move.
    static let beginsMutation = begins(StepKind.all.filter(\.movesMoney))

    /// The condition on the entries that begin a step whose result is erased when the attempt ends.
    static let beginsErased = begins(StepKind.all.filter(\.isErased))

    private static func begins(_ kinds: [StepKind]) -> String {
        let names = kinds.map { "detail GLOB '\($0.namePattern)'" }.joined(separator: " OR ")
        return "event = '\(Event.started.rawValue)' AND (\(names))"
    }
}
