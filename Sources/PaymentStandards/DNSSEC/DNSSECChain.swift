import PaymentCore
import PaymentCrypto

/// Records that are proved from the root's keys down. Source: RFC 4035 section 5, RFC 5155; RFC 9102 for the form.
struct DNSSECChain {
    /// All records of one name and type that were proved.
    struct Proved {
        let records: [DNSRecord]
        let signature: DNSSECSignature
        /// True if the name itself does not exist, and a wildcard answered for it. A wildcard's own star is not counted
        /// (RFC 4034 section 3.1.3).
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

    /// Creates a chain of `records`, in any order, to be proved at `time`, in seconds of Unix time, from the root's
    /// keys down, which `anchors` name as DS records.
    init(_ records: [DNSRecord], at time: UInt32, anchors: [[UInt8]]) {
        var sets: [Key: [DNSRecord]] = [:]
        var signatures: [Key: [DNSSECSignature]] = [:]
        var seen: Set<[UInt8]> = []
        for record in records {
            // A repeated record counts once; its TTL does not make it another one.
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

    /// Returns the records of `owner` and `type`, where they are proved; nil where none exist or none of the signatures
    /// is valid.
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

    /// Returns the keys of `zone`: its set of keys, which must be signed by a key that the zone above names. Each step
    /// leads to a shorter name, so this ends.
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

    /// Returns true if `name` itself is proved not to exist in `zone`, so that a wildcard with `labels` labels answers
    /// for it (RFC 4035 section 5.3.4, RFC 5155 section 8.8): the next name towards it falls into a gap.
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
