/// A subscription from the proposal to its end: the agreements of both sides, and the open proposal of one.
///
/// Terms are binding only when both sides have signed them. A change is a separate proposal, over the same subscription
/// with other terms, and the old terms apply until the other side has signed the new ones. One side alone can end it.
///
/// Times are seconds since 1970. `random` draws the nonces of signatures.
public struct PaykitSubscriptionRecord: Sendable, Hashable, Codable, Identifiable {
    /// The status at a moment.
    @nonexhaustive
    public enum Status: Sendable, Hashable {
        /// One side has signed, the other has not answered.
        case proposed
        /// The other side has declined.
        case declined
        /// The proposal has expired without an answer.
        case lapsed
        /// It is agreed on, but has not begun.
        case upcoming
        /// It is in force, and paid.
        case active
        /// It is paused, and not paid.
        case paused
        /// One side has ended it.
        case cancelled
        /// It has ended, as agreed.
        case ended
    }

    /// One of the two sides.
    @nonexhaustive
    public enum Side: String, Sendable, Hashable, Codable {
        /// The payer.
        case subscriber
        /// The payee.
        case provider
    }

    /// The end of a subscription by one side.
    public struct Cancellation: Sendable, Hashable, Codable {
        /// The side that ended it.
        public let side: Side
        /// The time when payments end.
        public let effectiveAt: Int64
        /// The reason; nil if none was given.
        public let reason: String?
    }

    /// The subscriptions that both sides have signed, the earliest first: each applies from its start on.
    public private(set) var agreements: [PaykitSignedSubscription] = []
    /// The subscription that one side has signed, and the other not yet.
    public private(set) var proposal: PaykitSignedSubscription?
    /// The end by one side; nil if there is none.
    public private(set) var cancellation: Cancellation?
    private var isDeclined = false
    private(set) var declined: [UInt8]?
    package private(set) var pauses: [Range<Int64>] = []
    package let original: PaykitSubscription

    /// The subscription's name: the same on both sides, and in all of its terms.
    public var id: String { original.id }

    // MARK: Proposing

    /// Proposes a subscription. `pair` is the key pair of one of the two sides.
    ///
    /// - Throws: ``PaykitSubscriptionDefect``.
    public init(
        proposing subscription: PaykitSubscription, by pair: PubkyKeyPair, random: any RandomSource, at now: Int64
    ) throws(PaykitSubscriptionDefect) {
        let signature = try PaykitSubscriptionSignature(of: subscription, by: pair, random: random, at: now)
        original = subscription
        proposal = PaykitSignedSubscription(subscription).adding(signature)
    }

    /// Receives a subscription that the other side has proposed. `signed` is the subscription, with the signature of
    /// the other side and no other. `own` is the user's own key: one of the two sides, and not the one that signed.
    /// `nonces` are the signatures that were seen before.
    ///
    /// - Throws: ``PaykitSubscriptionDefect``.
    public init(
        receiving signed: PaykitSignedSubscription, as own: PubkyKey, nonces: inout PaykitNonces, at now: Int64
    ) throws(PaykitSubscriptionDefect) {
        original = signed.subscription
        try signed.checkProposal(to: own, &nonces, at: now)
        proposal = signed
    }

    /// Proposes a change. The old terms hold until the other side has accepted it. `effectiveAt` is the time when it
    /// begins to apply, not before now. `pair` is the key pair of one of the two sides.
    ///
    /// - Throws: ``PaykitSubscriptionDefect``.
    public mutating func propose(
        _ change: PaykitSubscriptionChange, from effectiveAt: Int64, by pair: PubkyKeyPair, random: any RandomSource,
        at now: Int64
    ) throws(PaykitSubscriptionDefect) {
        let current = try running(at: now)
        guard effectiveAt >= now else { throw .order("what has been paid is not changed any more: name a later day") }
        let revised = try current.revised(try change.applied(to: current.terms), from: effectiveAt, at: now)
        proposal = PaykitSignedSubscription(revised).adding(
            try PaykitSubscriptionSignature(of: revised, by: pair, random: random, at: now))
    }

    /// Receives a change that the other side has proposed. `signed` is the subscription with its new terms, with the
    /// signature of the other side and no other. `nonces` are the signatures that were seen before.
    ///
    /// - Throws: ``PaykitSubscriptionDefect``.
    public mutating func receive(
        _ signed: PaykitSignedSubscription, as own: PubkyKey, nonces: inout PaykitNonces, at now: Int64
    ) throws(PaykitSubscriptionDefect) {
        _ = try running(at: now)
        let new = signed.subscription
        // With another payee it would be another subscription, which must not be accepted as this one.
        guard new.id == original.id, new.subscriber == original.subscriber, new.provider == original.provider,
            new.terms.currency == original.terms.currency
        else { throw .order("a change keeps the subscription's name, its two sides and its currency") }
        guard new.startsAt >= now || now - new.startsAt <= PaykitSubscriptionSignature.skew else {
            throw .order("what has been paid is not changed any more: the change begins in the past")
        }
        try signed.checkProposal(to: own, &nonces, at: now)
        proposal = signed
    }

    // MARK: Answering

    /// Accepts the other side's proposal. `pair` is the key pair of the side that did not propose it.
    ///
    /// - Returns: the agreement, for the other side.
    /// - Throws: ``PaykitSubscriptionDefect``.
    @discardableResult
    public mutating func accept(
        by pair: PubkyKeyPair, random: any RandomSource, at now: Int64
    ) throws(PaykitSubscriptionDefect) -> PaykitSignedSubscription {
        let signed = try answerable(at: now)
        guard signed.proposerSignature?.publicKey != pair.publicKey else {
            throw .order("who has proposed something cannot accept it as well")
        }
        let signature = try PaykitSubscriptionSignature(of: signed.subscription, by: pair, random: random, at: now)
        return agree(signed.adding(signature))
    }

    /// Receives the other side's acceptance of this side's proposal. `accepted` is the subscription as it was proposed,
    /// with both signatures. `nonces` are the signatures that were seen before.
    ///
    /// - Throws: ``PaykitSubscriptionDefect``.
    public mutating func take(
        _ accepted: PaykitSignedSubscription, nonces: inout PaykitNonces, at now: Int64
    ) throws(PaykitSubscriptionDefect) {
        let signed = try answerable(at: now)
        let mine = signed.proposerSignature
        let others = signed.subscriberSignature == nil ? accepted.subscriberSignature : accepted.providerSignature
        guard accepted.subscription == signed.subscription, let others,
            mine == (signed.subscriberSignature == nil ? accepted.providerSignature : accepted.subscriberSignature)
        else { throw .order("what was accepted is not what was proposed") }
        let key = signed.subscriberSignature == nil ? signed.subscription.subscriber : signed.subscription.provider
        try others.verify(signed.subscription, by: key, at: now)
        try nonces.use(others, at: now)
        _ = agree(accepted)
    }

    /// Declines the proposal. A declined change leaves the terms as they are.
    ///
    /// - Throws: ``PaykitSubscriptionDefect/order(_:)`` when there is no proposal.
    public mutating func decline() throws(PaykitSubscriptionDefect) {
        guard let proposal else { throw .order("nothing is proposed") }
        declined = proposal.proposerSignature?.nonce
        if agreements.isEmpty { isDeclined = true }
        self.proposal = nil
    }

    // MARK: Pausing and ending

    /// Pauses the payments. `end` is the end of the pause; nil until ``resume(at:)``.
    ///
    /// - Throws: ``PaykitSubscriptionDefect/order(_:)`` when the subscription is not running.
    public mutating func pause(from: Int64, until end: Int64? = nil) throws(PaykitSubscriptionDefect) {
        _ = try running(at: from)
        guard end.map({ $0 > from }) ?? true else { throw .order("a pause ends after it begins") }
        pauses.append(from..<(end ?? .max))
    }

    /// Ends a pause.
    ///
    /// - Throws: ``PaykitSubscriptionDefect/order(_:)`` when it is not paused.
    public mutating func resume(at now: Int64) throws(PaykitSubscriptionDefect) {
        guard let index = pauses.lastIndex(where: { $0.contains(now) }) else { throw .order("it is not paused") }
        pauses[index] = pauses[index].lowerBound..<now
        if pauses[index].isEmpty { pauses.remove(at: index) }
    }

    /// Ends the subscription for either side, without the other's consent. A stated end can only move to an earlier
    /// time. `effectiveAt` is the time when payments end.
    ///
    /// - Throws: ``PaykitSubscriptionDefect/order(_:)`` when nothing was agreed on, or it ends earlier already.
    public mutating func cancel(
        by side: Side, effectiveAt: Int64, reason: String? = nil
    ) throws(PaykitSubscriptionDefect) {
        guard !agreements.isEmpty else { throw .order("nothing was agreed to: decline the proposal instead") }
        if let before = cancellation?.effectiveAt, before <= effectiveAt { throw .order("it ends before that already") }
        cancellation = Cancellation(side: side, effectiveAt: effectiveAt, reason: reason)
        proposal = nil
    }

    // MARK: Status

    /// Returns the status at a moment.
    public func status(at now: Int64) -> Status {
        guard let agreed = agreements.first else {
            if isDeclined { return .declined }
            return proposal?.proposerSignature.map { now <= $0.expiresAt } ?? false ? .proposed : .lapsed
        }
        if let cancellation, cancellation.effectiveAt <= now { return .cancelled }
        let current = subscription(at: now) ?? agreed.subscription
        if let end = current.endsAt, end <= now { return .ended }
        if now < current.startsAt { return .upcoming }
        return pauses.contains { $0.contains(now) } ? .paused : .active
    }

    /// Returns the agreed subscription that applies at a moment; nil if none does yet.
    public func subscription(at now: Int64) -> PaykitSubscription? {
        agreements.last { $0.subscription.startsAt <= now }?.subscription
    }

    private func running(at now: Int64) throws(PaykitSubscriptionDefect) -> PaykitSubscription {
        switch status(at: now) {
        case .upcoming, .active, .paused:
            guard let current = subscription(at: now) ?? agreements.first?.subscription else { break }
            return current
        default: break
        }
        throw .order("only what runs, or is about to, can be changed")
    }

    private func answerable(at now: Int64) throws(PaykitSubscriptionDefect) -> PaykitSignedSubscription {
        guard let proposal, let signature = proposal.proposerSignature else { throw .order("nothing is proposed") }
        guard cancellation == nil else { throw .order("it was cancelled") }
        guard now <= signature.expiresAt else { throw .expiredSignature }
        return proposal
    }

    private mutating func agree(_ signed: PaykitSignedSubscription) -> PaykitSignedSubscription {
        // Agreements that would begin later are replaced by this one.
        agreements.removeAll { $0.subscription.startsAt >= signed.subscription.startsAt }
        agreements.append(signed)
        proposal = nil
        return signed
    }
}

/// A subscription that one side proposes, and the other accepts, by its signature.
extension PaykitSignedSubscription {
    /// The proposer's signature; nil if there is none, or if both have signed.
    var proposerSignature: PaykitSubscriptionSignature? {
        switch (subscriberSignature, providerSignature) {
        case (let signature?, nil), (nil, let signature?): signature
        default: nil
        }
    }

    func adding(_ signature: PaykitSubscriptionSignature) -> PaykitSignedSubscription {
        var signed = self
        if signature.publicKey == subscription.subscriber {
            signed.subscriberSignature = signature
        } else {
            signed.providerSignature = signature
        }
        return signed
    }

    /// Verifies that it is a proposal to `own` by the other side, and records its signature.
    func checkProposal(to own: PubkyKey, _ nonces: inout PaykitNonces, at now: Int64) throws(PaykitSubscriptionDefect) {
        guard [subscription.subscriber, subscription.provider].contains(own) else { throw .foreignKey }
        let other = subscription.subscriber == own ? subscription.provider : subscription.subscriber
        // The signature has to be in its side's place: with the provider's in place of the subscriber's, the subscriber
        // would have nothing left to sign.
        guard let signature = other == subscription.subscriber ? subscriberSignature : providerSignature,
            signature == proposerSignature
        else { throw .order("a proposal is signed by the side that proposes it, and by no other") }
        try signature.verify(subscription, by: other, at: now)
        try nonces.use(signature, at: now)
    }
}
