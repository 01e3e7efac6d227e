/// A published way to pay a user.
public struct PaykitEndpoint: Sendable, Hashable {
    /// The method, such as `lightning` or `onchain`.
    public let methodID: String
    /// The destination: an invoice, a Lightning address, a coin address. It is untrusted text: check it before paying.
    public let endpoint: String

    /// The least amount that the owner accepts there, in the asset's major unit (bitcoin, not satoshi); nil for any.
    public let least: String?
    /// The greatest amount that the owner accepts there, in the same form; nil for any.
    public let most: String?

    /// Creates an endpoint.
    public init(methodID: String, endpoint: String, least: String? = nil, most: String? = nil) {
        self.methodID = methodID
        self.endpoint = endpoint
        self.least = least
        self.most = most
    }

    init(methodID: String, _ payload: EndpointPayload) {
        self.init(methodID: methodID, endpoint: payload.value, least: payload.least, most: payload.most)
    }

    /// Returns true if `method` names this endpoint's method: by its current name, or by the former name of its kind,
    /// as `lightning` for `btc-lightning-bolt11`.
    public func isCalled(_ method: String) -> Bool {
        methodID == method || PaykitIdentifier(methodID)?.formerName == method
    }

    /// Returns true if a file of this name in the directory is a payment method (Protocol 4.2).
    public static func isMethod(_ name: some StringProtocol) -> Bool {
        name != "noise" && name.isWord(1...32, "-:", lowerCase: true)
    }
}

extension PaykitEndpoint {
    /// Refuses an amount of bitcoin outside the owner's limits (Protocol 11.3). `amount` is the amount to pay; nil if
    /// it is open. Throws ``PaykitNetworkError``, `validationFailed`, with the limits.
    package func take(_ amount: Money?) throws(PaykitNetworkError) {
        guard let amount, least != nil || most != nil else { return }
        let text = amount.decimalText
        if let least, Self.isLess(text, than: least) {
            throw PaykitNetworkError(
                .validationFailed,
                "the endpoint '\(methodID)' takes no less than \(least): ask its owner for another one",
                methodID: methodID)
        }
        if let most, Self.isLess(most, than: text) {
            throw PaykitNetworkError(
                .validationFailed,
                "the endpoint '\(methodID)' takes no more than \(most): pay less, or ask its owner for another one",
                methodID: methodID)
        }
    }

    /// Returns true if the left of two decimal numbers, of any length, is less than the right.
    static func isLess(_ left: String, than right: String) -> Bool {
        let (left, right) = (parts(left), parts(right))
        if left.whole.count != right.whole.count { return left.whole.count < right.whole.count }
        if left.whole != right.whole { return left.whole.lexicographicallyPrecedes(right.whole) }
        return left.fraction.lexicographicallyPrecedes(right.fraction)
    }

    /// Splits a number into its digits, without redundant zeros.
    private static func parts(_ text: String) -> (whole: [UInt8], fraction: [UInt8]) {
        let zero = UInt8(ascii: "0")
        let halves = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        var fraction = halves.count > 1 ? Array(halves[1]) : []
        while fraction.last == zero { fraction.removeLast() }
        return (Array(halves[0].drop { $0 == zero }), fraction)
    }
}

/// An endpoint that a user offered to this device alone.
public struct PaykitChannelOffer: Sendable, Hashable {
    /// The offered endpoint.
    public let endpoint: PaykitEndpoint
    /// The time of expiry; nil if none is given.
    public let expiresAt: Date?

    /// Creates an offer.
    public init(_ endpoint: PaykitEndpoint, expiresAt: Date? = nil) {
        self.endpoint = endpoint
        self.expiresAt = expiresAt
    }
}

/// Private offers by user. Their number is limited, and expired ones are dropped.
package struct ChannelOffers: Sendable {
    package static let lifetime: Duration = .seconds(30 * 86_400)
    /// The most offers that are kept of one user. The newest of each method counts.
    package static let most = 10
    /// The most users whose offers are kept, because any user can make some.
    package static let mostUsers = 1000

    private var offers: [PubkyKey: [PaykitChannelOffer]] = [:]

    package init() {}

    /// Keeps an offer. Returns true if it is kept; false if there is no room, or if it has expired.
    @discardableResult
    package mutating func add(_ offer: PaykitChannelOffer, of user: PubkyKey, at now: Date) -> Bool {
        guard offer.expiresAt.map({ now < $0 }) ?? true else { return false }
        if offers[user] == nil, offers.count >= Self.mostUsers {
            for known in offers.keys where current(of: known, at: now).isEmpty { offers[known] = nil }
            // No user's offers are dropped for a stranger's.
            guard offers.count < Self.mostUsers else { return false }
        }
        let end = offer.expiresAt ?? now.addingTimeInterval(Self.lifetime / .seconds(1))
        var list = current(of: user, at: now).filter { $0.endpoint.methodID != offer.endpoint.methodID }
        list.append(PaykitChannelOffer(offer.endpoint, expiresAt: end))
        offers[user] = Array(list.suffix(Self.most))
        return true
    }

    package mutating func remove(_ method: String, of user: PubkyKey) {
        offers[user]?.removeAll { $0.endpoint.methodID == method }
    }

    package func current(of user: PubkyKey, at now: Date) -> [PaykitChannelOffer] {
        (offers[user] ?? []).filter { $0.expiresAt.map { now < $0 } ?? true }
    }
}

/// The choice among a user's endpoints (Protocol 4.3).
package enum SmartCheckout {
    /// The identifiers of generation 3, then the methods of generation 2. Endpoints of both are never in one list.
    package static let usualOrder = PaykitIdentifier.known + ["lightning", "onchain"]

    /// Returns the endpoint to pay: the preferred method, if it exists, otherwise the first by the usual order and by
    /// name. A former name may be preferred: `lightning` is any Lightning endpoint.
    package static func choice(among endpoints: [PaykitEndpoint], preferring method: String?) -> PaykitEndpoint? {
        if let method {
            if let exact = endpoints.first(where: { $0.methodID == method }) { return exact }
            if let best = sorted(endpoints.filter { $0.isCalled(method) }).first { return best }
        }
        return sorted(endpoints).first
    }

    static func sorted(_ endpoints: [PaykitEndpoint]) -> [PaykitEndpoint] {
        endpoints.sorted { (place($0), $0.methodID) < (place($1), $1.methodID) }
    }

    private static func place(_ endpoint: PaykitEndpoint) -> Int {
        usualOrder.firstIndex(of: endpoint.methodID) ?? usualOrder.count
    }
}

/// The rule for replacing a user's own endpoint by a new one (Protocol 4.4).
@nonexhaustive
public enum PaykitRotationPolicy: Sendable, Hashable {
    /// Replace it after its first use.
    case onUse
    /// Replace it after this number of uses.
    case onThreshold(Int)
    /// Replace it at this age, used or not.
    case periodic(Duration)
    /// Replace it only when the application asks for it.
    case manual

    /// Returns true if an endpoint has to be replaced at `now`.
    public func isDue(_ use: PaykitEndpointUse, at now: Date) -> Bool {
        switch self {
        case .onUse: use.count > 0
        case .onThreshold(let most): use.count >= max(1, most)
        // After the clock was set back the age is negative, and the endpoint is not due.
        case .periodic(let age): now.timeIntervalSince(use.publishedAt) >= age / .seconds(1)
        case .manual: false
        }
    }
}

/// The use of a user's own endpoint since it was published.
public struct PaykitEndpointUse: Sendable, Hashable, Codable {
    /// The time of publication.
    public var publishedAt: Date
    /// The number of payments to it.
    public var count: Int
    /// The time of the last payment.
    public var lastAt: Date?

    /// Creates the record of an endpoint, by default an unused one.
    public init(publishedAt: Date, count: Int = 0, lastAt: Date? = nil) {
        self.publishedAt = publishedAt
        self.count = count
        self.lastAt = lastAt
    }

    /// Records a payment to it.
    public mutating func note(at now: Date) {
        count += 1
        lastAt = now
    }
}
