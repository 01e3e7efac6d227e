import PaymentCore

/// A factory of ids in the service's formats.
struct CitconIDs: Sendable {
    let layer: CitconSandbox.Layer
    let random: any RandomSource

    /// Returns the id of a charge or of a refund.
    func transaction() -> String {
        guard layer == .recent else { return uuid() }
        return "2000" + (0..<18).map { _ in String(random.next() % 10) }.joined()
    }

    /// Returns text in the form of a time-based UUID without its hyphens.
    func uuid() -> String { random.hex(12) + "11f0" + "8" + random.hex(15) }

    /// Returns `count` consecutive ids of this form.
    func uuids(_ count: Int) -> [String] {
        let start = UInt32(truncatingIfNeeded: random.next())
        let rest = random.hex(4) + "11f0" + "8" + random.hex(15)
        return (0..<count).map { index in
            let head = String(start &+ UInt32(index), radix: 16)
            return String(repeating: "0", count: 8 - head.count) + head + rest
        }
    }
}
