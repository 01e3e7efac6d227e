import PaymentCrypto

/// Payments over private links (Protocol 12): a link connects two apps by files on both homeservers, so that they need
/// not be online at the same time. Call ``poll(_:_:_:)`` regularly. Whatever happens between two calls, no message is
/// sent twice with different content, and no payment is made twice or forgotten.
package struct PrivateLinkFlow: Sendable {
    let user: PubkyKey
    let receiver: PaykitReceiverPath
    let keys: PrivateLinkKeys
    let reader: PubkyReader
    let clock: any PaymentClock
    let random: any RandomSource
    /// Identifies this program among those that may have the link's state.
    let process: String
    let states: PrivateLinkStates

    static let mostMessages = 64

    package init(
        _ user: PubkyKey, as receiver: PaykitReceiverPath, _ keys: PrivateLinkKeys, _ reader: PubkyReader,
        store: any RecordStore, clock: any PaymentClock, random: any RandomSource, process: String? = nil
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

    // MARK: Stored state

    /// Returns the stored state of a link; nil before its first poll. `id` is a request that has to be part of it if it
    /// was ever stored, even if it is long over.
    func held(_ party: PrivateLinkParty, about id: String? = nil) async throws(PaykitNetworkError) -> Held? {
        try await states.held(party, about: id)
    }

    /// Stores changes. Nothing that follows from them leaves the device before.
    func keep(_ held: inout Held) async throws(PaykitNetworkError) { try await states.keep(&held) }

    /// Changes the stored state of a link, in up to eight attempts if other programs change it at the same time.
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

    // MARK: Polling

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
    /// Another copy of this app, with the same secret and another store, has established the link again. This one sends
    /// nothing any more. The program that is started last takes the link over. Give each device its own receiver.
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

// MARK: - Markers

/// The published markers of apps that accept private links (Protocol 12.3).
extension PrivateLinkFlow {
    /// Publishes this app's marker: the app accepts requests and lists, pays, and issues receipts.
    package func publishMarker(_ session: PubkySession) async throws(PaykitNetworkError) {
        let marker = ReceiverMarker(receiver, noiseKey: keys.routing)
        try await reader.homeserver(of: user).write(
            marker.bytes, to: try PubkyAddress(in: user, at: ReceiverMarker.path(of: receiver)), session)
    }

    /// Removes the marker. Links stay as they are.
    package func removeMarker(_ session: PubkySession) async throws(PaykitNetworkError) {
        try await reader.homeserver(of: user).delete(
            try PubkyAddress(in: user, at: ReceiverMarker.path(of: receiver)), session)
    }

    /// Returns the apps of a user that accept private links: wallets before servers, then by name.
    package func peerReceivers(of peer: PubkyKey) async throws(PaykitNetworkError) -> [PaykitReceiverPath] {
        let server = try await reader.homeserver(of: peer)
        let directory = ReceiverDirectory(reader)
        guard let survey = try await directory.survey(peer, at: server) else { return [] }
        var found: [PaykitReceiverPath] = []
        for receiver in try await directory.receivers(of: peer, survey, at: server) {
            let address = try PubkyAddress(in: peer, at: ReceiverMarker.path(of: receiver))
            guard let file = try await server.read(address),
                let marker = try? ReceiverMarker(file, of: receiver), marker.isReachable
            else { continue }
            found.append(receiver)
        }
        if found.isEmpty, survey.isLater { throw ReceiverDirectory.later(peer) }
        return found
    }

    /// Returns the app of a user that accepts private links: the only one, or of several the only one that has a link
    /// already.
    package func peerReceiver(of peer: PubkyKey) async throws(PaykitNetworkError) -> PaykitReceiverPath {
        let all = try await peerReceivers(of: peer)
        try require(
            !all.isEmpty, .methodNotSupported, "\(peer) has no app that private messages reach; pay what they publish")
        var found = all
        if all.count > 1 {
            found = []
            for app in all where try await peerKeys(party(peer, app)) != nil { found.append(app) }
        }
        guard found.count == 1 else {
            throw PaykitNetworkError(
                .validationFailed,
                "\(peer) has several apps that private messages reach (\(all.map(\.text).joined(separator: ", "))), and any app "
                    + "that they have let in may be one of them: ask them which")
        }
        return found[0]
    }

    func key(
        of peer: PubkyKey, _ peerReceiver: PaykitReceiverPath, at server: Homeserver
    ) async throws(PaykitNetworkError) -> PubkyKey {
        let address = try PubkyAddress(in: peer, at: ReceiverMarker.path(of: peerReceiver))
        guard let file = try await server.read(address) else {
            let survey = try await ReceiverDirectory(reader).survey(peer, at: server)
            if survey?.isLater == true { throw ReceiverDirectory.later(peer) }
            throw PaykitNetworkError(
                .methodNotSupported, "\(peer) has no app called '\(peerReceiver)' that private messages reach")
        }
        let marker: ReceiverMarker
        do { marker = try ReceiverMarker(file, of: peerReceiver) } catch {
            throw PaykitNetworkError(.invalidData, "what \(peer) says of '\(peerReceiver)' cannot be read: \(error)")
        }
        guard let key = marker.noiseKey else {
            throw PaykitNetworkError(
                .methodNotSupported,
                "the app '\(peerReceiver)' of \(peer) is too old for private payments: ask them to "
                    + "update it")
        }
        return key
    }
}

// MARK: - Trust

/// The peer's key, and the check for other copies of the link (Protocol 12.8).
extension PrivateLinkFlow {
    package struct PeerKeys: Sendable, Hashable {
        package let trusted: PubkyKey
        /// Another key that the app shows, and that is not confirmed; nil while it shows the trusted one.
        package let shown: PubkyKey?
    }

    /// Returns the keys of a peer's app; nil before the first poll.
    package func peerKeys(_ party: PrivateLinkParty) async throws(PaykitNetworkError) -> PeerKeys? {
        guard let record = try await held(party)?.record, let trusted = try? PubkyKey(record.peerKey) else {
            return nil
        }
        return PeerKeys(trusted: trusted, shown: record.shownKey.flatMap { try? PubkyKey($0) })
    }

    /// Trusts the key that the peer's app shows now in place of the one before. The link is established again with it,
    /// and what is still to be paid is sent again. Throws ``PaykitNetworkError``: `notFound` if the app does not show
    /// this key.
    package func trust(_ key: PubkyKey, _ party: PrivateLinkParty) async throws(PaykitNetworkError) {
        let ephemeral = random.bytes(32)
        try await change(party) { record throws(PaykitNetworkError) in
            guard record.peerKey != key.text else { return }
            guard record.shownKey == key.text else {
                throw PaykitNetworkError(
                    .notFound,
                    "the app '\(party.peerReceiver)' of \(party.peer) does not show this key: poll the link, and "
                        + "compare the key that it shows")
            }
            record.trust(key, ephemeral: ephemeral)
        }
    }

    /// Returns the number that both sides see for a key of the peer's app, if it is theirs and they see this app's: 60
    /// digits in twelve groups, to be compared in person.
    package func safetyNumber(with key: PubkyKey, _ party: PrivateLinkParty) -> String {
        let sides = [
            "\(party.user)/\(party.receiver)/\(keys.routing)", "\(party.peer)/\(party.peerReceiver)/\(key)",
        ].sorted()
        let hash = Digest.sha512.hash(Array((["paykit safety number"] + sides).joined(separator: "\n").utf8))
        return (0..<12).map { group in
            let number = hash[(group * 5)..<(group * 5 + 5)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 100_000
            return String(repeating: "0", count: 5 - String(number).count) + String(number)
        }.joined(separator: " ")
    }

    /// Returns true if the peer's app shows the trusted key. Another one is stored, which stops all payments.
    func isTrusted(_ shown: PubkyKey, _ held: inout Held) async throws(PaykitNetworkError) -> Bool {
        let other = shown.text == held.record.peerKey ? nil : shown.text
        if held.record.shownKey != other {
            held.record.shownKey = other
            try await keep(&held)
        }
        return other == nil
    }

    /// Returns false if another copy of this app has established the link again while this one was running. A program
    /// that has just started takes the link over instead. It also does so if its stored state is older than the link,
    /// as after a backup was restored. Both sides then begin again, and no number is used twice.
    func isAlone(_ held: inout Held, _ ends: Ends) async throws(PaykitNetworkError) -> Bool {
        let others = try await foreignMarker(held.record, ends)
        guard held.channel.recovery.process != process else {
            guard let others else { return true }
            // An older one was written late, by an earlier version of this state or by one that was lost.
            guard others.createdAt > held.channel.recovery.lastBegun else {
                held.channel.recovery.isMarkerDue = held.channel.recovery.ownAttempt != nil
                return true
            }
            return false
        }
        held.channel.recovery.process = process
        held.channel.recovery.since = moment.text
        let isBehind = others != nil ? true : try await isOlder(held.record, ends)
        if isBehind { try await recover(&held, after: others?.createdAt) } else { try await keep(&held) }
        return true
    }

    private func foreignMarker(
        _ record: PrivateLinkRecord, _ ends: Ends
    ) async throws(PaykitNetworkError) -> RecoveryMarker? {
        guard let file = try await ends.own.read(ends.files.ownMarker),
            let marker = (try? RecoveryMarker(file)).flatMap(\.self),
            !record.channel.recovery.hasAsked(marker.attemptID)
        else { return nil }
        return marker
    }

    /// Returns true if this side's folder holds a file that this state has not written.
    private func isOlder(_ record: PrivateLinkRecord, _ ends: Ends) async throws(PaykitNetworkError) -> Bool {
        guard record.channel.phase == .linked else { return false }
        return try await PrivateLinkFiles.has(from: record.channel.place.writeSlot, in: ends.files.own, at: ends.own)
    }
}

extension PrivateLinkRecord {
    /// Throws if the peer's app shows a key that is not confirmed: then no payment begins.
    func requireTrust() throws(PaykitNetworkError) {
        guard shownKey != nil else { return }
        throw PaykitNetworkError(
            .paymentRejected,
            "the payee's app has another key than before, and nothing is paid to it: compare the safety number with the "
                + "payee, and confirm the key")
    }
}
