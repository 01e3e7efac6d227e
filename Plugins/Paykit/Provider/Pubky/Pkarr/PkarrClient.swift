/// Resolves and publishes packets of keys, by relays and the DHT (Protocol 2.2 and 2.4).
///
/// The worst that relays and the DHT can do is to stay silent or return old packets: every packet is verified, all
/// relays are asked, and the latest packet counts. The DHT is slower, so readers ask it only if no relay returns a
/// packet. Before publishing, all relays and the DHT are asked.
package actor PkarrClient {
    private struct Known {
        let packet: SignedPacket
        /// True if the packet was received when no other packet of the same second could follow: only then may a relay
        /// be asked for changes since, because relays count whole seconds.
        let isAlone: Bool
    }

    private let relays: [HTTPURL]
    private let http: any HTTPTransport
    private let dht: (any PacketStore)?
    /// The stored times of packets. Without them an older packet is recognised only while this client lives.
    let times: (any PacketTimes)?
    private let clock: any PaymentClock
    private var known: RecentCache<PubkyKey, Known>

    /// - Parameters:
    ///   - dht: stores packets in addition to the relays; without it only relays are asked.
    ///   - capacity: the greatest number of cached packets; the least recently used are removed first.
    package init(
        relays: [HTTPURL], http: any HTTPTransport, dht: (any PacketStore)? = nil, times: (any PacketTimes)? = nil,
        clock: any PaymentClock, capacity: Int = 1000
    ) {
        self.times = times
        self.relays = relays
        self.http = http
        self.dht = dht
        self.clock = clock
        known = RecentCache(capacity: capacity)
    }

    /// Returns the latest packet of `key`; nil when there is none. Throws when neither a relay nor the DHT answered or
    /// is configured, and no packet is cached.
    package func resolve(_ key: PubkyKey, isFresh: Bool = false) async throws(PaykitNetworkError) -> SignedPacket? {
        if !isFresh, let known = known.value(of: key, at: clock.uptime) { return known.packet }
        return try await search(key, everywhere: isFresh).packet
    }

    package struct Finding: Sendable {
        package let packet: SignedPacket?
        /// True if every source that was asked has answered.
        package let isCertain: Bool
    }

    /// Searches for the latest packet of `key`, whether one is cached or not. `everywhere` is true to bypass all
    /// caches, and to ask the DHT in any case. Throws when neither a relay nor the DHT answered or is configured, and
    /// no packet is cached.
    package func search(_ key: PubkyKey, everywhere: Bool) async throws(PaykitNetworkError) -> Finding {
        let floor = try await latestTime(of: key) ?? 0
        let before = known.last(of: key)?.value
        let since = everywhere || before?.isAlone != true ? nil : before?.packet
        var answers = await withTaskGroup(of: Answer.self) { group in
            for relay in relays {
                group.addTask { [http] in
                    await Self.ask(relay, for: key, after: since, isFresh: everywhere, over: http)
                }
            }
            if everywhere, let dht { group.addTask { await Self.ask(dht, for: key) } }
            var answers: [Answer] = []
            for await answer in group { answers.append(answer) }
            return answers
        }
        if !everywhere, let dht, !answers.contains(where: { (try? $0.get()) != nil }) {
            answers.append(await Self.ask(dht, for: key))
        }
        // Another program may have seen a later one than this client.
        var newest = known.last(of: key).flatMap { $0.value.packet.timestamp < floor ? nil : $0.value.packet }
        var (failure, outdated): (PaykitNetworkError?, PaykitNetworkError?)
        for answer in answers {
            switch answer {
            case .success(let packet?) where packet.timestamp < floor: outdated = Self.outdated(key)
            case .success(let packet?): if newest.map(packet.isNewer) ?? true { newest = packet }
            case .success(nil): break
            case .failure(let error): failure = error
            }
        }
        let isAnswered = answers.contains { if case .success = $0 { true } else { false } }
        if newest == nil, let outdated { throw outdated }
        guard isAnswered || newest != nil else {
            throw failure
                ?? PaykitNetworkError(
                    .validationFailed, "no user can be looked up: the network needs a relay, or the DHT")
        }
        if let newest {
            if newest.timestamp > floor { try await record(newest) }
            keep(newest, isNew: isAnswered)
        }
        return Finding(packet: newest, isCertain: isAnswered && failure == nil && outdated == nil)
    }

    /// Publishes a packet to all relays and to the DHT. `former` is the packet that it replaces. Older relays store
    /// nothing if they know another packet. Current ones ignore it. Returns the number of relays that have it now; the
    /// DHT counts as one. Throws when none has it, when the DHT has a later packet of this key, or when at least as
    /// many relays know a later packet as have stored this one: another publisher's packet would be overwritten.
    @discardableResult
    package func publish(
        _ packet: SignedPacket, replacing former: SignedPacket? = nil
    ) async throws(PaykitNetworkError) -> Int {
        let results = await withTaskGroup(of: Answer.self) { group in
            for relay in relays {
                group.addTask { [http] in await Self.put(packet, replacing: former, to: relay, over: http) }
            }
            if let dht { group.addTask { await Self.put(packet, to: dht) } }
            var results: [Answer] = []
            for await result in group { results.append(result) }
            return results
        }
        var stored = 0
        var refusal: PaykitNetworkError?
        var conflicts: [PaykitNetworkError] = []
        for result in results {
            switch result {
            case .success(nil): stored += 1
            case .failure(let failure):
                if failure.code == .storage { conflicts.append(failure) }
                refusal = refusal ?? failure
            case .success(let later?):
                // The owner's signature proves the later packet, whatever relays have stored.
                let before = known.last(of: packet.key)?.value.packet
                if before.map(later.isNewer) ?? true { keep(later, isNew: true) }
                throw PaykitNetworkError(
                    .storage, "a later packet of \(packet.key) is in the DHT: look again before you publish")
            }
        }
        if stored == 0 || stored <= conflicts.count {
            throw conflicts.first ?? refusal
                ?? PaykitNetworkError(.validationFailed, "no relay is configured; what is published could not be found")
        }
        keep(packet, isNew: true)
        try await record(packet)
        return stored
    }

    private func keep(_ packet: SignedPacket, isNew: Bool) {
        let before = known.last(of: packet.key)
        let until = isNew ? clock.uptime + .seconds(Int64(packet.ttl)) : before?.end ?? .zero
        let isAlone = clock.now.timeIntervalSince(Date(microseconds: packet.timestamp)) > 2
        known.keep(
            Known(packet: packet, isAlone: isNew ? isAlone : before?.value.isAlone ?? false), of: packet.key,
            until: until)
    }

    // MARK: A single source

    /// The answer of a relay or the DHT: to a question its packet, if it has one; to a packet the later one that it
    /// has, or nil if it stores the packet.
    private typealias Answer = Result<SignedPacket?, PaykitNetworkError>

    private static func ask(_ dht: any PacketStore, for key: PubkyKey) async -> Answer {
        do throws(PaykitNetworkError) {
            return .success(try await dht.packet(of: key))
        } catch { return .failure(error) }
    }

    private static func put(_ packet: SignedPacket, to dht: any PacketStore) async -> Answer {
        do throws(PaykitNetworkError) {
            return .success(try await dht.store(packet))
        } catch { return .failure(error) }
    }

    private static let timeout: Duration = .seconds(10)

    private static func ask(
        _ relay: HTTPURL, for key: PubkyKey, after known: SignedPacket?, isFresh: Bool, over http: any HTTPTransport
    ) async -> Answer {
        do {
            let response = try await get(relay, key, after: known, isFresh: isFresh, over: http)
            // An intermediate cache may have kept the answer to another request.
            let isOdd = response.status == 304 && known == nil || response.status == 200 && response.body.isEmpty
            return try read(
                isOdd ? try await get(relay, key, after: nil, isFresh: true, over: http) : response, of: relay, key,
                unlessStill: isOdd ? nil : known)
        } catch let error as TransportError {
            return .failure(PaykitNetworkError(error))
        } catch let defect as WireDefect {
            return .failure(
                PaykitNetworkError(.invalidData, "the relay \(relay.host) sent an invalid packet: \(defect)"))
        } catch { return .failure(PaykitNetworkError(.transport, "the relay \(relay.host) cannot be asked")) }
    }

    private static func get(
        _ relay: HTTPURL, _ key: PubkyKey, after known: SignedPacket?, isFresh: Bool, over http: any HTTPTransport
    ) async throws -> HTTPResponse {
        var request = HTTPRequest(
            .get, try relay.appending([key.text], query: [("policy", isFresh ? "NetworkOnly" : "CacheFirst")]),
            timeout: timeout, responseLimit: SignedPacket.maximumPayloadLength)
        if isFresh { request.headers["Cache-Control"] = "no-cache, no-store, must-revalidate" }
        if let known { request.headers["If-Modified-Since"] = HTTPDate.text(Date(microseconds: known.timestamp)) }
        return try await http.send(request)
    }

    private static func read(
        _ response: HTTPResponse, of relay: HTTPURL, _ key: PubkyKey, unlessStill known: SignedPacket?
    ) throws -> Answer {
        switch response.status {
        case 200: return .success(try SignedPacket(payload: response.body, of: key))
        case 304 where known != nil: return .success(known)
        case 404 where response.headers["Pkarr-Invalid-Signed-Packet-Seq"] != nil:
            // The key exists, but its latest packet on the network is malformed.
            return .failure(
                PaykitNetworkError(
                    .invalidData, "the relay \(relay.host) found nothing but a packet that cannot be read",
                    retryAfter: .seconds(60)))
        case 404: return .success(nil)
        default: return .failure(failure(response.status, relay, response))
        }
    }

    private static func put(
        _ packet: SignedPacket, replacing former: SignedPacket?, to relay: HTTPURL, over http: any HTTPTransport
    ) async -> Answer {
        do {
            // A packet that arrives twice is the same packet.
            var request = HTTPRequest(
                .put, try relay.appending([packet.key.text]), body: packet.payload, replay: .safe, timeout: timeout)
            if let former { request.headers["If-Match"] = "\(former.timestamp)" }
            let response = try await http.send(request)
            if response.status == 412, let former,
                case .success(let theirs?) = await ask(relay, for: packet.key, after: nil, isFresh: true, over: http)
            {
                // Relays share packets: another relay may have passed this packet on already.
                if theirs.payload == packet.payload { return .success(nil) }
                // The former packet may come from the DHT, and the relay be behind it.
                if !theirs.isNewer(than: former) { return await put(packet, replacing: nil, to: relay, over: http) }
            }
            guard 200...299 ~= response.status else { return .failure(failure(response.status, relay, response)) }
            // Current relays report the number of nodes that have it; a relay without this header has stored it.
            guard let text = response.headers["Pkarr-Dht-Stored-Nodes"], Int(text).map({ $0 < 1 }) ?? true else {
                return .success(nil)
            }
            return .failure(
                PaykitNetworkError(
                    .transport, "the relay \(relay.host) found no node to keep the packet; try again later"))
        } catch let error as TransportError { return .failure(PaykitNetworkError(error)) } catch {
            return .failure(PaykitNetworkError(.transport, "the relay \(relay.host) cannot be reached"))
        }
    }

    private static func failure(_ status: Int, _ relay: HTTPURL, _ response: HTTPResponse) -> PaykitNetworkError {
        switch status {
        case 409, 412, 428:
            PaykitNetworkError(
                .storage, "the relay \(relay.host) knows a later packet of this key: look again before you publish")
        case 400, 413: PaykitNetworkError(.invalidData, "the relay \(relay.host) refused the packet")
        case 429: PaykitNetworkError(.rateLimited, "the relay \(relay.host) wants fewer requests")
        default: PaykitNetworkError(.transport, "the relay \(relay.host) failed (status \(status))")
        }
    }
}

/// Stores the time of the latest packet that was seen of each key, so that a program that starts again takes no older
/// one: relays and the DHT can return packets from before their owner moved.
package protocol PacketTimes: Sendable {
    /// Returns the time of the latest packet, in microseconds since 1970; nil for none. Throws the storage failure.
    func latest(of key: PubkyKey) async throws -> UInt64?

    /// Stores a time, unless a later one is stored. Throws the storage failure.
    func record(_ time: UInt64, of key: PubkyKey) async throws
}

extension PkarrClient {
    /// Returns the stored time of the latest packet of `key`. Throws `storage`, as it may be later than those found.
    func latestTime(of key: PubkyKey) async throws(PaykitNetworkError) -> UInt64? {
        do { return try await times?.latest(of: key) } catch {
            throw PaykitNetworkError(.storage, "the time of the latest packet of \(key) cannot be read: \(error)")
        }
    }

    func record(_ packet: SignedPacket) async throws(PaykitNetworkError) {
        do { try await times?.record(packet.timestamp, of: packet.key) } catch {
            throw PaykitNetworkError(
                .storage, "the time of the latest packet of \(packet.key) cannot be kept: \(error)")
        }
    }

    static func outdated(_ key: PubkyKey) -> PaykitNetworkError {
        PaykitNetworkError(
            .invalidData,
            "the network returns an older packet of \(key) than it did before, and it is not used: try again later",
            retryAfter: .seconds(60))
    }
}

/// Stores signed packets of keys in addition to the relays (Protocol 2.4): ``DHTResolver`` does so in the DHT.
public protocol PacketStore: Sendable {
    /// Returns the latest packet of `key`.
    ///
    /// - Returns: the packet, its signature checked; nil when the whole store was searched and has none.
    /// - Throws: ``PaykitNetworkError``, also when a part of the store did not answer and the rest has no packet.
    func packet(of key: PubkyKey) async throws(PaykitNetworkError) -> SignedPacket?

    /// Stores a packet in place of earlier ones.
    ///
    /// - Returns: a later packet of the same key that is stored, and stays; nil when `packet` is stored now.
    /// - Throws: ``PaykitNetworkError`` if neither is the case.
    func store(_ packet: SignedPacket) async throws(PaykitNetworkError) -> SignedPacket?

    /// Returns the addresses of a host, so that a stranger's record directs no request into the device's own network.
    ///
    /// - Parameter host: a name, or an address in dotted form.
    /// - Returns: the addresses; nil if they cannot be found.
    func addresses(of host: String) async -> [StreamAddress]?
}
