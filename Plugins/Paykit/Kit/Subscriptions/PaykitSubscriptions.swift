import PaymentRecurring

/// The subscriptions between this user and one other: proposed, signed by both, changed and ended, with messages that
/// lie sealed on the homeservers of both. The two sides need not be online at the same time.
///
/// ```swift
/// let subscriptions = try await client.subscriptions(with: shop)
/// for record in try await subscriptions.poll().changed where record.proposal != nil {
///     try await subscriptions.accept(record.id)
/// }
/// try await subscriptions.poll()
/// ```
///
/// Only ``poll()`` sends anything: call it regularly, and after each of the other methods. The subscriptions are stored
/// in the client's store of links, sealed with this user's key. Errors are ``PaykitError``.
public struct PaykitSubscriptions: Sendable {
    /// The other user.
    public let peer: PubkyKey
    let client: PaykitClient

    /// The result of a poll.
    public typealias Update = PaykitSubscriptionUpdate

    /// Receives the other side's messages, and sends those that wait. Failures are retried at the next call.
    ///
    /// - Throws: ``PaykitError``; `methodNotSupported` when the other user has published no key to seal for.
    @discardableResult
    public func poll() async throws -> Update { try await client.pollSubscriptions(with: peer) }

    /// Exchanges the subscriptions at once, over a private channel with the other user, who listens
    /// (``PaykitClient/listen(at:asHost:port:for:)``). Their new proposals come by ``poll()`` alone, or over a channel
    /// that they open.
    ///
    /// - Throws: ``PaykitError``; of the type `methodNotSupported` when the other user publishes no private channel.
    @discardableResult
    public func exchangeOverChannel() async throws -> Update { try await client.exchangeSubscriptions(with: peer) }

    /// Returns the subscriptions, in the order of their first arrival.
    public func records() async throws -> [PaykitSubscriptionRecord] {
        try await client.withSubscriptions(with: peer) { exchange in try await exchange.records() }
    }

    /// Proposes a subscription between the two users, and signs it. It is agreed to once the other side has signed it.
    ///
    /// - Throws: ``PaykitError``.
    @discardableResult
    public func propose(_ subscription: PaykitSubscription) async throws -> PaykitSubscriptionRecord {
        try await client.withSubscriptions(with: peer) { exchange in try await exchange.propose(subscription) }
    }

    /// Proposes a change of a running subscription. The old terms hold until the other side has accepted it. `id` is
    /// the subscription's name. `effectiveAt` is the time from when it applies: seconds since 1970, not before now.
    /// See ``proration(of:to:from:)``.
    ///
    /// - Throws: ``PaykitError``.
    @discardableResult
    public func propose(
        _ change: PaykitSubscriptionChange, of id: String, from effectiveAt: Int64
    ) async throws -> PaykitSubscriptionRecord {
        let random = client.random
        return try await self.change(id) { record, pair, now throws(PaykitSubscriptionDefect) in
            try record.propose(change, from: effectiveAt, by: pair, random: random, at: now)
        }
    }

    /// Accepts and signs the other side's proposal. Have a scheduler charge it by
    /// `PaykitSubscriptionRecord.keepPlans(in:paysByItself:provider:policy:)`.
    ///
    /// - Throws: ``PaykitError``.
    @discardableResult
    public func accept(_ id: String) async throws -> PaykitSubscriptionRecord {
        let random = client.random
        return try await change(id) { record, pair, now throws(PaykitSubscriptionDefect) in
            try record.accept(by: pair, random: random, at: now)
        }
    }

    /// Declines the proposal. A declined change leaves the terms as they are.
    ///
    /// - Throws: ``PaykitError``.
    @discardableResult
    public func decline(_ id: String) async throws -> PaykitSubscriptionRecord {
        try await change(id) { record, _, _ throws(PaykitSubscriptionDefect) in try record.decline() }
    }

    /// Ends a subscription, without the other side's consent.
    ///
    /// - Parameters:
    ///   - id: the subscription's name.
    ///   - effectiveAt: the time from when nothing is paid: seconds since 1970.
    ///   - reason: for the other side; nil for none.
    /// - Throws: ``PaykitError``.
    @discardableResult
    public func cancel(
        _ id: String, effectiveAt: Int64, reason: String? = nil
    ) async throws -> PaykitSubscriptionRecord {
        let peer = peer
        return try await change(id) { record, _, _ throws(PaykitSubscriptionDefect) in
            let side: PaykitSubscriptionRecord.Side = record.side(of: peer) == .provider ? .subscriber : .provider
            try record.cancel(by: side, effectiveAt: effectiveAt, reason: reason)
        }
    }

    private func change(
        _ id: String,
        _ work: @Sendable (inout PaykitSubscriptionRecord, PubkyKeyPair, Int64) throws(PaykitSubscriptionDefect) -> Void
    ) async throws -> PaykitSubscriptionRecord {
        try await client.withSubscriptions(with: peer) { exchange in try await exchange.change(id, work) }
    }

    /// Returns the credit and the charge of a change of price in the middle of a period. `amount` is the new one, as
    /// decimal text in the subscription's currency. It applies from `effectiveAt`: seconds since 1970.
    ///
    /// - Returns: the proration; nil if no period runs at that time.
    /// - Throws: ``PaykitSubscriptionDefect`` when the amount is not valid, or the period is shorter than a day.
    public static func proration(
        of record: PaykitSubscriptionRecord, to amount: String, from effectiveAt: Int64
    ) throws -> PaykitProration? {
        let moment = Date(timeIntervalSince1970: Double(effectiveAt))
        guard let current = record.subscription(at: effectiveAt),
            let schedule = try? current.plan(paysByItself: false).schedule,
            let period = schedule.lastPeriod(at: moment), moment < period.end
        else { return nil }
        var terms = current.terms
        terms.amount = amount
        guard let old = try? current.terms.money(), let new = try? terms.money() else {
            throw PaykitSubscriptionDefect.field("amount", "is a decimal number in its currency")
        }
        return try PaykitProration(
            from: old, to: new, start: Int64(period.start.timeIntervalSince1970),
            end: Int64(period.end.timeIntervalSince1970), change: effectiveAt)
    }
}

extension PaykitClient {
    /// Returns the subscriptions with a user. This user's own key is required: subscriptions are signed.
    ///
    /// - Throws: ``PaykitError``.
    public func subscriptions(with pubkey: String) throws -> PaykitSubscriptions {
        do {
            let peer = try Self.key(pubkey)
            _ = try exchange(with: peer)
            return PaykitSubscriptions(peer: peer, client: self)
        } catch { throw PaykitError(error) }
    }

    func withSubscriptions<Value: Sendable>(
        with peer: PubkyKey, _ work: @Sendable (SubscriptionExchange) async throws -> Value
    ) async throws(PaykitError) -> Value {
        try await mappingErrors { try await work(exchange(with: peer)) }
    }

    func pollSubscriptions(with peer: PubkyKey) async throws(PaykitError) -> PaykitSubscriptionUpdate {
        try await signedIn { session in try await exchange(with: peer).poll(session) }
    }

    func exchangeSubscriptions(with peer: PubkyKey) async throws(PaykitError) -> PaykitSubscriptionUpdate {
        try await mappingErrors {
            guard let endpoint = try await directory.noiseEndpoint(of: peer) else {
                throw PaykitNetworkError(.methodNotSupported, "\(peer) publishes no private channel: poll instead")
            }
            let channel = try await dialer().open(to: endpoint)
            defer { channel.close() }
            return try await exchange(with: peer).exchange(over: channel)
        }
    }

    func exchange(with peer: PubkyKey) throws(PaykitNetworkError) -> SubscriptionExchange {
        let identity = try identity()
        try require(peer != identity.owner.publicKey, .validationFailed, "a subscription with oneself is not possible")
        return SubscriptionExchange(
            identity, with: peer, try messageStore(), store: store, clock: clock, random: random)
    }
}
