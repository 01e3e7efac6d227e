import PaymentCore
import PaymentCrypto

/// A user's key as text: 52 characters of z-base-32.
enum PubkyKeyText {
    /// The number of its characters.
    static let length = 52

    /// Returns true if `part` consists of the right number of the right characters.
    static func isSpelt(_ part: TextPart) -> Bool {
        part.count == length && Base32.human.groups(part.bytes) != nil
    }

    /// Returns the canonical text of the key in `part`.
    ///
    /// - Parameter isBare: True if nothing else shows that it is meant to be a key: then every doubt makes it foreign.
    static func read(_ part: TextPart, isBare: Bool = false) throws(StandardDefect) -> String {
        guard part.count == length else {
            throw part.defect(
                isBare ? .foreign : .length, "key", "has \(length) characters; copy all of it, and nothing else")
        }
        guard let bytes = Base32.human.decode(part.bytes, ignoringSpareBits: true) else {
            throw part.defect(
                isBare ? .foreign : .malformed, "key",
                "is in lower case, without 0, 2, l and v; compare it with where it came from")
        }
        guard EdwardsPoint.isValid(bytes) else {
            throw part.defect(
                isBare ? .foreign : .checksum, "key",
                "is no valid key: at least one character is wrong; copy it again")
        }
        let text = Base32.human.encode(bytes)
        guard !isBare || text == part.text else {
            throw part.defect(.foreign, "key", "ends with y or o; at least one character is wrong")
        }
        return text
    }
}

/// The endpoints of Paykit's methods.
enum PubkyEndpoint {
    /// The standards that an endpoint of a method can be of; methods without a description are not read.
    private static let standards: [String: [any PaymentStandard.Type]] = [
        "lightning": [Bolt11.self, LNURL.self, Bolt12.self], "onchain": [BitcoinAddress.self, BIP321.self],
        "lnurl": [LNURL.self], "bolt12": [Bolt12.self],
    ]

    /// Returns the content of the endpoint `part` of `method`; nil for a method without a description.
    static func read(_ part: TextPart, method: String) throws(StandardDefect) -> PaymentInstruction? {
        guard let standards = standards[method] else { return nil }
        guard let link = try? PaymentLink(part.text) else {
            throw part.defect(.malformed, "data", "is no endpoint of '\(method)'; ask for a new one")
        }
        var reason: StandardDefect?
        for standard in standards {
            do throws(StandardDefect) {
                // Asked directly: the beginning of a text decides nothing here.
                return try standard.reading(of: link)
            } catch {
                // A private key stays a private key, whatever other standards report.
                if error.kind != .foreign { reason = error.kind == .secret ? error : reason ?? error }
            }
        }
        throw part.defect(
            reason?.kind ?? .malformed, "data",
            reason.map { "its \($0.part) \($0.advice)" } ?? "is no endpoint of '\(method)'; ask for a new one")
    }
}
