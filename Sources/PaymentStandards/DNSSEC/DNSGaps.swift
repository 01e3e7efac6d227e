import PaymentCrypto

/// A gap between two names, with no name in it. Source: RFC 4034 section 4.
struct NSEC {
    private let start: DNSName
    private let end: DNSName
    private let types: ArraySlice<UInt8>

    /// Reads an NSEC record.
    init?(_ record: DNSRecord) {
        var rest = record.data[...]
        guard let end = DNSName(taking: &rest) else { return nil }
        (start, self.end, types) = (record.owner, end, rest)
    }

    /// Returns true if `name` lies between both ends, and no name below it exists either. The last gap of a zone leads
    /// back to its first name.
    func covers(_ name: DNSName, in zone: DNSName) -> Bool {
        guard start.precedes(name), name.precedes(end) || end == zone, !end.isWithin(name) else { return false }
        // A record above that delegates its names to another zone, or moves them, proves nothing about those (RFC 6840
        // section 4.1).
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
    /// The number of iterations above which RFC 9276 lets a reader refuse.
    private static let maximumIterations = 100
    private static let alphabet = Array("0123456789abcdefghijklmnopqrstuv".utf8)

    private let start: [UInt8]
    private let end: [UInt8]
    private let salt: [UInt8]
    private let iterations: Int

    /// Reads an NSEC3 record of `zone`; nil for one that may hide names without signatures (opt-out, section 6).
    init?(_ record: DNSRecord, in zone: DNSName) {
        let data = record.data
        // Only SHA-1 is defined; it need not withstand forgery, since the record is signed.
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

    /// Returns true if the hash of `name` lies between both ends. The last gap reaches over to the first name.
    func covers(_ name: DNSName) -> Bool {
        var hash = Digest.sha1.hash(name.wire + salt)
        for _ in 0..<iterations { hash = Digest.sha1.hash(hash + salt) }
        let isAfter = start.lexicographicallyPrecedes(hash)
        let isBefore = hash.lexicographicallyPrecedes(end)
        return start.lexicographicallyPrecedes(end) ? isAfter && isBefore : isAfter || isBefore
    }
}
