import PaymentCrypto

/// Subscriptions between this user and one other: stored here, and left sealed for the other side on this user's
/// homeserver (Protocol 6.3). Changes are stored before they are sent. Only ``poll(_:)`` sends.
package struct SubscriptionExchange: Sendable {
    private let identity: ChannelIdentity
    private let peer: PubkyKey
    private let messages: SealedMessageStore
    private let store: any RecordStore
    private let clock: any PaymentClock
    private let random: any RandomSource

    /// The most subscriptions with one other user: a new one takes the place of the oldest that is over.
    package static let mostRecords = 64

    package init(
        _ identity: ChannelIdentity, with peer: PubkyKey, _ messages: SealedMessageStore,
        store: any RecordStore, clock: any PaymentClock, random: any RandomSource
    ) {
        self.identity = identity
        self.peer = peer
        self.messages = messages
        self.store = store
        self.clock = clock
        self.random = random
    }

    private struct Kept: Codable {
        var records: [PaykitSubscriptionRecord] = []
        var nonces = PaykitNonces()
        /// The names of the subscriptions whose view is still to be sent.
        var unsent: Set<String> = []
    }

    private var own: PubkyKey { identity.owner.publicKey }
    private var now: Int64 { Int64(clock.now.timeIntervalSince1970) }
    private var key: RecordKey { RecordKey("paykit-subscriptions", room: "\(own)/\(peer)", name: "state") }

    // MARK: Storing

    /// The key follows from the owner's alone, whatever device and epoch the channels have.
    private var seal: StateSeal {
        StateSeal(
            identity.owner.channelKey(device: Array("kept subscriptions".utf8), epoch: 0), for: "kept subscriptions",
            changed: "the stored subscriptions were changed, or are another user's")
    }

    private func kept() async throws(PaykitNetworkError) -> (kept: Kept, number: UInt64) {
        let values: [RecordKey: [UInt8]]
        do { values = try await store.values(of: key.room) } catch {
            throw PaykitNetworkError(.storage, "the subscriptions cannot be read: \(error)")
        }
        guard let state = try seal.open(key, in: values, as: Kept.self) else {
            guard values.isEmpty else { throw seal.changed }
            return (Kept(), 0)
        }
        return (state.content, state.number)
    }

    private func keep(_ kept: Kept, _ number: inout UInt64) async throws(PaykitNetworkError) {
        let writes = try seal.writes(kept, at: key, number: number + 1, random)
        let isKept: Bool
        do { isKept = try await store.keep(writes, following: [key: number]) } catch {
            throw PaykitNetworkError(.storage, "the subscriptions cannot be kept: \(error)")
        }
        try require(isKept, .storage, "these subscriptions are changed elsewhere at this moment: try again")
        number += 1
    }

    // MARK: Own changes

    /// Returns the subscriptions with the other user, in the order that they became known.
    package func records() async throws(PaykitNetworkError) -> [PaykitSubscriptionRecord] {
        try await kept().kept.records
    }

    package func propose(
        _ subscription: PaykitSubscription
    ) async throws(PaykitNetworkError) -> PaykitSubscriptionRecord {
        guard Set([subscription.subscriber, subscription.provider]) == [own, peer] else {
            throw PaykitNetworkError(.validationFailed, "the subscription is not between this user and \(peer)")
        }
        var (kept, number) = try await kept()
        guard !kept.records.contains(where: { $0.id == subscription.id }) else {
            throw PaykitNetworkError(.validationFailed, "there is a subscription of this name: propose a change of it")
        }
        let record: PaykitSubscriptionRecord
        do {
            record = try PaykitSubscriptionRecord(proposing: subscription, by: identity.owner, random: random, at: now)
        } catch { throw PaykitNetworkError(.validationFailed, error.description) }
        try require(
            add(record, &kept), .validationFailed, "too many subscriptions with this user are open: end one first")
        kept.unsent.insert(record.id)
        try await keep(kept, &number)
        return record
    }

    /// Changes a subscription, and stores it together with the note that it is unsent.
    package func change(
        _ id: String,
        _ work: (inout PaykitSubscriptionRecord, PubkyKeyPair, Int64) throws(PaykitSubscriptionDefect) -> Void
    ) async throws(PaykitNetworkError) -> PaykitSubscriptionRecord {
        var (kept, number) = try await kept()
        guard let place = kept.records.firstIndex(where: { $0.id == id }) else {
            throw PaykitNetworkError(.notFound, "there is no subscription of this name with \(peer)")
        }
        do { try work(&kept.records[place], identity.owner, now) } catch {
            throw PaykitNetworkError(.validationFailed, error.description)
        }
        kept.unsent.insert(id)
        try await keep(kept, &number)
        return kept.records[place]
    }

    private func add(_ record: PaykitSubscriptionRecord, _ kept: inout Kept) -> Bool {
        if kept.records.count >= Self.mostRecords {
            let over = kept.records.firstIndex {
                [.declined, .lapsed, .cancelled, .ended].contains($0.status(at: now))
            }
            guard let over else { return false }
            kept.unsent.remove(kept.records.remove(at: over).id)
        }
        kept.records.append(record)
        return true
    }

    // MARK: Polling

    /// Reads the other side's messages, and sends this side's.
    package func poll(_ session: PubkySession) async throws(PaykitNetworkError) -> PaykitSubscriptionUpdate {
        var (kept, number) = try await kept()
        var update = PaykitSubscriptionUpdate()
        let before = (kept.records, kept.nonces)
        for message in try await messages.messages(.proposal, from: peer).messages {
            do throws(WireDefect) {
                if let view = try SubscriptionView(message.content) {
                    receive(view, &kept, &update)
                } else if let offer = try? PaykitSubscription(message.content), offer.provider == peer,
                    offer.subscriber == own, !kept.records.contains(where: { $0.id == offer.id })
                {
                    update.offers.append(offer)
                }
            } catch { update.refused.append((message.name, "\(error)")) }
        }
        if before != (kept.records, kept.nonces) { try await keep(kept, &number) }
        for id in kept.unsent.sorted() {
            if let record = kept.records.first(where: { $0.id == id }) {
                guard let content = try? JSONValue(parsing: SubscriptionView(record, of: own).text) else { continue }
                try await messages.leave(content, as: .proposal, named: Self.file(id), for: peer, session)
            }
            kept.unsent.remove(id)
            try await keep(kept, &number)
        }
        return update
    }

    // MARK: Over a channel

    /// Merges the other side's view of a subscription, which it shows over a channel that it has opened. Returns this
    /// side's view; nil if it has none, or refuses the other's.
    package func answer(_ message: JSONValue) async throws(PaykitNetworkError) -> JSONValue? {
        guard let view = (try? SubscriptionView(message)).flatMap(\.self) else { return nil }
        var update = PaykitSubscriptionUpdate()
        try await take(view, &update)
        guard update.refused.isEmpty else { return nil }
        return try await records().first { $0.id == view.id }.map { SubscriptionView($0, of: own).json }
    }

    /// Shows each subscription over an open channel, and merges the other side's view of it. Unsent views are still
    /// left on the homeserver later: the other side may lose what it has received.
    package func exchange(over channel: PrivateChannel) async throws(PaykitNetworkError) -> PaykitSubscriptionUpdate {
        guard channel.peer == peer else {
            throw PaykitNetworkError(.validationFailed, "the channel is with \(channel.peer), and not with \(peer)")
        }
        var update = PaykitSubscriptionUpdate()
        for record in try await records() {
            guard let theirs = try await channel.exchange(SubscriptionView(record, of: own).json) else { continue }
            guard let view = (try? SubscriptionView(theirs)).flatMap(\.self), view.id == record.id else {
                update.refused.append((record.id, "the answer is not about this subscription"))
                continue
            }
            try await take(view, &update)
        }
        return update
    }

    private func take(_ view: SubscriptionView, _ update: inout PaykitSubscriptionUpdate)
        async throws(PaykitNetworkError)
    {
        var (kept, number) = try await kept()
        let before = (kept.records, kept.nonces)
        receive(view, &kept, &update)
        if before != (kept.records, kept.nonces) { try await keep(kept, &number) }
    }

    private func receive(_ view: SubscriptionView, _ kept: inout Kept, _ update: inout PaykitSubscriptionUpdate) {
        do throws(PaykitSubscriptionDefect) {
            guard let place = kept.records.firstIndex(where: { $0.id == view.id }) else {
                guard let proposal = view.proposal, let signature = proposal.proposerSignature,
                    !kept.nonces.has(signature)
                else { return }
                let record = try PaykitSubscriptionRecord(receiving: proposal, as: own, nonces: &kept.nonces, at: now)
                guard record.side(of: peer) != nil else { throw .foreignKey }
                guard add(record, &kept) else { throw .order("too many subscriptions with this user are open") }
                update.changed.append(record)
                return
            }
            if try kept.records[place].merge(view, as: own, nonces: &kept.nonces, at: now) {
                update.changed.append(kept.records[place])
            }
        } catch { update.refused.append((view.id, error.description)) }
    }

    /// Senders choose the names of subscriptions, so the file's name is a hash.
    private static func file(_ id: String) -> String {
        "sub-" + Hex.encode(Digest.sha256.hash(Array(id.utf8)).prefix(20))
    }
}

/// The result of receiving another user's messages about subscriptions.
public struct PaykitSubscriptionUpdate: Sendable {
    /// The subscriptions that the other side has changed: proposed, accepted, declined or ended.
    public internal(set) var changed: [PaykitSubscriptionRecord] = []
    /// Subscriptions that the other side offers without a signature, as other apps do. To agree to one, propose it.
    public internal(set) var offers: [PaykitSubscription] = []
    /// The reasons of refused messages, by the subscription's name.
    public internal(set) var refused: [(id: String, reason: String)] = []
}

/// One side's view of a subscription, as it lies sealed for the other side (Protocol 6.3). It is always complete: a
/// message replaces all that were missed, and a repeated one changes nothing.
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

    /// Merges the other side's view. Returns true if it has changed anything. Throws ``PaykitSubscriptionDefect`` for
    /// the first part that is refused. The parts before it count.
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
            // Of two proposals that cross each other, both sides keep the same one.
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
