import PaymentCrypto

/// An agreement that a subscriber pays a provider repeatedly (Protocol 6.1). Valid as soon as it exists.
public struct PaykitSubscription: Sendable, Hashable {
    /// The name, such as `sub_1767225600`: 1 to 64 bytes.
    public let id: String
    /// The user that pays.
    public let subscriber: PubkyKey
    /// The user that is paid.
    public let provider: PubkyKey
    /// The amount, the frequency and the method.
    public let terms: PaykitSubscriptionTerms
    /// Further data of both sides. Base no decision on values that are not text: signatures do not distinguish `1` from
    /// `true`.
    public let metadata: JSONValue
    /// Seconds since 1970.
    public let createdAt: Int64
    /// The start of the payments: seconds since 1970.
    public let startsAt: Int64
    /// The end of the payments: seconds since 1970; nil for no end.
    public let endsAt: Int64?

    /// Creates a subscription.
    ///
    /// - Throws: ``PaykitSubscriptionDefect``.
    public init(
        id: String, subscriber: PubkyKey, provider: PubkyKey, terms: PaykitSubscriptionTerms, metadata: JSONValue = [:],
        createdAt: Int64, startsAt: Int64, endsAt: Int64? = nil
    ) throws(PaykitSubscriptionDefect) {
        guard Self.isName(id) else { throw .field("id", "has 1 to 64 bytes") }
        guard subscriber != provider else { throw .oneself }
        guard 0..<253_000_000_000 ~= startsAt, 0..<253_000_000_000 ~= createdAt else {
            throw .field("start", "is seconds since 1970, before the year 9987")
        }
        if let endsAt, endsAt <= startsAt { throw .field("end", "comes after the start") }
        guard metadata.object != nil else { throw .field("metadata", "is a JSON object") }
        try Self.check(terms)
        self.id = id
        self.subscriber = subscriber
        self.provider = provider
        self.terms = terms
        self.metadata = metadata
        self.createdAt = createdAt
        self.startsAt = startsAt
        self.endsAt = endsAt
    }

    private static func check(_ terms: PaykitSubscriptionTerms) throws(PaykitSubscriptionDefect) {
        guard 1...1024 ~= terms.description.utf8.count else { throw .field("description", "has 1 to 1024 bytes") }
        guard PaykitEndpoint.isMethod(terms.methodID) else {
            throw .field("method", "is lower-case letters, digits, '-' and ':', at most 32 of them")
        }
        guard terms.frequency.isValid else {
            throw .field("frequency", "names a day that there is, or an interval of a minute at least")
        }
        let amount: Money
        do { amount = try terms.money() } catch { throw .field("amount", "is not one: \(error)") }
        guard !amount.isZero else { throw .field("amount", "is more than nothing") }
        guard let text = terms.maximumPerPeriod else { return }
        guard let most = try? PaykitSubscriptionTerms.money(text, terms.currency),
            (try? most.isLess(than: amount)) == false
        else { throw .field("most per period", "is an amount, and not below what a period costs") }
    }

    func revised(
        _ terms: PaykitSubscriptionTerms, from startsAt: Int64, at now: Int64
    ) throws(PaykitSubscriptionDefect) -> PaykitSubscription {
        try PaykitSubscription(
            id: id, subscriber: subscriber, provider: provider, terms: terms, metadata: metadata, createdAt: now,
            startsAt: startsAt, endsAt: endsAt)
    }
}

/// The terms of a subscription: amount, frequency and method (Protocol 6.1).
public struct PaykitSubscriptionTerms: Sendable, Hashable {
    /// Decimal text in the currency's own unit, as it is signed: `1000`.
    public var amount: String
    /// `SAT`, `BTC`, or three letters of ISO 4217.
    public var currency: String
    /// The interval of the payments.
    public var frequency: PaykitFrequency
    /// The payee's method, such as `lightning`.
    public var methodID: String
    /// The most that a period may cost, with charges in addition to the amount; nil if none is given.
    public var maximumPerPeriod: String?
    /// The purpose.
    public var description: String

    /// Creates terms. A ``PaykitSubscription`` checks them.
    public init(
        amount: String, currency: String = "SAT", frequency: PaykitFrequency, methodID: String = "lightning",
        maximumPerPeriod: String? = nil, description: String
    ) {
        self.amount = amount
        self.currency = currency
        self.frequency = frequency
        self.methodID = methodID
        self.maximumPerPeriod = maximumPerPeriod
        self.description = description
    }

    /// Returns the price of a period.
    ///
    /// - Throws: `MoneyError` when the text is no amount of the currency.
    public func money() throws(MoneyError) -> Money { try Self.money(amount, currency) }

    static func money(_ amount: String, _ currency: String) throws(MoneyError) -> Money {
        switch currency.uppercased() {
        case "SAT", "SATS": try Money(minorUnitText: amount, currency: .satoshi)
        case "BTC": try Money(decimal: amount, currency: .satoshi)
        case let code: try Money(decimal: amount, currency: .fiat(FiatCurrency(code)))
        }
    }
}

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

/// A reason to refuse a subscription, a signature of it or a change to it.
@nonexhaustive
public enum PaykitSubscriptionDefect: Error, Sendable, Hashable, CustomStringConvertible {
    /// A field is invalid: its name, and the rule for it.
    case field(String, String)
    /// Both sides are the same user.
    case oneself
    /// The signature is not of this subscription, or not by this key.
    case signature
    /// The signing key is not that of the subscriber or the provider, whose signature is required.
    case foreignKey
    /// The signature has expired.
    case expiredSignature
    /// The signature was made in the future: one of the two clocks is wrong.
    case futureSignature
    /// The signature was used before.
    case usedNonce
    /// A change does not follow from the current state. A few words give the reason.
    case order(String)

    /// One sentence for people.
    public var description: String {
        switch self {
        case .field(let name, let rule): "the subscription's \(name) \(rule)"
        case .oneself: "a subscription to oneself is not possible: compare the two keys"
        case .signature: "the signature is not one of this subscription; ask for it again"
        case .foreignKey: "the signature is by neither side, or by the wrong one; accept nothing that it is about"
        case .expiredSignature: "the signature is over; ask for a new one"
        case .futureSignature: "the signature was made in the future; compare the clocks"
        case .usedNonce: "the signature was used before; ask for a new one"
        case .order(let text): text
        }
    }
}

/// The name of a subscription in links and questions over channels (Protocol 6.3): it shows the payee what is paid.
extension PaykitSubscription {
    static let nameInMetadata = "subscription_id"
    private static let parameter = "subscription"

    /// Returns the link that pays a user. `name` is the name of the subscription that is paid; nil for none. A payee
    /// over a private channel reads the name.
    package static func link(paying user: PubkyKey, for name: String?) -> String {
        "paykit:\(user.text)" + (name.map { "?\(parameter)=\(PercentCoding.encode($0))" } ?? "")
    }

    /// Returns the name in a link; nil if there is none, or several.
    static func name(in link: PaymentLink) -> String? {
        let values = link.queryItems.filter { $0.name == Substring(parameter) }.map(\.value)
        guard values.count == 1, let name = PercentCoding.decode(values[0], plusIsSpace: true), isName(name) else {
            return nil
        }
        return name
    }

    static func isName(_ text: String) -> Bool { 1...64 ~= text.utf8.count }
}

/// The JSON of a subscription, as the native library writes it (Protocol 6.1): keys as lists of numbers.
extension PaykitSubscription {
    /// The JSON text, its members in the library's order.
    package var text: String { json.text }

    var json: OrderedJSON {
        .object([
            ("subscription_id", .string(id)), ("subscriber", .numbers(subscriber.bytes)),
            ("provider", .numbers(provider.bytes)), ("terms", terms.json), ("metadata", .value(metadata)),
            ("created_at", .number(createdAt)), ("starts_at", .number(startsAt)),
            ("ends_at", endsAt.map { .number($0) } ?? .null),
        ])
    }

    /// Reads a subscription. Keys may be lists of numbers or texts in any form that a key has.
    package init(_ json: JSONValue) throws(WireDefect) {
        guard let id = json["subscription_id"]?.string, let createdAt = json["created_at"]?.int64,
            let startsAt = json["starts_at"]?.int64
        else { throw WireDefect("a subscription has no name or no dates") }
        var end: Int64?
        if let value = json["ends_at"], !value.isNull {
            // An end that cannot be read does not mean no end.
            guard let number = value.int64 else { throw WireDefect("a subscription's end is no number") }
            end = number
        }
        let terms = try PaykitSubscriptionTerms(json["terms"] ?? .null)
        let (subscriber, provider) = (try json.user("subscriber"), try json.user("provider"))
        do throws(PaykitSubscriptionDefect) {
            try self.init(
                id: id, subscriber: subscriber, provider: provider, terms: terms,
                metadata: json["metadata"] ?? [:], createdAt: createdAt, startsAt: startsAt, endsAt: end)
        } catch { throw WireDefect(error.description) }
    }
}

extension PaykitSubscriptionTerms {
    fileprivate var json: OrderedJSON {
        .object([
            ("amount", .string(amount)), ("currency", .string(currency)), ("frequency", frequency.json),
            ("method", .string(methodID)), ("max_amount_per_period", maximumPerPeriod.map { .string($0) } ?? .null),
            ("description", .string(description)),
        ])
    }

    fileprivate init(_ json: JSONValue) throws(WireDefect) {
        func text(_ name: String) throws(WireDefect) -> String {
            guard let text = json[name]?.string else { throw WireDefect("a subscription's terms have no \(name)") }
            return text
        }
        var most: String?
        if let value = json["max_amount_per_period"], !value.isNull { most = try text("max_amount_per_period") }
        self.init(
            amount: try text("amount"), currency: try text("currency"),
            frequency: try PaykitFrequency(json["frequency"] ?? .null), methodID: try text("method"),
            maximumPerPeriod: most, description: try text("description"))
    }
}

extension JSONValue {
    /// The key in a list of numbers, or in a text in any form that a key has; nil for anything else.
    var user: PubkyKey? {
        numbers(PubkyKey.byteCount).flatMap { try? PubkyKey(bytes: $0) } ?? string.flatMap { try? PubkyKey($0) }
    }

    func user(_ name: String) throws(WireDefect) -> PubkyKey {
        guard let key = self[name]?.user else { throw WireDefect("the \(name) is no user") }
        return key
    }
}

/// Subscriptions are stored as the text that is sent and signed, and checked again when they are read.
extension PaykitSubscription: Codable {
    /// Reads a stored subscription.
    ///
    /// - Throws: `DecodingError` if the text is not a subscription.
    public init(from decoder: any Decoder) throws {
        self = try WireText.read(decoder) { json throws(WireDefect) in try PaykitSubscription(json) }
    }

    /// Writes the subscription.
    ///
    /// - Throws: any error of the encoder.
    public func encode(to encoder: any Encoder) throws { try WireText.write(text, encoder) }
}

extension PaykitSignedSubscription: Codable {
    /// Reads a stored subscription with its signatures. Nothing is verified.
    ///
    /// - Throws: `DecodingError` if the text is not a subscription.
    public init(from decoder: any Decoder) throws {
        self = try WireText.read(decoder) { json throws(WireDefect) in try PaykitSignedSubscription(json) }
    }

    /// Writes the subscription with its signatures.
    ///
    /// - Throws: any error of the encoder.
    public func encode(to encoder: any Encoder) throws { try WireText.write(text, encoder) }
}

/// A value that is stored as its wire text.
private enum WireText {
    static func read<Value>(_ decoder: any Decoder, _ value: (JSONValue) throws(WireDefect) -> Value) throws -> Value {
        let container = try decoder.singleValueContainer()
        do { return try value(JSONValue(parsing: container.decode(String.self))) } catch let defect as WireDefect {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(defect)")
        }
    }

    static func write(_ text: String, _ encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
