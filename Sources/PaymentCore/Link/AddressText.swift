/// IP addresses in the one spelling of each kind that all parsers read alike.
enum AddressText {
    /// True if `text` is four numbers from 0 to 255 without leading zeros, joined by dots.
    static func isDottedQuad(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        let parts = text.split(separator: UInt8(ascii: "."), maxSplits: 4, omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in
                guard !part.isEmpty, part.count <= 3, part.allSatisfy(\.isASCIIDigit) else { return false }
                let value = part.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
                return value <= 255 && (part.count == 1 || part.first != UInt8(ascii: "0"))
            }
    }

    /// True if `text`, without brackets, is an IPv6 address (RFC 4291 section 2.2): eight groups of one to four
    /// hexadecimal digits, or fewer around one `::`; a dotted quad may stand for the last two.
    static func isIPv6(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        let colon = UInt8(ascii: ":")
        var groups = 0
        var isCompressed = false
        var rest = text
        if rest.first == colon {
            guard rest.dropFirst().first == colon else { return false }
            isCompressed = true
            rest = rest.dropFirst(2)
        }
        while !rest.isEmpty {
            let group = rest.prefix { Hex.value(of: $0) != nil }
            let next = rest[group.endIndex...]
            if next.first == UInt8(ascii: ".") {
                guard isDottedQuad(rest) else { return false }
                groups += 2
                break
            }
            guard 1...4 ~= group.count else { return false }
            groups += 1
            if next.isEmpty { break }
            rest = next.dropFirst()
            guard next.first == colon, let following = rest.first else { return false }
            if following == colon {
                guard !isCompressed else { return false }
                isCompressed = true
                rest = rest.dropFirst()
            }
        }
        return isCompressed ? groups <= 7 : groups == 8
    }
}

/// IPv6 addresses as text.
package enum IPv6Text {
    /// The bits of an address (RFC 4291 section 2.2), without brackets and zone; nil for anything else.
    package static func read(_ text: String) -> UInt128? {
        var text = text
        let isAddress = text.withUTF8 { bytes in AddressText.isIPv6(bytes[...]) }
        guard isAddress else { return nil }
        // The last two groups may be a dotted quad.
        var tail: [UInt16] = []
        if let last = text.lastIndex(of: ":"), text[last...].contains(".") {
            let octets = text[last...].dropFirst().split(separator: ".").compactMap { UInt16($0) }
            guard octets.count == 4 else { return nil }
            tail = [octets[0] << 8 | octets[1], octets[2] << 8 | octets[3]]
            let rest = text[...last]
            // Of `::1.2.3.4` both colons belong to what is left out.
            text = String(rest.hasSuffix("::") ? rest : rest.dropLast())
        }
        func groups(_ part: some StringProtocol) -> [UInt16] {
            part.split(separator: ":").compactMap { UInt16($0, radix: 16) }
        }
        let halves = text.split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false)
        let isShortened = halves.count == 2
        let front = groups(halves.first ?? "")
        let back = (isShortened ? groups(halves[1]) : []) + tail
        let count = front.count + back.count
        guard isShortened ? count <= 7 : count == 8 else { return nil }
        let all = front + [UInt16](repeating: 0, count: 8 - count) + back
        return all.reduce(0) { $0 << 16 | UInt128($1) }
    }
}
