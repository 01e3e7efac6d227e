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
