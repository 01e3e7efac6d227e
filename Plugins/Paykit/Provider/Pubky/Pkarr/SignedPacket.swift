package import PaymentCrypto

/// A user's own DNS records under their key, signed (pkarr; Protocol 2.1).
///
/// A value of this type was always signed by the user's key, whatever its source.
public struct SignedPacket: Sendable, Hashable {
    package let key: PubkyKey
    package let signature: [UInt8]
    /// The time of its creation: microseconds since 1970. The greater one counts.
    package let timestamp: UInt64
    /// The DNS message as it was signed.
    package let dns: [UInt8]
    package let message: DNSMessage

    package static let maximumDNSLength = 1000
    package static let maximumPayloadLength = 72 + maximumDNSLength

    /// Checks and reads the payload of `key` from a relay or the DHT: signature, time and DNS message (Protocol 2.2).
    package init(payload: [UInt8], of key: PubkyKey) throws(WireDefect) {
        guard payload.count >= 72 else { throw WireDefect("a signed packet has 72 bytes at least") }
        var reader = ByteReader(payload)
        let signature = try reader.bytes(64)
        let timestamp = try reader.uint64()
        try self.init(key: key, signature: signature, timestamp: timestamp, dns: reader.rest())
    }

    /// Checks and reads the parts of a packet, as the network's nodes store them.
    package init(key: PubkyKey, signature: [UInt8], timestamp: UInt64, dns: [UInt8]) throws(WireDefect) {
        guard dns.count <= Self.maximumDNSLength else { throw WireDefect("a signed packet is too long") }
        let signed = Self.signable(timestamp, dns)
        guard Ed25519.isValid(signature, message: signed, publicKey: key.bytes) else {
            throw WireDefect("a signed packet was not signed by \(key)")
        }
        self.key = key
        self.signature = signature
        self.timestamp = timestamp
        self.dns = dns
        message = try DNSMessage(parsing: dns)
    }

    /// Signs `records`, whose names end with the key of `owner`.
    package init(signing records: [DNSRecord], at timestamp: UInt64, by owner: PubkyKeyPair) throws(WireDefect) {
        let message = DNSMessage(answers: records)
        let dns = message.wire
        guard dns.count <= Self.maximumDNSLength else {
            throw WireDefect("a signed packet has room for 1000 bytes of records; these take \(dns.count)")
        }
        key = owner.publicKey
        signature = owner.sign(Self.signable(timestamp, dns))
        self.timestamp = timestamp
        self.dns = dns
        self.message = message
    }

    /// The payload that relays carry: the packet without its key.
    package var payload: [UInt8] { signature + timestamp.bigEndianBytes + dns }

    /// Returns the bytes that are signed (BEP 44, without salt).
    package static func signable(_ timestamp: UInt64, _ dns: [UInt8]) -> [UInt8] {
        Array("3:seqi\(timestamp)e1:v\(dns.count):".utf8) + dns
    }

    /// Returns true if this one counts instead of `other`: the later one, or for equal times the one of greater bytes.
    package func isNewer(than other: SignedPacket) -> Bool {
        timestamp == other.timestamp ? other.dns.lexicographicallyPrecedes(dns) : timestamp > other.timestamp
    }

    /// The lifetime in a cache, in seconds: the shortest of its records, from five minutes to a day.
    package var ttl: UInt32 {
        min(max(message.answers.map(\.ttl).min() ?? 0, 300), 86_400)
    }

    /// Returns the records at `name`, relative to the key: `_pubky`, or an empty text for the key itself.
    package func records(at name: String) -> [DNSRecord] {
        guard let owner = Self.name(name, under: key) else { return [] }
        return message.answers.filter { $0.name == owner }
    }

    package func services(at name: String) -> [DNSService] {
        // Sorting is stable for equal priorities by the index.
        records(at: name).compactMap(\.data.service).enumerated().sorted {
            ($0.element.priority, $0.offset) < ($1.element.priority, $1.offset)
        }.map(\.element)
    }

    package static func name(_ name: String, under key: PubkyKey) -> DNSName? {
        DNSName(name.isEmpty ? key.text : "\(name).\(key.text)")
    }
}

extension Date {
    /// Microseconds since 1970; zero before.
    package var microseconds: UInt64 { UInt64(exactly: (timeIntervalSince1970 * 1_000_000).rounded(.down)) ?? 0 }

    package init(microseconds: UInt64) { self.init(timeIntervalSince1970: Double(microseconds) / 1_000_000) }
}
