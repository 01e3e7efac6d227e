import PaymentCore

/// Labels of internationalised domain names. Source: RFC 3492.
enum Punycode {
    /// The characters that `label`, without its `xn--`, stands for; nil for a label that no encoder writes.
    static func decode(_ label: some StringProtocol) -> [Unicode.Scalar]? {
        let bytes = Array(label.utf8)
        guard bytes.count <= 63 else { return nil }
        let hyphen = bytes.lastIndex(of: UInt8(ascii: "-"))
        var output = bytes[..<(hyphen ?? 0)].map { Unicode.Scalar($0) }
        var (number, bias, place) = (128, 72, 0)
        var index = hyphen.map { $0 + 1 } ?? 0
        while index < bytes.count {
            let start = place
            var (weight, step) = (1, 36)
            while true {
                guard index < bytes.count, let digit = digit(bytes[index]) else { return nil }
                index += 1
                place += digit * weight
                let threshold = min(max(step - bias, 1), 26)
                if digit < threshold { break }
                weight *= 36 - threshold
                // No label of 63 letters spells a larger one.
                guard weight < 1 << 40, place < 1 << 40 else { return nil }
                step += 36
            }
            bias = adapted(place - start, output.count + 1, isFirst: start == 0)
            number += place / (output.count + 1)
            place %= output.count + 1
            guard number <= 0x10FFFF, let scalar = Unicode.Scalar(UInt32(number)) else { return nil }
            output.insert(scalar, at: place)
            place += 1
        }
        return output
    }

    private static func digit(_ byte: UInt8) -> Int? {
        if byte.isASCIIDigit { return Int(byte) - 0x30 + 26 }
        return byte.isASCIILetter ? Int(byte.lowercasedASCII) - 0x61 : nil
    }

    private static func adapted(_ delta: Int, _ count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var bias = 0
        while delta > 455 {
            delta /= 35
            bias += 36
        }
        return bias + 36 * delta / (delta + 38)
    }
}
