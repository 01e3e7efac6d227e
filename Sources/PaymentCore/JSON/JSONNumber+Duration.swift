extension JSONNumber {
    /// Creates the number of a duration in seconds, without an exponent: `1.0`, `0.009`.
    package init(seconds duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let sign = seconds < 0 || attoseconds < 0 ? "-" : ""
        var fraction = String(1_000_000_000_000_000_000 + attoseconds.magnitude).dropFirst()
        while fraction.utf8.count > 1, fraction.last == "0" { fraction.removeLast() }
        self.init(scanned: "\(sign)\(seconds.magnitude).\(fraction)")
    }
}
