import PaymentCrypto

/// One side's view of a subscription, as it lies sealed for the other side (Protocol 6.3): always the whole of it, so
/// that one message that arrives replaces all that were missed, and one that comes again changes nothing.
struct SubscriptionView: Sendable, Hashable {
    let id: String
    let agreement: PaykitSignedSubscription?
    let proposal: PaykitSignedSubscription?
    /// The nonce of the other side's proposal that this side has declined last.
    let declined: [UInt8]?
    let cancellation: PaykitSubscriptionRecord.Cancellation?

    static let type = "SubscriptionState"

    init(_ record: PaykitSubscriptionRecord, of own: PubkyKey) {
        id = record.id
        agreement = record.agreements.last
        proposal = record.proposal.flatMap { $0.proposerSignature?.publicKey == own ? $0 : nil }
        declined = record.declined
        cancellation = record.cancellation.flatMap { $0.side == record.side(of: own) ? $0 : nil }
    }

    /// Reads a view; nil for a message of another kind.
    init?(_ json: JSONValue) throws(WireDefect) {
        guard json["type"]?.string == Self.type else { return nil }
        guard let id = json["subscription_id"]?.string, 1...64 ~= id.utf8.count else {
            throw WireDefect("a subscription has no name")
        }
        func signed(_ name: String) throws(WireDefect) -> PaykitSignedSubscription? {
            guard let value = json[name], !value.isNull else { return nil }
            let signed = try PaykitSignedSubscription(value)
            guard signed.subscription.id == id else { throw WireDefect("a message is about two subscriptions") }
            return signed
        }
        self.id = id
        (agreement, proposal) = (try signed("agreement"), try signed("proposal"))
        declined = json["declined_nonce"]?.numbers(32)
        if let value = json["cancellation"], !value.isNull {
            guard let side = value["by"]?.string.flatMap(PaykitSubscriptionRecord.Side.init),
                let time = value["effective_at"]?.int64
            else { throw WireDefect("a cancellation names no side or no time") }
            cancellation = .init(side: side, effectiveAt: time, reason: value["reason"]?.string)
        } else {
            cancellation = nil
        }
    }

    var json: JSONValue { (try? JSONValue(parsing: text)) ?? .null }

    var text: String {
        let end = cancellation.map { end in
            OrderedJSON.object([
                ("by", .string(end.side.rawValue)), ("effective_at", .number(end.effectiveAt)),
                ("reason", end.reason.map { .string($0) } ?? .null),
            ])
        }
        return OrderedJSON.object([
            ("type", .string(Self.type)), ("subscription_id", .string(id)), ("agreement", agreement?.json ?? .null),
            ("proposal", proposal?.json ?? .null), ("declined_nonce", declined.map { .numbers($0) } ?? .null),
            ("cancellation", end ?? .null),
        ]).text
    }
}

extension PaykitSubscriptionRecord {
    package func side(of user: PubkyKey) -> Side? {
        switch user {
        case original.subscriber: .subscriber
        case original.provider: .provider
        default: nil
        }
    }

    /// Takes in the other side's view. Returns true if it has changed anything. Throws ``PaykitSubscriptionDefect`` for
    /// the first part of it that is refused; what came before it counts.
    mutating func merge(
        _ view: SubscriptionView, as own: PubkyKey, nonces: inout PaykitNonces, at now: Int64
    ) throws(PaykitSubscriptionDefect) -> Bool {
        let before = self
        if let agreement = view.agreement, !agreements.contains(agreement),
            agreement.subscription == proposal?.subscription
        {
            try take(agreement, nonces: &nonces, at: now)
        }
        if let proposal, let nonce = proposal.proposerSignature?.nonce, nonce == view.declined {
            try decline()
        }
        if let theirs = view.proposal, let signature = theirs.proposerSignature, !nonces.has(signature) {
            // Of two proposals that cross each other both sides keep the same one.
            let mine = proposal?.proposerSignature
            if mine.map({ signature.nonce.lexicographicallyPrecedes($0.nonce) }) ?? true {
                if agreements.isEmpty {
                    self = try PaykitSubscriptionRecord(receiving: theirs, as: own, nonces: &nonces, at: now)
                } else {
                    try receive(theirs, as: own, nonces: &nonces, at: now)
                }
            }
        }
        if let end = view.cancellation, let side = side(of: own), end.side != side, !agreements.isEmpty,
            cancellation.map({ end.effectiveAt < $0.effectiveAt }) ?? true
        {
            try cancel(by: end.side, effectiveAt: end.effectiveAt, reason: end.reason)
        }
        return self != before
    }
}
