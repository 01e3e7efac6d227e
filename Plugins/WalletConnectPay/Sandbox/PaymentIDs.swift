import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Payment ids and links in the service's formats.
enum PaymentIDs {
    private static let crockford = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

    /// Creates `pay_`, two changing digits, a constant and a ULID: 38 characters. The form is derived from recorded
    /// ids.
    static func make(at time: Date, _ random: any RandomSource) -> String {
        // A ULID's time has 48 bits; the bounds keep every date convertible.
        var milliseconds = UInt64(min(max(0, time.timeIntervalSince1970 * 1000), 0xFFFF_FFFF_FFFF))
        var ulid: [Character] = []
        for _ in 0..<10 {
            ulid.insert(crockford[Int(milliseconds & 31)], at: 0)
            milliseconds >>= 5
        }
        for _ in 0..<16 { ulid.append(crockford[Int(random.next() & 31)]) }
        return "pay_\(random.hex(2))a2ecc1\(String(ulid))"
    }

    /// Returns the link that buyers scan.
    static func link(to id: String) -> String { "https://pay.walletconnect.com/?pid=\(id)" }

    /// Returns the id that a path segment names. Ids arrive percent-encoded; a link to `pay.wct.me`, encoded as a
    /// whole, stands for the id in its path.
    static func resolve(segment: String) -> String {
        let id = PercentCoding.decode(segment) ?? segment
        guard let link = PercentCoding.decode(id).flatMap({ try? PaymentLink($0) }), link.host == "pay.wct.me" else {
            return id
        }
        return String(link.path.dropFirst())
    }
}
