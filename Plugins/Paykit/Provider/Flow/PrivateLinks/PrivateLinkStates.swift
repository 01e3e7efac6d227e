import PaymentCrypto

struct PrivateLinkStates: Sendable {
    let store: any SealedStateStore
    let seal: StateSeal
    let random: any RandomSource

    /// A stored record with its number, and the rows as they are stored.
    struct Held {
        let party: PrivateLinkParty
        var record: PrivateLinkRecord
        var number: UInt64
        var channel: PrivateLinkChannelRecord {
            get { record.channel }
            set { record.channel = newValue }
        }
        /// The number of the last state of the channel, whatever it was.
        fileprivate var channelNumber: UInt64 = 0
        fileprivate var rows: [String: PrivateLinkRequest] = [:]
        /// The numbers of the stored rows of requests that are over and were taken up again.
        fileprivate var past: [String: UInt64] = [:]

        init(party: PrivateLinkParty, record: PrivateLinkRecord, number: UInt64 = 0) {
            (self.party, self.record, self.number) = (party, record, number)
        }
    }

    /// Returns the stored state of a link; nil before its first poll. `id` is a request that may be stored apart.
    func held(_ party: PrivateLinkParty, about id: String?) async throws(PaykitNetworkError) -> Held? {
        let states = try await read(party.name)
        guard let state = states[party.name] else { return nil }
        var held = Held(
            party: party, record: try seal.open(state, named: party.name, as: PrivateLinkRecord.self),
            number: state.number)
        let stored = held.record.requests.stored
        let channel = states[party.channelName]
        guard states.count == stored.count + (channel == nil ? 1 : 2) else { throw seal.changed }
        held.record.requests.fill(
            try stored.map { row throws(PaykitNetworkError) in
                let name = party.rowName(row.id)
                guard let state = states[name], state.number == row.number else { throw seal.changed }
                return try seal.open(state, named: name, as: PrivateLinkRequest.self)
            })
        held.rows = Dictionary(uniqueKeysWithValues: held.record.requests.rows.map { ($0.id, $0) })
        fill(&held, channel)
        if let id { try await takeUp(id, &held) }
        return held
    }

    /// Fills in the channel that is stored with the state, or another one if there is none. Nothing else is lost with
    /// it, as nothing else depends on it.
    private func fill(_ held: inout Held, _ stored: SealedState?) {
        held.channelNumber = stored?.number ?? 0
        if let stored, stored.number == held.record.channelNumber,
            let channel = try? seal.open(stored, named: held.party.channelName, as: PrivateLinkChannelRecord.self)
        {
            held.channel = channel
        } else {
            held.channel = PrivateLinkChannelRecord(ephemeral: random.bytes(32), outbox: held.record.repeated)
        }
    }

    /// Returns the links of an app that have a stored state, those with the apps of `peer`; nil for all users.
    func parties(
        of user: PubkyKey, _ receiver: PaykitReceiverPath, with peer: PubkyKey? = nil
    ) async throws(PaykitNetworkError) -> [PrivateLinkParty] {
        let own = "\(user)/\(receiver)"
        return try await read(peer.map { "\(own)/\($0)" } ?? own).keys.sorted().compactMap { name in
            let words = name.dropFirst(own.utf8.count + 1).split(separator: "/", maxSplits: 1)
            guard words.count == 2, let peer = try? PubkyKey(String(words[0])),
                let app = PaykitReceiverPath(String(words[1]))
            else { return nil }
            return PrivateLinkParty(user, receiver, with: peer, app)
        }
    }

    /// Takes up a request that was over, and is stored apart from the others.
    func takeUp(_ id: String, _ held: inout Held) async throws(PaykitNetworkError) {
        let name = held.party.pastName(id)
        guard held.record.requests[id] == nil, held.past[id] == nil, let state = try await read(name)[name],
            held.record.requests.add(try seal.open(state, named: name, as: PrivateLinkRequest.self))
        else { return }
        held.past[id] = state.number
    }

    private func read(_ name: String) async throws(PaykitNetworkError) -> [String: SealedState] {
        do { return try await store.states(named: name) } catch {
            throw PaykitNetworkError(.storage, "what is kept of a private link cannot be read: \(error)")
        }
    }

    /// Stores the link with the rows that have changed, in one step.
    func keep(_ held: inout Held) async throws(PaykitNetworkError) {
        let numbers = Dictionary(uniqueKeysWithValues: held.record.requests.stored.map { ($0.id, $0.number) })
        var (states, removed): ([String: SealedState], [String]) = ([:], [])
        var stored: [PrivateLinkRequests.Stored] = []
        for row in held.record.requests.rows {
            var number = numbers[row.id] ?? 0
            if held.rows[row.id] != row {
                number += 1
                let name = held.party.rowName(row.id)
                states[name] = try seal.seal(row, named: name, number: number, random)
            }
            stored.append(PrivateLinkRequests.Stored(id: row.id, number: number))
        }
        let live = Set(stored.map(\.id))
        for row in held.record.requests.dropped where !live.contains(row.id) {
            if numbers[row.id] != nil { removed.append(held.party.rowName(row.id)) }
            guard row.hasMoney else { continue }
            let name = held.party.pastName(row.id)
            states[name] = try seal.seal(row, named: name, number: (held.past[row.id] ?? 0) + 1, random)
        }
        removed += held.past.keys.filter { live.contains($0) }.map { held.party.pastName($0) }
        held.record.requests.settle(stored)
        held.record.channelNumber = held.channelNumber + 1
        states[held.party.channelName] = try seal.seal(
            held.channel, named: held.party.channelName, number: held.record.channelNumber, random)
        let name = held.party.name
        states[name] = try seal.seal(held.record, named: name, number: held.number + 1, random)
        let isKept: Bool
        do { isKept = try await store.keep(states, removing: removed) } catch {
            throw PaykitNetworkError(.storage, "what is known of a private link cannot be kept: \(error)")
        }
        try require(isKept, .storage, "this private link is in use at the same time elsewhere: try again")
        held.number += 1
        held.channelNumber += 1
        held.rows = Dictionary(uniqueKeysWithValues: held.record.requests.rows.map { ($0.id, $0) })
        held.past = [:]
    }
}

extension PrivateLinkParty {
    var name: String { "\(user)/\(receiver)/\(peer)/\(peerReceiver)" }

    var channelName: String { "\(name)/channel" }

    func rowName(_ id: String) -> String { "\(name)/\(id)" }

    /// Returns the name of a stored request that is over. It is stored apart from the link's state.
    func pastName(_ id: String) -> String { "past/\(name)/\(id)" }

    /// Returns the name of a payment of this link for the payer's wallet or settler. It is the same for all programs
    /// that share the link's state. Peers choose the ids of requests, and two may choose the same one.
    func paymentName(_ words: [String]) -> String {
        "request-" + Hex.encode(Digest.sha256.hash(Array(([name] + words).joined(separator: "\n").utf8))).prefix(48)
    }

    /// Returns the name of a recurring request for schedulers: the peer, their app, and the request. Names of apps are
    /// long, so their hash is used.
    package func planName(_ id: String) -> String {
        "\(peer)/\(Hex.encode(Digest.sha256.hash(Array(peerReceiver.text.utf8)).prefix(8)))/\(id)"
    }
}
