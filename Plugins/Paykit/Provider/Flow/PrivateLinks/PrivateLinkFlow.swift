import PaymentCrypto

/// The status of a private link.
@nonexhaustive
public enum PaykitLinkStatus: Sendable, Hashable {
    /// The peer has not answered yet.
    case linking
    /// The peer's messages cannot be read: they are of an earlier link, or in a newer form than is known here.
    case unreadable
    /// Messages arrive.
    case linked
    /// The peer's app shows another key than the one that is trusted. Nothing is sent to it, read from it or paid
    /// before the application has compared the safety number with the peer, and confirmed the key.
    case keyChanged(PubkyKey)
    /// Another copy of this app, with the same secret and another store, has begun the link anew. This one sends
    /// nothing any more; the program that is started last takes the link over. Give each device its own receiver.
    case takenOver

    package var words: String {
        switch self {
        case .linked: "linked"
        case .linking: "waiting for the other app"
        case .unreadable: "unreadable: of an earlier link, or of a newer app"
        case .keyChanged: "stopped: the other app shows another key"
        case .takenOver: "stopped: another copy has taken the link over"
        }
    }
}

/// Payments over private links (Protocol 12): a link connects two apps by files on both homeservers, so that they need
/// not be online at the same time. Call ``poll(_:_:_:)`` regularly; whatever happens between two calls, no message is
/// sent twice with different content, and no payment is made twice or forgotten.
package struct PrivateLinkFlow: Sendable {
    let user: PubkyKey
    let receiver: PaykitReceiverPath
    let keys: PrivateLinkKeys
    let reader: PubkyReader
    let clock: any PaymentClock
    let random: any RandomSource
    /// This program, among those that may have the link's state.
    let process: String
    let states: PrivateLinkStates

    static let mostMessages = 64

    package init(
        _ user: PubkyKey, as receiver: PaykitReceiverPath, _ keys: PrivateLinkKeys, _ reader: PubkyReader,
        store: any SealedStateStore, clock: any PaymentClock, random: any RandomSource, process: String? = nil
    ) {
        self.process = process ?? EventID.draw(random)
        self.user = user
        self.receiver = receiver
        self.keys = keys
        self.reader = reader
        self.clock = clock
        self.random = random
        states = PrivateLinkStates(store: store, seal: StateSeal(keys), random: random)
    }

    typealias Held = PrivateLinkStates.Held

    package typealias Status = PaykitLinkStatus

    package func party(_ peer: PubkyKey, _ peerReceiver: PaykitReceiverPath) throws(PaykitNetworkError)
        -> PrivateLinkParty
    {
        try require(peer != user, .validationFailed, "a private link with oneself is not possible")
        return PrivateLinkParty(user, receiver, with: peer, peerReceiver)
    }

    package func parties() async throws(PaykitNetworkError) -> [PrivateLinkParty] {
        try await states.parties(of: user, receiver)
    }

    // MARK: What is kept

    /// Returns the stored state of a link; nil before its first poll. `id` is a request that has to be part of it if it
    /// was ever stored, however long it is over.
    func held(_ party: PrivateLinkParty, about id: String? = nil) async throws(PaykitNetworkError) -> Held? {
        try await states.held(party, about: id)
    }

    /// Stores changes. Nothing that follows from them leaves the device before.
    func keep(_ held: inout Held) async throws(PaykitNetworkError) { try await states.keep(&held) }

    /// Changes the stored state of a link, in up to eight attempts where other programs change it at the same time.
    func change<Value>(
        _ party: PrivateLinkParty, about id: String? = nil,
        _ work: (inout PrivateLinkRecord) throws(PaykitNetworkError) -> Value
    ) async throws(PaykitNetworkError) -> Value {
        var last: PaykitNetworkError?
        for _ in 0..<8 {
            guard var held = try await held(party, about: id) else {
                throw PaykitNetworkError(.notInitialized, "there is no private link with \(party.peer) yet: poll first")
            }
            let before = held.record
            let value = try work(&held.record)
            guard held.record != before else { return value }
            do throws(PaykitNetworkError) {
                try await keep(&held)
                return value
            } catch {
                guard error.code == .storage else { throw error }
                last = error
            }
        }
        throw last ?? PaykitNetworkError(.storage, "this private link cannot be changed: try again")
    }

    // MARK: A look

    /// Advances the link as far as possible: sends this side's messages, and reads the peer's. Returns the progress of
    /// the link. Throws ``PaykitNetworkError``. The next call repeats the step that failed.
    @discardableResult
    package func poll(
        _ peer: PubkyKey, _ peerReceiver: PaykitReceiverPath, _ session: PubkySession
    ) async throws(PaykitNetworkError) -> Status {
        let party = try party(peer, peerReceiver)
        let peersServer = try await reader.homeserver(of: peer)
        let peerKey = try await key(of: peer, peerReceiver, at: peersServer)
        var held: Held
        if let known = try await self.held(party) {
            held = known
        } else {
            held = Held(party: party, record: PrivateLinkRecord(peerKey: peerKey.text, ephemeral: random.bytes(32)))
            try await keep(&held)
        }
        guard try await isTrusted(peerKey, &held) else { return .keyChanged(peerKey) }
        let files = try PrivateLinkFiles(party, keys, peerKey: peerKey, agreement(with: peerKey, of: party))
        let ownServer = try await reader.homeserver(of: user)
        let begins = PrivateLinkParty.begins(user, with: peer) == true
        let ends = Ends(own: ownServer, peers: peersServer, files: files, session: session, begins: begins)
        guard try await isAlone(&held, ends) else { return .takenOver }
        try await observe(&held, ends)
        try await clear(&held, ends)
        try await announce(&held, ends)
        guard try await shake(&held, ends) else { return held.channel.unreadable > 0 ? .unreadable : .linking }
        guard try await receive(&held, ends) else { return .linking }
        guard try await mend(&held, ends), try await send(&held, ends) else { return .linking }
        try await fetchReceipts(&held, ends)
        return .linked
    }

    func agreement(with key: PubkyKey, of party: PrivateLinkParty) throws(PaykitNetworkError) -> [UInt8] {
        do { return try keys.agreement(with: key) } catch {
            throw PaykitNetworkError(
                .invalidData, "\(party.peer) publishes a key that no private link can be made with")
        }
    }

    struct Ends {
        let own: Homeserver
        let peers: Homeserver
        let files: PrivateLinkFiles
        let session: PubkySession
        let begins: Bool
    }

    var moment: PrivateLinkTime { PrivateLinkTime(seconds: Int64(clock.now.timeIntervalSince1970)) }
}
