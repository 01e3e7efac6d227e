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
    /// The most that a period may cost, with charges beside the amount; nil if none is given.
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
    /// Further data of both sides. Base no decision on values that are no text: signatures do not distinguish `1` from
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
    /// A change does not follow from the current state: a few words give the reason.
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
