extension JSONNumber {
    /// Creates the number of a duration in seconds, without an exponent: `1.0`, `0.009`.
    package init(seconds duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let sign = seconds < 0 || attoseconds < 0 ? "-" : ""
        var fraction = String(1_000_000_000_000_000_000 + attoseconds.magnitude).dropFirst()
        while fraction.utf8.count > 1, fraction.last == "0" { fraction.removeLast() }
        self.init(scanned: "\(sign)\(seconds.magnitude).\(fraction)")
    }

    /// The duration of this number of seconds, to the attosecond; nil when there is none so long.
    package var seconds: Duration? {
        guard let double, double.magnitude < 0x1p62 else { return nil }
        guard text.utf8.allSatisfy({ $0 != UInt8(ascii: "e") && $0 != UInt8(ascii: "E") }) else {
            return .seconds(double)
        }
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let parts = text.dropFirst(isNegative ? 1 : 0).split(separator: ".")
        let fraction = parts.count > 1 ? parts[1].prefix(18) : ""
        let padding = String(repeating: "0", count: 18 - fraction.utf8.count)
        guard let whole = Int64(parts[0]), let attoseconds = Int64(fraction + padding) else { return nil }
        let sign: Int64 = isNegative ? -1 : 1
        return Duration(secondsComponent: sign * whole, attosecondsComponent: sign * attoseconds)
    }
}
