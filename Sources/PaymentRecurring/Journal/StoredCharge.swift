import PaymentCore
package import PaymentRouting
package import PaymentStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A period of a plan: a row of the table `charge`.
package enum StoredCharge {
    package enum Column: String, StoredColumn {
        package static let table = "charge"
        case plan, number, look, detail
    }

    /// A new row, with the period's ``text(_:)``.
    package static func values(_ charge: RecurringCharge, _ detail: String) -> [Database.Value] {
        Column.allCases.map { column in
            switch column {
            case .plan: .text(charge.id.plan.rawValue)
            case .number: .integer(Int64(charge.id.number))
            case .look: look(charge)
            case .detail: .text(detail)
            }
        }
    }

    /// The date of the next look at the period; null when there is none.
    package static func look(_ charge: RecurringCharge) -> Database.Value {
        charge.state.isFinal ? .null : .real(charge.notBefore.timeIntervalSinceReferenceDate)
    }

    /// Reads a period.
    package static func read(_ row: Row<Column>) throws(JournalError) -> RecurringCharge {
        let id = RecurringCharge.ID(
            plan: RecurringPlan.ID(rawValue: row.text(.plan)), number: Int(row.integer(.number)))
        do throws(StoredFormDefect) { return try read(row.text(.detail), id: id) } catch {
            throw row.damage("the period '\(id.description.suffix(64))' cannot be read")
        }
    }

    package static func text(_ charge: RecurringCharge) throws -> String {
        let (state, reason, text) = rawValues(charge.state)
        return try StoredObject.text([
            "provider": .string(charge.provider.rawValue), "amount": StoredMoney.value(charge.amount),
            "start": StoredDate.value(charge.period.start), "end": StoredDate.value(charge.period.end),
            "deadline": StoredDate.value(charge.deadline), "look": StoredDate.value(charge.notBefore),
            "state": .string(state), "reason": reason.map { .string($0) }, "text": text.map { .string($0) },
            "attempts": .number(JSONNumber(charge.attempts)), "failures": .number(JSONNumber(charge.failures)),
            "approved": .bool(charge.isApproved), "terms": charge.terms,
        ])
    }

    static func read(_ text: String, id: RecurringCharge.ID) throws(StoredFormDefect) -> RecurringCharge {
        let object = try StoredObject(text)
        func date(_ key: String) throws(StoredFormDefect) -> Date {
            guard let seconds = try object.optionalNumber(key) else { throw StoredFormDefect() }
            return Date(timeIntervalSinceReferenceDate: seconds)
        }
        func number(_ key: String) throws(StoredFormDefect) -> Int {
            guard let number = object.members[key]?.number?.exactly(Int.self), number >= 0 else {
                throw StoredFormDefect()
            }
            return number
        }
        return RecurringCharge(
            id: id, provider: ProviderID(rawValue: try object.text("provider")),
            amount: try StoredMoney.read(try object.object("amount")),
            period: RecurringPeriod(number: id.number, start: try date("start"), end: try date("end")),
            deadline: try date("deadline"), state: try state(object), attempts: try number("attempts"),
            failures: try number("failures"), notBefore: try date("look"), isApproved: try object.flag("approved"),
            terms: object.members["terms"])
    }

    // MARK: States

    private static func rawValues(_ state: RecurringCharge.State) -> (state: String, reason: String?, text: String?) {
        switch state {
        case .due: ("due", nil, nil)
        case .announced: ("announced", nil, nil)
        case .started: ("started", nil, nil)
        case .waiting(let text): ("waiting", nil, text)
        case .unknown(let text): ("unknown", nil, text)
        case .paid(let transactionID): ("paid", nil, transactionID)
        case .missed(let reason):
            switch reason {
            case .absence: ("missed", "absence", nil)
            case .paused: ("missed", "paused", nil)
            case .ended: ("missed", "ended", nil)
            case .notApproved: ("missed", "not-approved", nil)
            case .refused: ("missed", "refused", nil)
            case .declined(let text): ("missed", "declined", text)
            case .failed(let text): ("missed", "failed", text)
            case .noSuchDay: ("missed", "no-such-day", nil)
            }
        }
    }

    private static func state(_ object: StoredObject) throws(StoredFormDefect) -> RecurringCharge.State {
        switch try object.text("state") {
        case "due": return .due
        case "announced": return .announced
        case "started": return .started
        case "waiting": return .waiting(try object.text("text"))
        case "unknown": return .unknown(try object.text("text"))
        case "paid": return .paid(transactionID: try object.optionalText("text"))
        case "missed":
            switch try object.text("reason") {
            case "absence": return .missed(.absence)
            case "paused": return .missed(.paused)
            case "ended": return .missed(.ended)
            case "not-approved": return .missed(.notApproved)
            case "refused": return .missed(.refused)
            case "declined": return .missed(.declined(try object.text("text")))
            case "failed": return .missed(.failed(try object.text("text")))
            case "no-such-day": return .missed(.noSuchDay)
            default: throw StoredFormDefect()
            }
        default: throw StoredFormDefect()
        }
    }
}
