import Foundation
package import PaymentCore

/// A plan: a record in a room of its own, with the plan's periods.
package enum StoredPlan {
    /// The kind of the rooms of plans and their periods.
    package static let kind = "plan"
    /// The mark of all plans.
    package static let nameMark = "name"
    /// The mark of a plan with a period that was not opened, by ``RecurringPlan/dueDate``.
    package static let dueMark = "due"

    static func room(_ id: RecurringPlan.ID) -> RecordRoom { RecordRoom(kind, id.rawValue) }

    package static func key(_ id: RecurringPlan.ID) -> RecordKey { RecordKey(room(id)) }

    /// Returns the write that stores a plan.
    package static func write(_ plan: RecurringPlan) throws -> RecordWrite {
        var marks = [nameMark: RecordMark(plan.id.rawValue)]
        marks[dueMark] = plan.dueDate.map { RecordMark($0) }
        return .put(key(plan.id), try value(plan), marks: marks)
    }

    package static func read(_ record: StoredRecord) throws(RecurringPlanError) -> RecurringPlan {
        let id = RecurringPlan.ID(rawValue: record.key.room.name)
        do throws(StoredFormDefect) { return try read(record.value, id: id) } catch {
            throw .damaged("the plan '\(id)'")
        }
    }

    private static func value(_ plan: RecurringPlan) throws -> [UInt8] {
        try StoredObject.value([
            "provider": .string(plan.provider.rawValue), "amount": StoredMoney.value(plan.amount),
            "schedule": schedule(plan.schedule), "policy": policy(plan.policy),
            "status": .string(rawValue(plan.status)), "details": plan.details,
            "next": .number(JSONNumber(plan.next)), "revision": .number(JSONNumber(plan.revision)),
            "pauses": .array(plan.pauses.map(pause)),
        ])
    }

    private static func read(_ value: [UInt8], id: RecurringPlan.ID) throws(StoredFormDefect) -> RecurringPlan {
        let object = try StoredObject(value)
        let status: RecurringPlan.Status
        switch try object.text("status") {
        case "active": status = .active
        case "paused": status = .paused
        case "ended": status = .ended
        default: throw StoredFormDefect()
        }
        guard let next = object.members["next"]?.number?.exactly(Int.self),
            let revision = object.members["revision"]?.number?.exactly(Int.self),
            let details = object.members["details"]
        else { throw StoredFormDefect() }
        let amount = try StoredMoney.read(try object.object("amount"))
        let provider = ProviderID(rawValue: try object.text("provider"))
        let schedule = try readSchedule(try object.object("schedule"))
        let policy = try readPolicy(try object.object("policy"))
        let pauses = try readPauses(object)
        do throws(RecurringDefect) {
            var plan = try RecurringPlan(
                id: id, provider: provider, amount: amount, schedule: schedule,
                policy: policy, details: details)
            plan.pauses = pauses
            return try RecurringPlan(plan, status: status, next: next, revision: revision)
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
            pauses.append(
                RecurringPause(
                    from: try StoredDate.read(pause, "start"),
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

/// A period of a plan: a record in the plan's room.
package enum StoredCharge {
    /// The mark of a period that is not final, by ``RecurringCharge/notBefore``.
    package static let lookMark = "look"

    /// Names of periods are ordered as their numbers are. The plan's record, which has no name, precedes them.
    private static func name(_ number: Int) -> String { RecordMark(Int64(number)).text }

    package static func key(_ id: RecurringCharge.ID) -> RecordKey {
        RecordKey(StoredPlan.room(id.plan), name(id.number))
    }

    /// Returns the periods of a plan from a number on.
    static func range(of plan: RecurringPlan.ID, from number: Int) -> RecordRange {
        RecordRange(StoredPlan.room(plan), from: name(number))
    }

    /// Returns the write that stores a period.
    package static func write(_ charge: RecurringCharge) throws -> RecordWrite {
        .put(
            key(charge.id), try value(charge),
            marks: charge.state.isFinal ? [:] : [lookMark: RecordMark(charge.notBefore)])
    }

    package static func read(_ record: StoredRecord) throws(RecurringPlanError) -> RecurringCharge {
        let plan = RecurringPlan.ID(rawValue: record.key.room.name)
        do throws(StoredFormDefect) {
            let charge = try read(record.value, of: plan)
            guard key(charge.id) == record.key else { throw StoredFormDefect() }
            return charge
        } catch { throw .damaged("a period of the plan '\(plan)'") }
    }

    private static func value(_ charge: RecurringCharge) throws -> [UInt8] {
        let (state, reason, text) = rawValues(charge.state)
        return try StoredObject.value([
            "number": .number(JSONNumber(charge.id.number)),
            "provider": .string(charge.provider.rawValue), "amount": StoredMoney.value(charge.amount),
            "start": StoredDate.value(charge.period.start), "end": StoredDate.value(charge.period.end),
            "deadline": StoredDate.value(charge.deadline), "look": StoredDate.value(charge.notBefore),
            "state": .string(state), "reason": reason.map { .string($0) }, "text": text.map { .string($0) },
            "attempts": .number(JSONNumber(charge.attempts)), "failures": .number(JSONNumber(charge.failures)),
            "approved": .bool(charge.isApproved), "terms": charge.terms,
        ])
    }

    private static func read(
        _ value: [UInt8], of plan: RecurringPlan.ID
    ) throws(StoredFormDefect) -> RecurringCharge {
        let object = try StoredObject(value)
        guard let number = object.members["number"]?.number?.exactly(Int.self) else { throw StoredFormDefect() }
        func date(_ key: String) throws(StoredFormDefect) -> Date { try StoredDate.read(object, key) }
        func count(_ key: String) throws(StoredFormDefect) -> Int {
            guard let count = object.members[key]?.number?.exactly(Int.self), count >= 0 else {
                throw StoredFormDefect()
            }
            return count
        }
        return RecurringCharge(
            id: RecurringCharge.ID(plan: plan, number: number),
            provider: ProviderID(rawValue: try object.text("provider")),
            amount: try StoredMoney.read(try object.object("amount")),
            period: RecurringPeriod(number: number, start: try date("start"), end: try date("end")),
            deadline: try date("deadline"), state: try state(object), attempts: try count("attempts"),
            failures: try count("failures"), notBefore: try date("look"), isApproved: try object.flag("approved"),
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

/// The time that workers trust: one record.
package enum StoredTime {
    package static let key = RecordKey("plan-time")

    static func write(_ date: Date) throws -> RecordWrite {
        .put(key, try StoredObject.value(["date": StoredDate.value(date)]))
    }

    static func read(_ record: StoredRecord) throws(RecurringPlanError) -> Date {
        do throws(StoredFormDefect) { return try StoredDate.read(try StoredObject(record.value), "date") } catch {
            throw .damaged("the time that was trusted")
        }
    }
}

/// Moments and durations, exactly.
enum StoredDate {
    static func value(_ date: Date) -> JSONValue {
        JSONNumber(date.timeIntervalSinceReferenceDate).map { .number($0) } ?? .null
    }

    static func value(_ duration: Duration) -> JSONValue { .number(JSONNumber(seconds: duration)) }

    /// Reads a required date of an object.
    static func read(_ object: StoredObject, _ key: String) throws(StoredFormDefect) -> Date {
        guard let seconds = try object.optionalNumber(key) else { throw StoredFormDefect() }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }
}
