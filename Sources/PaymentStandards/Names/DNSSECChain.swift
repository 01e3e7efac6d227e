import PaymentCore
import PaymentCrypto

/// Proves records from the root's keys down. Source: RFC 4035 section 5, RFC 5155, RFC 9102 for the form.
struct DNSSECChain {
    /// All records of one name and type that were proved.
    struct Proved {
        let records: [DNSRecord]
        let signature: DNSSECSignature
        /// True if the name does not exist and a wildcard answered for it. A wildcard's own star is not counted (RFC
        /// 4034 section 3.1.3).
        var isExpanded: Bool {
            guard let owner = records.first?.owner.labels else { return false }
            return signature.labels < owner.count - (owner.first == [UInt8(ascii: "*")] ? 1 : 0)
        }
    }

    private struct Key: Hashable {
        let owner: DNSName
        let type: UInt16
    }

    /// The root's keys, as DS records: those of 2017 and 2024 (data.iana.org/root-anchors).
    static let rootAnchors = [
        "4f660802e06d44b80b8f1d39a95c0b0d7c65d08458e880409bbc683457104237c7f8ec8d",
        "97280802683d2d0acb8c9b712a1948b27f741219298d0a450d612c483af444a4c0fb2b16",
    ].compactMap { Hex.decode($0) }
    /// The most signatures that are checked. Keys may share a tag, and crafted ones would cause endless work.
    private static let maximumChecks = 100

    private let sets: [Key: [DNSRecord]]
    private let signatures: [Key: [DNSSECSignature]]
    private let time: UInt32
    private let anchors: [[UInt8]]
    private var keys: [DNSName: [DNSSECKey]] = [:]
    private var checks = 0
    /// The period in which all used signatures are valid.
    private(set) var validity: ClosedRange<UInt32> = 0...UInt32.max
    /// The time for which the proved records may be kept, in seconds.
    private(set) var ttl = UInt32.max

    /// Creates a chain of `records`, in any order. `time`, in seconds of Unix time, is when they must be valid.
    /// `anchors` are the root's keys as DS records.
    init(_ records: [DNSRecord], at time: UInt32, anchors: [[UInt8]]) {
        var sets: [Key: [DNSRecord]] = [:]
        var signatures: [Key: [DNSSECSignature]] = [:]
        var seen: Set<[UInt8]> = []
        for record in records {
            // A repeated record counts once, even with another TTL.
            let identity =
                record.owner.wire + [UInt8(record.type >> 8), UInt8(record.type & 0xFF)] + record.canonicalData
            guard seen.insert(identity).inserted else { continue }
            if record.type == DNSRecord.Kind.rrsig {
                guard let signature = DNSSECSignature(record) else { continue }
                signatures[Key(owner: record.owner, type: signature.covered), default: []].append(signature)
            } else {
                sets[Key(owner: record.owner, type: record.type), default: []].append(record)
            }
        }
        (self.sets, self.signatures, self.time, self.anchors) = (sets, signatures, time, anchors)
    }

    /// Returns the proved records of `owner` and `type`; nil if no record exists or no signature is valid.
    mutating func proved(_ owner: DNSName, _ type: UInt16) -> Proved? {
        let key = Key(owner: owner, type: type)
        guard let records = sets[key] else { return nil }
        for signature in signatures[key] ?? [] {
            // The record that names a zone's keys is signed by the zone above it.
            let isAbove = type != DNSRecord.Kind.ds || signature.signer != owner
            guard isAbove, owner.isWithin(signature.signer), signature.validity.contains(time) else { continue }
            for zoneKey in zoneKeys(signature.signer) where check(signature, records, zoneKey) {
                return use(records, signature)
            }
        }
        return nil
    }

    private mutating func check(_ signature: DNSSECSignature, _ records: [DNSRecord], _ key: DNSSECKey) -> Bool {
        guard key.tag == signature.tag, checks < Self.maximumChecks else { return false }
        checks += 1
        return signature.isValid(over: records, by: key)
    }

    private mutating func use(_ records: [DNSRecord], _ signature: DNSSECSignature) -> Proved {
        validity =
            max(
                validity.lowerBound, signature.validity.lowerBound)...max(
                max(validity.lowerBound, signature.validity.lowerBound),
                min(validity.upperBound, signature.validity.upperBound))
        ttl = records.reduce(min(ttl, signature.originalTTL)) { min($0, $1.ttl) }
        return Proved(records: records, signature: signature)
    }

    /// Returns the keys of `zone`. A key that the zone above names must have signed them. Each step leads to a shorter
    /// name, so the recursion ends.
    private mutating func zoneKeys(_ zone: DNSName) -> [DNSSECKey] {
        if let known = keys[zone] { return known }
        keys[zone] = []
        let delegations: [[UInt8]]
        if zone == .root {
            delegations = anchors
        } else {
            // A wildcard does not prove which zones exist.
            guard let named = proved(zone, DNSRecord.Kind.ds), !named.isExpanded else { return [] }
            delegations = named.records.map(\.data)
        }
        let key = Key(owner: zone, type: DNSRecord.Kind.dnskey)
        let records = sets[key] ?? []
        let all = records.compactMap { DNSSECKey($0) }
        let entries = all.filter { entry in delegations.contains { entry.isNamed(by: $0, zone: zone) } }
        for signature in signatures[key] ?? []
        where signature.signer == zone && signature.validity.contains(time) {
            for entry in entries where check(signature, records, entry) {
                _ = use(records, signature)
                keys[zone] = all
                return all
            }
        }
        return []
    }

    /// Returns true if `name` is proved not to exist in `zone`: the next name towards it falls into a gap. Only then
    /// may a wildcard with `labels` labels answer for it (RFC 4035 section 5.3.4, RFC 5155 section 8.8).
    mutating func isAbsent(_ name: DNSName, in zone: DNSName, wildcardLabels labels: Int) -> Bool {
        let closer = name.suffix(labels + 1)
        for key in sets.keys where key.type == DNSRecord.Kind.nsec || key.type == DNSRecord.Kind.nsec3 {
            guard key.owner.isWithin(zone), let proof = proved(key.owner, key.type), proof.signature.signer == zone,
                !proof.isExpanded
            else { continue }
            for record in proof.records {
                let isGap =
                    key.type == DNSRecord.Kind.nsec
                    ? NSEC(record)?.covers(closer, in: zone) : NSEC3(record, in: zone)?.covers(closer)
                if isGap == true { return true }
            }
        }
        return false
    }
}

/// A zone's key. Source: RFC 4034 section 2.
struct DNSSECKey: Sendable, Hashable {
    let algorithm: UInt8
    let key: [UInt8]
    /// A short number of the key. Several keys may share it.
    let tag: UInt16
    private let data: [UInt8]

    /// Reads a DNSKEY record; nil for one that is not a zone's or is revoked.
    init?(_ record: DNSRecord) {
        let data = record.data
        // Bit 7 marks a zone's key, bit 15 a key that signs keys, bit 8 a revoked key; protocol is 3.
        guard data.count > 4, data[0] & 1 == 1, data[1] & 0x80 == 0, data[2] == 3 else { return nil }
        self.data = data
        algorithm = data[3]
        key = Array(data[4...])
        // RFC 4034, appendix B.
        let sum = data.enumerated().reduce(0 as UInt32) {
            $0 + ($1.offset % 2 == 0 ? UInt32($1.element) << 8 : UInt32($1.element))
        }
        tag = UInt16(truncatingIfNeeded: sum + sum >> 16)
    }

    /// Returns true if a DS record of `zone` names this key by SHA-256 or SHA-384. SHA-1 is not trusted.
    func isNamed(by delegation: [UInt8], zone: DNSName) -> Bool {
        guard delegation.count > 4, UInt16(delegation[0]) << 8 | UInt16(delegation[1]) == tag,
            delegation[2] == algorithm
        else { return false }
        let digest: Digest? = delegation[3] == 2 ? .sha256 : delegation[3] == 4 ? .sha384 : nil
        return digest?.hash(zone.wire + data).elementsEqual(delegation[4...]) ?? false
    }

    /// Returns true if the key made `signature` over `message`. RSA and P-256, both with SHA-256, are supported (RFC
    /// 8624).
    func signed(_ message: [UInt8], _ signature: [UInt8]) -> Bool {
        switch algorithm {
        case 13: return PublicSignature.isValidP256(signature, message: message, key: key)
        case 8:
            guard let first = key.first else { return false }
            let (start, length) =
                first > 0 ? (1, Int(first)) : (3, key.dropFirst().prefix(2).reduce(0) { $0 << 8 | Int($1) })
            guard key.count > start + length else { return false }
            return PublicSignature.isValidRSA(
                signature, message: message, modulus: Array(key[(start + length)...]),
                exponent: Array(key[start..<start + length]))
        default: return false
        }
    }
}

/// A signature over all records of a name and type. Source: RFC 4034 section 3.
struct DNSSECSignature: Sendable, Hashable {
    let covered: UInt16
    let algorithm: UInt8
    /// The number of labels of the signed name; fewer than the owner's if a wildcard was expanded.
    let labels: Int
    let originalTTL: UInt32
    /// The period in which it is valid, in seconds of Unix time.
    let validity: ClosedRange<UInt32>
    let tag: UInt16
    let signer: DNSName
    private let head: [UInt8]
    private let signature: [UInt8]

    init?(_ record: DNSRecord) {
        let data = record.data
        guard data.count > 18 else { return nil }
        var rest = data[18...]
        guard let signer = DNSName(taking: &rest), !rest.isEmpty else { return nil }
        func number(_ range: Range<Int>) -> UInt32 { data[range].reduce(0) { $0 << 8 | UInt32($1) } }
        guard number(12..<16) <= number(8..<12) else { return nil }
        covered = UInt16(number(0..<2))
        algorithm = data[2]
        labels = Int(data[3])
        originalTTL = number(4..<8)
        validity = number(12..<16)...number(8..<12)
        tag = UInt16(number(16..<18))
        self.signer = signer
        head = Array(data[..<18]) + signer.wire
        signature = Array(rest)
    }

    /// Returns true if `key` made the signature over `records`, all records of one name and type.
    func isValid(over records: [DNSRecord], by key: DNSSECKey) -> Bool {
        guard let owner = records.first?.owner, labels <= owner.labels.count, key.tag == tag, key.algorithm == algorithm
        else { return false }
        let name =
            labels == owner.labels.count ? owner : DNSName(labels: [[UInt8(ascii: "*")]] + owner.suffix(labels).labels)
        let prefix =
            name.wire + [UInt8(covered >> 8), UInt8(covered & 0xFF), 0, 1]
            + (0..<4).map { UInt8(truncatingIfNeeded: originalTTL >> UInt32(24 - 8 * $0)) }
        let data = records.map(\.canonicalData).sorted { $0.lexicographicallyPrecedes($1) }
        var message = head
        for item in data { message += prefix + [UInt8(item.count >> 8), UInt8(item.count & 0xFF)] + item }
        return key.signed(message, signature)
    }
}

/// A gap between two names, with no name in it. Source: RFC 4034 section 4.
struct NSEC {
    private let start: DNSName
    private let end: DNSName
    private let types: ArraySlice<UInt8>

    init?(_ record: DNSRecord) {
        var rest = record.data[...]
        guard let end = DNSName(taking: &rest) else { return nil }
        (start, self.end, types) = (record.owner, end, rest)
    }

    /// Returns true if `name` lies between both ends and no name below it exists. The last gap of a zone ends at its
    /// first name.
    func covers(_ name: DNSName, in zone: DNSName) -> Bool {
        guard start.precedes(name), name.precedes(end) || end == zone, !end.isWithin(name) else { return false }
        // A record above the name that delegates or moves its names proves nothing about those names (RFC 6840 section
        // 4.1).
        guard name.isWithin(start) else { return true }
        return !has(DNSRecord.Kind.dname) && (!has(DNSRecord.Kind.ns) || has(DNSRecord.Kind.soa))
    }

    /// Returns true if there are records of `type` at the first name: a bit in a window of 256 types (section 4.1.2).
    private func has(_ type: UInt16) -> Bool {
        var rest = types
        while rest.count > 2 {
            let window = rest[rest.startIndex]
            let bits = rest.dropFirst(2).prefix(Int(rest[rest.startIndex + 1]))
            if window == UInt8(type >> 8), Int(type & 0xFF) / 8 < bits.count {
                return bits[bits.startIndex + Int(type & 0xFF) / 8] & 0x80 >> UInt8(type % 8) != 0
            }
            rest = rest.dropFirst(2 + bits.count)
        }
        return false
    }
}

/// A gap between two hashed names, with no name in it. Source: RFC 5155 section 3.
struct NSEC3 {
    /// The most iterations. RFC 9276 lets a reader refuse more.
    private static let maximumIterations = 100
    private static let alphabet = Array("0123456789abcdefghijklmnopqrstuv".utf8)

    private let start: [UInt8]
    private let end: [UInt8]
    private let salt: [UInt8]
    private let iterations: Int

    /// Reads an NSEC3 record of `zone`; nil for one that may hide names without signatures (opt-out, section 6).
    init?(_ record: DNSRecord, in zone: DNSName) {
        let data = record.data
        // Only SHA-1 is defined. It need not withstand forgery because the record is signed.
        guard data.count > 5, data[0] == 1, data[1] & 1 == 0, record.owner.labels.count == zone.labels.count + 1,
            let label = record.owner.labels.first, label.count == 32
        else { return nil }
        iterations = Int(data[2]) << 8 | Int(data[3])
        let saltEnd = 5 + Int(data[4])
        guard iterations <= Self.maximumIterations, data.count > saltEnd, data[saltEnd] == 20,
            data.count >= saltEnd + 21
        else { return nil }
        salt = Array(data[5..<saltEnd])
        end = Array(data[saltEnd + 1..<saltEnd + 21])
        let groups = label.compactMap { Self.alphabet.firstIndex(of: $0).map(UInt8.init) }
        guard groups.count == 32, let bytes = Bech32.bytes(of: groups) else { return nil }
        start = bytes
    }

    /// Returns true if the hash of `name` lies between both ends. The last gap ends at the first name.
    func covers(_ name: DNSName) -> Bool {
        var hash = Digest.sha1.hash(name.wire + salt)
        for _ in 0..<iterations { hash = Digest.sha1.hash(hash + salt) }
        let isAfter = start.lexicographicallyPrecedes(hash)
        let isBefore = hash.lexicographicallyPrecedes(end)
        return start.lexicographicallyPrecedes(end) ? isAfter && isBefore : isAfter || isBefore
    }
}
