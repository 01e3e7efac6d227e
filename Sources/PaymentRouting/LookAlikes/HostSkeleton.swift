import PaymentCore

/// A host's name as the eye reads it: words in one alphabet, without the differences between look-alike characters.
struct HostSkeleton {
    /// The labels as they stand.
    let labels: [Substring]
    /// The words between dots, hyphens and underscores, at most ``maximumWords``.
    let words: [[UInt8]]
    /// The number of `words` before the ending.
    let stemWords: Int
    /// True if a label is encoded from another alphabet.
    let isInternational: Bool

    /// The maximum number of words. Longer names identify nothing.
    static let maximumWords = 16

    /// Reads `host`, which must be in lower case.
    init(_ host: some StringProtocol) {
        let labels = Substring(host).split(separator: ".", omittingEmptySubsequences: true)
        self.labels = labels
        let ending = Self.endingCount(labels)
        var words: [[UInt8]] = []
        var stemWords = 0
        var isInternational = false
        for (index, label) in labels.enumerated() {
            if index == labels.count - ending { stemWords = words.count }
            var scalars: [Unicode.Scalar]
            if label.hasPrefix("xn--") {
                isInternational = true
                scalars = Punycode.decode(label.dropFirst(4)) ?? Array(label.dropFirst(4).unicodeScalars)
            } else {
                scalars = Array(label.unicodeScalars)
            }
            for word in scalars.split(whereSeparator: { $0 == "-" || $0 == "_" }) {
                words.append(Self.folded(word))
            }
        }
        self.words = Array(words.prefix(Self.maximumWords))
        self.stemWords = min(stemWords, Self.maximumWords)
        self.isInternational = isInternational
    }

    /// All letters before the ending, without separators.
    var stem: [UInt8] { Array(words[..<stemWords].joined()) }
    /// All letters.
    var whole: [UInt8] { Array(words.joined()) }

    /// The registered domain: one label and the ending.
    var domain: String { labels.suffix(Self.endingCount(labels) + 1).joined(separator: ".") }

    /// The label before the ending.
    var brandText: Substring { labels.suffix(Self.endingCount(labels) + 1).first ?? "" }
    /// The same, as the eye reads it.
    var brand: [UInt8] { HostSkeleton("\(brandText).x").stem }

    /// The host without its ending.
    var stemText: String { labels.dropLast(Self.endingCount(labels)).joined(separator: ".") }

    /// Returns the number of labels of a public suffix, by a short list of the second levels that countries use. An
    /// error in the list affects only an explanation.
    private static func endingCount(_ labels: [Substring]) -> Int {
        guard labels.count > 2, labels[labels.count - 1].utf8.count == 2,
            ["co", "com", "org", "net", "gov", "ac", "edu", "or", "ne", "go"].contains(labels[labels.count - 2])
        else { return min(1, labels.count) }
        return 2
    }

    // MARK: Folding

    private static func folded(_ word: some Collection<Unicode.Scalar>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(word.count)
        for scalar in word {
            let byte =
                scalar.isASCII ? UInt8(truncatingIfNeeded: scalar.value).lowercasedASCII : letters[scalar] ?? 0x3F
            let plain = digits[byte] ?? byte
            switch (bytes.last, plain) {
            case (UInt8(ascii: "r"), UInt8(ascii: "n")): bytes[bytes.count - 1] = UInt8(ascii: "m")
            case (UInt8(ascii: "v"), UInt8(ascii: "v")): bytes[bytes.count - 1] = UInt8(ascii: "w")
            default: bytes.append(plain)
            }
        }
        return bytes
    }

    /// Characters that look like a letter in most typefaces.
    private static let digits: [UInt8: UInt8] = {
        var digits: [UInt8: UInt8] = [:]
        for (from, to) in zip("01i345789".utf8, "olleastbg".utf8) { digits[from] = to }
        return digits
    }()

    /// Letters of other alphabets and accented ones, by the Latin letter that they look like.
    private static let letters: [Unicode.Scalar: UInt8] = {
        var letters: [Unicode.Scalar: UInt8] = [:]
        for list in alphabets {
            let scalars = Array(list.unicodeScalars)
            for scalar in scalars.dropFirst() { letters[scalar] = UInt8(truncatingIfNeeded: scalars[0].value) }
        }
        return letters
    }()

    private static let alphabets = [
        "aаàáâãäåāăąǎạảɑαａ", "bЬьβɓｂ", "cсçćĉċčϲｃ", "dԁďđɗｄ", "eеèéêëēĕėęěẹёєｅ", "fƒｆ", "gɡĝğġģｇ", "hһĥħｈ",
        "iіìíîïĩīĭįıιїｉ", "jјĵｊ", "kкķĸκｋ", "lӏĺļľŀłⅼｌ", "mмｍ", "nոñńņňŉηпｎ", "oоòóôõöøōŏőοσөｏ", "pрρｐ", "qԛｑ",
        "rгŕŗřｒ", "sѕśŝşšșｓ", "tтţťŧțτｔ", "uυцùúûüũūŭůűųսｕ", "vνѵγｖ", "wԝшŵωｗ", "xхχｘ", "yуýÿŷγ", "zžźżｚ",
    ]
}

/// Labels of internationalised domain names. Source: RFC 3492.
enum Punycode {
    /// Returns the characters that `label`, without its `xn--`, stands for; nil for a label that no encoder writes.
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
                // No label of 63 letters spells a larger number.
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
