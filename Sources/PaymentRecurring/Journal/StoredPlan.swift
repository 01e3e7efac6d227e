import Foundation
import PaymentCore
package import PaymentRouting
package import PaymentStore

/// A plan: a row of the table `plan`.
package enum StoredPlan {
    package enum Column: String, StoredColumn {
        package static let table = "plan"
        case id, revision, due, detail
    }

    /// Returns a new row, with the plan's ``text(_:)``.
    package static func values(_ plan: RecurringPlan, _ detail: String) -> [Database.Value] {
        Column.allCases.map { column in
            switch column {
            case .id: .text(plan.id.rawValue)
            case .revision: .integer(Int64(plan.revision))
            case .due: plan.dueDate.map { .real($0.timeIntervalSinceReferenceDate) } ?? .null
            case .detail: .text(detail)
            }
        }
    }

    package static func read(_ row: Row<Column>) throws(JournalError) -> RecurringPlan {
        do throws(StoredFormDefect) {
            return try read(row.text(.detail), id: row.text(.id), revision: row.integer(.revision))
        } catch { throw row.damage("the plan '\(row.text(.id).prefix(64))' cannot be read") }
    }

    package static func text(_ plan: RecurringPlan) throws -> String {
        try StoredObject.text([
            "provider": .string(plan.provider.rawValue), "amount": StoredMoney.value(plan.amount),
            "schedule": schedule(plan.schedule), "policy": policy(plan.policy),
            "standing": .string(rawValue(plan.status)), "details": plan.details,
            "next": .number(JSONNumber(plan.next)),
            "pauses": .array(plan.pauses.map(pause)),
        ])
    }

    static func read(_ text: String, id: String, revision: Int64) throws(StoredFormDefect) -> RecurringPlan {
        let object = try StoredObject(text)
        let status: RecurringPlan.Status
        switch try object.text("standing") {
        case "active": status = .active
        case "paused": status = .paused
        case "ended": status = .ended
        default: throw StoredFormDefect()
        }
        guard let next = object.members["next"]?.int64, let revision = Int(exactly: revision),
            let details = object.members["details"]
        else { throw StoredFormDefect() }
        let amount = try StoredMoney.read(try object.object("amount"))
        let provider = ProviderID(rawValue: try object.text("provider"))
        let schedule = try readSchedule(try object.object("schedule"))
        let policy = try readPolicy(try object.object("policy"))
        let pauses = try readPauses(object)
        do throws(RecurringDefect) {
            var plan = try RecurringPlan(
                id: RecurringPlan.ID(rawValue: id), provider: provider, amount: amount, schedule: schedule,
                policy: policy, details: details)
            plan.pauses = pauses
            return try RecurringPlan(plan, status: status, next: Int(next), revision: revision)
        } catch { throw StoredFormDefect() }
    }

    private static func rawValue(_ status: RecurringPlan.Status) -> String {
        switch status {
        case .active: "active"
        case .paused: "paused"
        case .ended: "ended"
        }
    }

    // MARK: Pauses

    private static func pause(_ pause: RecurringPause) -> JSONValue {
        var value: JSONValue = ["start": StoredDate.value(pause.start)]
        value["end"] = pause.end.map { StoredDate.value($0) }
        return value
    }

    private static func readPauses(_ object: StoredObject) throws(StoredFormDefect) -> [RecurringPause] {
        var pauses: [RecurringPause] = []
        for pause in try object.objects("pauses") {
            guard let start = try pause.optionalNumber("start") else { throw StoredFormDefect() }
            pauses.append(
                RecurringPause(
                    from: Date(timeIntervalSinceReferenceDate: start),
                    until: try pause.optionalNumber("end").map(Date.init(timeIntervalSinceReferenceDate:))))
        }
        return pauses
    }

    // MARK: Schedule

    private static func schedule(_ schedule: RecurringSchedule) -> JSONValue {
        var value: JSONValue = [
            "start": .number(JSONNumber(Int64(schedule.start.timeIntervalSince1970))),
            "zone": .string(schedule.timeZone.identifier), "first": .number(JSONNumber(schedule.firstNumber)),
        ]
        value["end"] = schedule.end.map { StoredDate.value($0) }
        value["count"] = schedule.count.map { .number(JSONNumber($0)) }
        switch schedule.rhythm {
        case .daily: value["every"] = "day"
        case .weekly: value["every"] = "week"
        case .monthly(let day):
            value["every"] = "month"
            value["day"] = .number(JSONNumber(day))
        case .yearly(let month, let day):
            value["every"] = "year"
            value["month"] = .number(JSONNumber(month))
            value["day"] = .number(JSONNumber(day))
        case .months(let every, let day):
            value["every"] = "months"
            value["months"] = .number(JSONNumber(every))
            value["day"] = .number(JSONNumber(day))
        case .every(let seconds):
            value["every"] = "interval"
            value["seconds"] = .number(JSONNumber(seconds))
        }
        return value
    }

    private static func readSchedule(_ object: StoredObject) throws(StoredFormDefect) -> RecurringSchedule {
        func number(_ key: String) throws(StoredFormDefect) -> Int {
            guard let number = object.members[key]?.number?.exactly(Int.self) else { throw StoredFormDefect() }
            return number
        }
        let rhythm: RecurringSchedule.Rhythm
        switch try object.text("every") {
        case "day": rhythm = .daily
        case "week": rhythm = .weekly
        case "month": rhythm = .monthly(day: try number("day"))
        case "year": rhythm = .yearly(month: try number("month"), day: try number("day"))
        case "months": rhythm = .months(every: try number("months"), day: try number("day"))
        case "interval": rhythm = .every(seconds: Int64(try number("seconds")))
        default: throw StoredFormDefect()
        }
        // Zones need Foundation's tables, which its essentials alone do not have.
        guard let zone = TimeZone(identifier: try object.text("zone")) else { throw StoredFormDefect() }
        let count = object.members["count"] == nil ? nil : try number("count")
        let end = try object.optionalNumber("end").map(Date.init(timeIntervalSinceReferenceDate:))
        let (start, first) = (Date(timeIntervalSince1970: Double(try number("start"))), try number("first"))
        do throws(RecurringDefect) {
            return try RecurringSchedule(rhythm, from: start, until: end, count: count, in: zone, firstNumber: first)
        } catch { throw StoredFormDefect() }
    }

    // MARK: Policy

    private static func policy(_ policy: RecurringPolicy) -> JSONValue {
        [
            "catchUp": .string(rawValue(policy.catchUp)), "most": .number(JSONNumber(policy.mostCaughtUp)),
            "ahead": StoredDate.value(policy.ahead), "grace": StoredDate.value(policy.grace),
            "attempts": .number(JSONNumber(policy.mostAttempts)), "pause": StoredDate.value(policy.pause),
            "notice": StoredDate.value(policy.notice),
        ]
    }

    private static func rawValue(_ catchUp: RecurringPolicy.CatchUp) -> String {
        switch catchUp {
        case .all: "all"
        case .latestOnly: "latest"
        case .none: "none"
        }
    }

    private static func readPolicy(_ object: StoredObject) throws(StoredFormDefect) -> RecurringPolicy {
        let catchUp: RecurringPolicy.CatchUp
        switch try object.text("catchUp") {
        case "all": catchUp = .all
        case "latest": catchUp = .latestOnly
        case "none": catchUp = .none
        default: throw StoredFormDefect()
        }
        guard let most = object.members["most"]?.number?.exactly(Int.self),
            let attempts = object.members["attempts"]?.number?.exactly(Int.self),
            let ahead = try object.optionalDuration("ahead"), let grace = try object.optionalDuration("grace"),
            let pause = try object.optionalDuration("pause"), let notice = try object.optionalDuration("notice")
        else { throw StoredFormDefect() }
        return RecurringPolicy(
            catchUp, mostCaughtUp: most, ahead: ahead, notice: notice, grace: grace,
            mostAttempts: attempts, pause: pause)
    }
}

/// A period of a plan: a row of the table `charge`.
package enum StoredCharge {
    package enum Column: String, StoredColumn {
        package static let table = "charge"
        case plan, number, look, detail
    }

    /// Returns a new row, with the period's ``text(_:)``.
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

    /// Returns the date of the next look at the period; null if there is none.
    package static func look(_ charge: RecurringCharge) -> Database.Value {
        charge.state.isFinal ? .null : .real(charge.notBefore.timeIntervalSinceReferenceDate)
    }

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

/// Moments and durations, exactly.
enum StoredDate {
    static func value(_ date: Date) -> JSONValue {
        JSONNumber(date.timeIntervalSinceReferenceDate).map { .number($0) } ?? .null
    }

    static func value(_ duration: Duration) -> JSONValue { .number(JSONNumber(seconds: duration)) }
}
