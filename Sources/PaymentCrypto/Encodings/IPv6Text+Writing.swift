package import PaymentCore

extension IPv6Text {
    /// Returns the canonical spelling of an address (RFC 5952 section 4).
    package static func write(_ bits: UInt128) -> String {
        let groups = (0..<8).map { UInt16(truncatingIfNeeded: bits >> UInt128(112 - 16 * $0)) }
        // The longest run of zeros, the first of equals; a single zero is written.
        var longest = 0..<0
        var start = 0
        for index in 0...8 where index == 8 || groups[index] != 0 {
            if index - start > max(1, longest.count) { longest = start..<index }
            start = index + 1
        }
        func text(_ part: ArraySlice<UInt16>) -> String {
            part.map { String($0, radix: 16) }.joined(separator: ":")
        }
        guard !longest.isEmpty else { return text(groups[...]) }
        return text(groups[..<longest.lowerBound]) + "::" + text(groups[longest.upperBound...])
    }
}
