import PaykitProvider
import PaymentCore
import PaymentCrypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The pkarr relay (Protocol 2.2).
extension PubkySandbox {
    func relay(_ name: String, _ request: HTTPRequest) async throws(PubkySandboxError) -> HTTPResponse {
        var response: HTTPResponse
        switch request.method.rawValue {
        case "OPTIONS":
            response = HTTPResponse(status: 200, headers: ["Access-Control-Allow-Methods": "GET, PUT, OPTIONS"])
        case "GET": response = try look(try key(name), request)
        case "PUT": response = try await publish(try key(name), request)
        default: throw .wrongMethod
        }
        response.headers["Access-Control-Allow-Origin"] = "*"
        return response
    }

    private func key(_ name: String) throws(PubkySandboxError) -> PubkyKey {
        let key: PubkyKey
        do { key = try PubkyKey(bare: name) } catch { throw PubkySandboxError(400, "\(error)") }
        switch plans[key]?.relay {
        case .unavailable: throw PubkySandboxError(503, "Service Unavailable")
        case .busy: throw PubkySandboxError(429, "Too many requests to DHT nodes", headers: ["Retry-After": "7"])
        default: return key
        }
    }

    // MARK: Reading

    private func look(_ key: PubkyKey, _ request: HTTPRequest) throws(PubkySandboxError) -> HTTPResponse {
        if let policy = PubkyQuery(request)["policy"], !["CacheOnly", "CacheFirst", "NetworkOnly"].contains(policy) {
            throw PubkySandboxError(400, "unknown policy")
        }
        guard let packet = newest(key, port: request.url.port) else { throw .notFound }
        // A relay that returns an older packet ignores the condition of the request.
        if let old = oldPackets[key], !seenNewest.insert(key).inserted { return Self.answer(old, old.payload) }
        if plans[key]?.relay == .forges {
            var payload = packet.payload
            payload[0] ^= 1
            return Self.answer(packet, payload)
        }
        var response = Self.answer(packet, packet.payload)
        if generation != .cookies { response.headers["Memento-Datetime"] = HTTPDate.text(clock.now) }
        let stamp = packet.timestamp / 1_000_000
        if let text = request.headers["If-Modified-Since"], let since = HTTPDate.parse(text, now: clock.now),
            since.timeIntervalSince1970 >= Double(stamp)
        {
            response.status = 304
            response.body = []
        }
        return response
    }

    private static func answer(_ packet: SignedPacket, _ payload: [UInt8]) -> HTTPResponse {
        HTTPResponse(
            status: 200,
            headers: [
                "Content-Type": "application/pkarr.org/relays#payload",
                "Cache-Control": "public, max-age=\(packet.ttl)",
                "Last-Modified": HTTPDate.text(Date(microseconds: packet.timestamp)),
            ], body: payload)
    }

    /// Returns the latest packet of `key`; the homeserver's own names the port of the request.
    func newest(_ key: PubkyKey, port: UInt16) -> SignedPacket? {
        guard key == homeserver, let own = ownPacket(port: configuration.port ?? port) else { return packets[key] }
        guard let stored = packets[key], stored.isNewer(than: own) else { return own }
        return stored
    }

    private func ownPacket(port: UInt16) -> SignedPacket? {
        if let known = ownPackets[port] { return known }
        let packet = PubkyRecords.homeserver(port, at: now, by: keys.homeserver)
        ownPackets[port] = packet
        return packet
    }

    // MARK: Writing

    private func publish(_ key: PubkyKey, _ request: HTTPRequest) async throws(PubkySandboxError) -> HTTPResponse {
        guard request.body.count <= SignedPacket.maximumPayloadLength else {
            throw PubkySandboxError(413, "Payload Too Large")
        }
        let packet: SignedPacket
        do { packet = try SignedPacket(payload: request.body, of: key) } catch {
            throw PubkySandboxError(400, "\(error)")
        }
        let port = request.url.port
        try checkOrder(packet, port)
        if generation != .cookies {
            // Newer relays ignore `If-Match`, and do not make publishers wait for each other.
        } else if let condition = request.headers["If-Match"] {
            guard let time = UInt64(condition.filter { $0 != "\"" }) else {
                throw PubkySandboxError(400, "bad If-Match")
            }
            if let known = newest(key, port: port), known.timestamp != time {
                throw PubkySandboxError(412, "another packet is stored than the one to be replaced")
            }
        } else if publishing.contains(key) {
            throw PubkySandboxError(428, "another packet is being stored")
        }
        if configuration.publishTime > .zero {
            publishing.insert(key)
            try? await clock.sleep(for: configuration.publishTime)
            publishing.remove(key)
            try checkOrder(packet, port)
        }
        packets[key] = packet
        return HTTPResponse(status: 204, headers: generation == .cookies ? [:] : ["Pkarr-Dht-Stored-Nodes": "20"])
    }

    private func checkOrder(_ packet: SignedPacket, _ port: UInt16) throws(PubkySandboxError) {
        if let known = newest(packet.key, port: port), known.isNewer(than: packet) {
            throw PubkySandboxError(409, "a more recent packet is known")
        }
    }
}

/// The records that packets hold (Protocol 2.3).
enum PubkyRecords {
    /// A homeserver on this machine: by TLS to its key, and by plain HTTP at `port`.
    static func homeserver(_ port: UInt16, at time: UInt64, by owner: PubkyKeyPair) -> SignedPacket? {
        guard let apex = SignedPacket.name("", under: owner.publicKey), let local = DNSName("localhost") else {
            return nil
        }
        return try? SignedPacket(
            signing: [
                DNSRecord(apex, tls(apex)),
                DNSRecord(
                    apex,
                    .https(
                        DNSService(
                            priority: 10, target: local,
                            parameters: [.init(DNSService.localHTTPPortKey, port.bigEndianBytes)]))),
                DNSRecord(apex, .a([127, 0, 0, 1])),
            ], at: time, by: owner)
    }

    /// A homeserver that has no ordinary web address.
    static func keyOnly(at time: UInt64, by owner: PubkyKeyPair) -> SignedPacket? {
        guard let apex = SignedPacket.name("", under: owner.publicKey) else { return nil }
        return try? SignedPacket(
            signing: [DNSRecord(apex, tls(apex)), DNSRecord(apex, .a([127, 0, 0, 1]))], at: time, by: owner)
    }

    /// A homeserver whose record refers to another key.
    static func alias(of target: PubkyKey, at time: UInt64, by owner: PubkyKeyPair) -> SignedPacket? {
        guard let apex = SignedPacket.name("", under: owner.publicKey), let name = DNSName(target.text) else {
            return nil
        }
        return try? SignedPacket(
            signing: [DNSRecord(apex, .https(DNSService(priority: 1, target: name)))], at: time, by: owner)
    }

    /// A user whose data the homeserver `server` keeps; nil for a user who names none.
    static func user(of server: PubkyKey?, at time: UInt64, by owner: PubkyKeyPair) -> SignedPacket? {
        guard let name = SignedPacket.name("_pubky", under: owner.publicKey),
            let note = SignedPacket.name("", under: owner.publicKey)
        else { return nil }
        var records = [DNSRecord(note, .txt([Array("from the sandbox".utf8)]))]
        if let server, let target = DNSName(server.text) {
            records.append(DNSRecord(name, .https(DNSService(priority: 0, target: target))))
        }
        return try? SignedPacket(signing: records, at: time, by: owner)
    }

    private static func tls(_ apex: DNSName) -> DNSRecord.Content {
        .https(
            DNSService(
                priority: 1, target: .root,
                parameters: [
                    .init(DNSService.portKey, UInt16(6287).bigEndianBytes), .init(DNSService.ipv4Key, [127, 0, 0, 1]),
                ]))
    }
}
