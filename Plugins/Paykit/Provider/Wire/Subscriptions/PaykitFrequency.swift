import PaymentCrypto

/// The interval of a subscription's payments (Protocol 6.1).
@nonexhaustive
public enum PaykitFrequency: Sendable, Hashable {
    /// Every day.
    case daily
    /// Every seven days.
    case weekly
    /// On a day of every month, 1 to 31; the last day in a month without it.
    case monthly(dayOfMonth: UInt8)
    /// On a day of every year.
    case yearly(month: UInt8, day: UInt8)
    /// Every so many seconds.
    case custom(intervalSeconds: UInt64)

    /// True if there is such a day, and the interval is at least a minute.
    public var isValid: Bool {
        switch self {
        case .daily, .weekly: true
        case .monthly(let day): 1...31 ~= day
        case .yearly(let month, let day):
            1...12 ~= month && 1...UInt8(CivilDay.count(year: 2000, month: Int(month))) ~= day
        case .custom(let seconds): 60...3_200_000_000 ~= seconds
        }
    }

    /// The rhythm of a schedule with this frequency. A subscription has no time zone: its days are those of UTC.
    public var rhythm: RecurringSchedule.Rhythm {
        switch self {
        case .daily: .daily
        case .weekly: .weekly
        case .monthly(let day): .monthly(day: Int(day))
        case .yearly(let month, let day): .yearly(month: Int(month), day: Int(day))
        case .custom(let seconds): .every(seconds: Int64(clamping: seconds))
        }
    }

    // MARK: Forms

    package var json: OrderedJSON {
        switch self {
        case .daily: .string("Daily")
        case .weekly: .string("Weekly")
        case .monthly(let day): .object([("Monthly", .object([("day_of_month", .number(day))]))])
        case .yearly(let month, let day):
            .object([("Yearly", .object([("month", .number(month)), ("day", .number(day))]))])
        case .custom(let seconds): .object([("Custom", .object([("interval_seconds", .number(seconds))]))])
        }
    }

    package var signedBytes: [UInt8] {
        switch self {
        case .daily: [0]
        case .weekly: [1]
        case .monthly(let day): [2, day]
        case .yearly(let month, let day): [3, month, day]
        case .custom(let seconds): [4] + Postcard.varint(seconds)
        }
    }

    package init(_ json: JSONValue) throws(WireDefect) {
        func number<Number: FixedWidthInteger>(_ value: JSONValue?, _ name: String) throws(WireDefect) -> Number {
            guard let number = value?[name]?.number?.exactly(Number.self) else {
                throw WireDefect("a frequency has no \(name)")
            }
            return number
        }
        if let word = json.string {
            switch word {
            case "Daily": self = .daily
            case "Weekly": self = .weekly
            default: throw WireDefect("a frequency is not known")
            }
        } else if let value = json["Monthly"] {
            self = .monthly(dayOfMonth: try number(value, "day_of_month"))
        } else if let value = json["Yearly"] {
            self = .yearly(month: try number(value, "month"), day: try number(value, "day"))
        } else if let value = json["Custom"] {
            self = .custom(intervalSeconds: try number(value, "interval_seconds"))
        } else {
            throw WireDefect("a frequency is not known")
        }
        guard json.object.map({ $0.count == 1 }) ?? true else { throw WireDefect("a frequency says two things") }
        guard isValid else { throw WireDefect("a frequency names no day, or an interval below a minute") }
    }
}
