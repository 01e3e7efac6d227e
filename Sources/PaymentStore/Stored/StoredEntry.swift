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

    /// Returns a new row: the entry at a position of an attempt, with its ``content(_:)``.
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

    /// The condition on the entries that begin a step that may move money.
    static let beginsMutation = begins(StepKind.all.filter(\.movesMoney))

    /// The condition on the entries that begin a step whose result is erased when the attempt ends.
    static let beginsErased = begins(StepKind.all.filter(\.isErased))

    private static func begins(_ kinds: [StepKind]) -> String {
        let names = kinds.map { "detail GLOB '\($0.namePattern)'" }.joined(separator: " OR ")
        return "event = '\(Event.started.rawValue)' AND (\(names))"
    }
}

/// The outcome of an attempt.
enum StoredOutcome {
    static func text(_ outcome: PaymentOutcome) throws -> String {
        var members: [String: JSONValue?]
        switch outcome.report {
        case .succeeded(let receipt): members = ["outcome": "succeeded", "receipt": StoredReceipt.value(receipt)]
        case .declined(let reason):
            members = [
                "outcome": "declined", "code": .string(reason.code.rawValue), "message": .string(reason.message),
            ]
        case .cancelled: members = ["outcome": "cancelled"]
        case .expired: members = ["outcome": "expired"]
        case .pending(let retryAfter):
            members = ["outcome": "pending", "retryAfter": retryAfter.map { .number(JSONNumber(seconds: $0)) }]
        case .unknown(let unknown):
            members = [
                "outcome": "unknown", "reference": StoredReference.value(unknown.reference),
                "rawStatus": unknown.rawStatus.map { .string($0) }, "message": .string(unknown.message),
            ]
        }
        return try StoredObject.text(members)
    }

    /// Reads an outcome. Only the outcome's decoder restores one that was stated before.
    static func read(_ text: String) throws(StoredFormDefect) -> PaymentOutcome {
        do { return try JSONValue.encode(try report(text)).decode() } catch { throw StoredFormDefect() }
    }

    private static func report(_ text: String) throws(StoredFormDefect) -> ServiceReport {
        let object = try StoredObject(text)
        return switch try object.text("outcome") {
        case "succeeded": .succeeded(try StoredReceipt.read(try object.object("receipt")))
        case "declined":
            .declined(DeclineReason(.init(rawValue: try object.text("code")), try object.text("message")))
        case "cancelled": .cancelled
        case "expired": .expired
        case "pending": .pending(retryAfter: try object.optionalDuration("retryAfter"))
        case "unknown":
            .unknown(
                UnknownOutcome(
                    reference: try StoredReference.read(object.members["reference"]),
                    rawStatus: try object.optionalText("rawStatus"), message: try object.text("message")))
        default: throw StoredFormDefect()
        }
    }
}

/// The proof of a payment.
enum StoredReceipt {
    static func value(_ receipt: PaymentReceipt) -> JSONValue {
        var value: JSONValue = ["reference": StoredReference.value(receipt.reference)]
        value["amount"] = receipt.amount.map(StoredMoney.value)
        value["transaction"] = receipt.transactionID.map { .string($0) }
        value["decision"] = receipt.decision.map { .string($0) }
        value["unproven"] = receipt.unproven.map { .string($0) }
        if receipt.isEarlier { value["earlier"] = true }
        return value
    }

    static func read(_ object: StoredObject) throws(StoredFormDefect) -> PaymentReceipt {
        var amount: Money?
        if let money = try object.optionalObject("amount") { amount = try StoredMoney.read(money) }
        return PaymentReceipt(
            reference: try StoredReference.read(object.members["reference"]), amount: amount,
            transactionID: try object.optionalText("transaction"), decision: try object.optionalText("decision"),
            unproven: try object.optionalText("unproven"),
            isEarlier: object.members["earlier"] == nil ? false : try object.flag("earlier"))
    }
}
