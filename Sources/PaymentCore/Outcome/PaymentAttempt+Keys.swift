extension PaymentAttempt {
    /// Returns the key for the request of one step, where an attempt sends several that need one: always the same for
    /// the same attempt and step, in every run and process, and a different one for any other.
    ///
    /// A key that is drawn anew where it is needed changes after a crash, and where a payer's return is handled beside
    /// the payment; the service then carries the request out twice.
    ///
    /// - Returns: a text of the form of a random UUID, in lower case.
    public func key(for step: String) -> String { Self.key(for: step, of: idempotencyKey) }

    /// Returns the same for the attempt that has this idempotency key.
    package static func key(for step: String, of idempotencyKey: String) -> String {
        // FNV-1a with 128 bits (RFC 9923). The attempt's key is random, so no input can aim at another attempt's.
        var hash: UInt128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D
        for byte in Array(idempotencyKey.utf8) + [0xFF] + Array(step.utf8) {
            hash = (hash ^ UInt128(byte)) &* 0x0000_0000_0100_0000_0000_0000_0000_013B
        }
        var bytes = (0..<16).map { UInt8(truncatingIfNeeded: hash >> (120 - 8 * UInt128($0))) }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let text = Hex.encode(bytes)
        var parts: [Substring] = []
        var rest = text[...]
        for length in [8, 4, 4, 4, 12] {
            parts.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return parts.joined(separator: "-")
    }
}
