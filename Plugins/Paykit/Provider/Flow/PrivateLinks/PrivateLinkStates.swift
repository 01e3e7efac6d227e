import PaymentCrypto

/// The stored states of private links. The state of a link, its channel and its requests are records of one room, and
/// change together. Requests that are over and made room for others are in a second room.
struct PrivateLinkStates: Sendable {
    let store: any RecordStore
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
        fileprivate var rows: [String: PrivateLinkRequest] = [:]
        /// The numbers of the stored rows of requests that are over and were taken up again.
        fileprivate var past: [String: UInt64] = [:]

        init(party: PrivateLinkParty, record: PrivateLinkRecord, number: UInt64 = 0) {
            (self.party, self.record, self.number) = (party, record, number)
        }
    }

    /// Returns the stored state of a link; nil before its first poll. `id` is a request that may be stored apart.
    func held(_ party: PrivateLinkParty, about id: String?) async throws(PaykitNetworkError) -> Held? {
        let values = try await reading { try await store.values(of: party.room) }
        guard let state = try seal.open(party.stateKey, in: values, as: PrivateLinkRecord.self) else {
            guard values.isEmpty else { throw seal.changed }
            return nil
        }
        var held = Held(party: party, record: state.content, number: state.number)
        let stored = held.record.requests.stored
        guard values.keys.count(where: { $0.name.hasPrefix(PrivateLinkParty.rowPrefix) }) == stored.count else {
            throw seal.changed
        }
        held.record.requests.fill(
            try stored.map { row throws(PaykitNetworkError) in
                guard let read = try seal.open(party.rowKey(row.id), in: values, as: PrivateLinkRequest.self),
                    read.number == row.number
                else { throw seal.changed }
                return read.content
            })
        held.rows = Dictionary(uniqueKeysWithValues: held.record.requests.rows.map { ($0.id, $0) })
        // The channel belongs to the state if it has its number. Otherwise another one is made. Nothing else is lost
        // with it, as nothing else depends on it.
        if let channel = try? seal.open(party.channelKey, in: values, as: PrivateLinkChannelRecord.self),
            channel.number == state.number
        {
            held.channel = channel.content
        } else {
            held.channel = PrivateLinkChannelRecord(ephemeral: random.bytes(32), outbox: held.record.repeated)
        }
        if let id { try await takeUp(id, &held) }
        return held
    }

    /// Returns the links of an app that have a stored state, those with the apps of `peer`; nil for all users.
    func parties(
        of user: PubkyKey, _ receiver: PaykitReceiverPath, with peer: PubkyKey? = nil
    ) async throws(PaykitNetworkError) -> [PrivateLinkParty] {
        let (kind, app) = (PrivateLinkParty.kind, RecordMark("\(user)/\(receiver)"))
        let query =
            if let peer {
                RecordQuery(kind, by: "peer", of: RecordMark("\(app.text)/\(peer)"), limit: Int(Int32.max))
            } else {
                RecordQuery(kind, by: "app", of: app, limit: Int(Int32.max))
            }
        let found = try await reading { try await store.records(query) }
        return try found.map(\.key.room).sorted().map { room throws(PaykitNetworkError) in
            let words = room.name.split(separator: "/", omittingEmptySubsequences: false)
            guard words.count == 6, let peer = try? PubkyKey(String(words[3])),
                let app = PaykitReceiverPath("\(words[4])/\(words[5])")
            else { throw seal.changed }
            return PrivateLinkParty(user, receiver, with: peer, app)
        }
    }

    /// Takes up a request that was over, and is stored apart from the others.
    func takeUp(_ id: String, _ held: inout Held) async throws(PaykitNetworkError) {
        let key = held.party.pastKey(id)
        guard held.record.requests[id] == nil, held.past[id] == nil,
            let record = try await reading({ try await store.record(key) }),
            let row = try seal.open(key, in: [key: record.value], as: PrivateLinkRequest.self),
            held.record.requests.add(row.content)
        else { return }
        held.past[id] = row.number
    }

    private func reading<Value>(_ work: () async throws -> Value) async throws(PaykitNetworkError) -> Value {
        do { return try await work() } catch {
            throw PaykitNetworkError(.storage, "what is kept of a private link cannot be read: \(error)")
        }
    }

    /// Stores the link with the rows that have changed, in one step.
    func keep(_ held: inout Held) async throws(PaykitNetworkError) {
        let (party, number) = (held.party, held.number + 1)
        let numbers = Dictionary(uniqueKeysWithValues: held.record.requests.stored.map { ($0.id, $0.number) })
        var (writes, follows): ([RecordWrite], _) = ([], [party.stateKey: held.number])
        var stored: [PrivateLinkRequests.Stored] = []
        for row in held.record.requests.rows {
            if let known = numbers[row.id], held.rows[row.id] == row {
                stored.append(PrivateLinkRequests.Stored(id: row.id, number: known))
                continue
            }
            writes += try seal.writes(row, at: party.rowKey(row.id), number: number, random)
            stored.append(PrivateLinkRequests.Stored(id: row.id, number: number))
        }
        let live = Set(stored.map(\.id))
        for row in held.record.requests.dropped where !live.contains(row.id) {
            if numbers[row.id] != nil { writes.append(.remove(party.rowKey(row.id))) }
            guard row.hasMoney else { continue }
            let (key, known) = (party.pastKey(row.id), held.past[row.id] ?? 0)
            follows[key] = known
            writes += try seal.writes(row, at: key, number: known + 1, random)
        }
        for (id, known) in held.past where live.contains(id) {
            follows[party.pastKey(id)] = known
            writes.append(.remove(party.pastKey(id)))
        }
        held.record.requests.settle(stored)
        writes += try seal.writes(held.channel, at: party.channelKey, number: number, random)
        let app = "\(party.user)/\(party.receiver)"
        writes += try seal.writes(
            held.record, at: party.stateKey, number: number,
            marks: ["app": RecordMark(app), "peer": RecordMark("\(app)/\(party.peer)")], random)
        let isKept: Bool
        do { isKept = try await store.keep(writes, following: follows) } catch {
            throw PaykitNetworkError(.storage, "what is known of a private link cannot be kept: \(error)")
        }
        try require(isKept, .storage, "this private link is in use at the same time elsewhere: try again")
        held.number = number
        held.rows = Dictionary(uniqueKeysWithValues: held.record.requests.rows.map { ($0.id, $0) })
        held.past = [:]
    }
}

extension PrivateLinkParty {
    /// The name of the link among those that are stored.
    var name: String { "\(user)/\(receiver)/\(peer)/\(peerReceiver)" }

    static let kind = "paykit-link"
    static let rowPrefix = "request/"

    var room: RecordRoom { RecordRoom(Self.kind, name) }
    var stateKey: RecordKey { RecordKey(room, "state") }
    var channelKey: RecordKey { RecordKey(room, "channel") }
    func rowKey(_ id: String) -> RecordKey { RecordKey(room, Self.rowPrefix + id) }

    /// Returns the key of a stored request that is over. It is stored apart from the link's state.
    func pastKey(_ id: String) -> RecordKey { RecordKey("paykit-past-request", room: name, name: id) }

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
