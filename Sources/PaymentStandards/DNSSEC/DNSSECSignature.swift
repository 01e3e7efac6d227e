import PaymentCore
import PaymentCrypto

/// A zone's key. Source: RFC 4034 section 2.
struct DNSSECKey: Sendable, Hashable {
    let algorithm: UInt8
    let key: [UInt8]
    /// A short name, which several keys may share.
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

    /// Returns true if a DS record of `zone` names this key: by SHA-256 or SHA-384, since SHA-1 is not trusted.
    func isNamed(by delegation: [UInt8], zone: DNSName) -> Bool {
        guard delegation.count > 4, UInt16(delegation[0]) << 8 | UInt16(delegation[1]) == tag,
            delegation[2] == algorithm
        else { return false }
        let digest: Digest? = delegation[3] == 2 ? .sha256 : delegation[3] == 4 ? .sha384 : nil
        return digest?.hash(zone.wire + data).elementsEqual(delegation[4...]) ?? false
    }

    /// Returns true if it made `signature` over `message`. RSA and P-256, both with SHA-256, are supported (RFC 8624).
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
    /// The number of labels of the signed name; fewer than the owner's where a wildcard was expanded.
    let labels: Int
    let originalTTL: UInt32
    /// The period in which it is valid, in seconds of Unix time.
    let validity: ClosedRange<UInt32>
    let tag: UInt16
    let signer: DNSName
    private let head: [UInt8]
    private let signature: [UInt8]

    /// Reads an RRSIG record.
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

    /// Returns true if `key` made it over `records`, which are all records of one name and type.
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
