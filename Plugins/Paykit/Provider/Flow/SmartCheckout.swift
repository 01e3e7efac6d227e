/// An endpoint that a user offered to this device alone.
public struct PaykitChannelOffer: Sendable, Hashable {
    /// The offered endpoint.
    public let endpoint: PaykitEndpoint
    /// The time of expiry; nil where none is given.
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
    /// The most offers that are kept of one user; the newest of each method counts.
    package static let most = 10
    /// The most users whose offers are kept, because any user can make some.
    package static let mostUsers = 1000

    private var offers: [PubkyKey: [PaykitChannelOffer]] = [:]

    package init() {}

    /// Keeps an offer. Returns true if it is kept; false where there is no room, or it has expired.
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

    /// Returns the endpoint to pay: the preferred method, if it exists; otherwise by the usual order, then by name. A
    /// former name may be preferred: `lightning` is any Lightning endpoint.
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
