import PaymentCore
import PaymentTesting
import Testing

/// Properties that hold for every input, checked on many generated ones.
@Suite("Link properties")
struct LinkPropertyTests {
    private static let words = [
        "https:", "http:", "HTTPS:", "wc:", "upi:", "javascript:", "https%3A", "http%3a", "//", "/", "\\", "@", ":",
        ":443",
        ":80", ":0443", ":65536", ".", "..", "?", "#", "&", "=", "%", "%2F", "%2f", "%2e", "%40", "%00", "%C3%A9",
        "%ff", "%25", "%41", "%61", "%7e", "lightning:", "LIGHTNING://", "Bitcoin:",
        "pay.example", "PAY.EXAMPLE", "evil.example", "localhost", "127.0.0.1", "127.1", "0x7f", "2130706433", "[::1]",
        "[", "]",
        "xn--", "xn--p1ai", "-", "_", "+", "pid=pay_1", "pay_", "а", "é", "。", "\u{200B}", "\u{202E}", "\u{AD}",
        "\u{FEFF}", "\u{9B}",
        " ", "\t", "\n", "\r\n", "\u{0}", "\u{1B}", "\u{7F}", "😀", "e\u{301}", "a", "Z", "9", "|", "\"", "<", "^", "`",
        "{",
    ]

    private static func nastyText(_ generator: inout SplitMix64) -> String {
        var text = Bool.random(using: &generator) ? "https://" : ""
        for _ in 0..<Int.random(in: 0...8, using: &generator) { text += words.randomElement(using: &generator) ?? "" }
        return text
    }

    private static func randomText(_ generator: inout SplitMix64) -> String {
        let isASCII = Bool.random(using: &generator)
        let bytes = (0..<Int.random(in: 0...24, using: &generator)).map { _ in
            UInt8.random(in: isASCII ? 0x20...0x7E : 0...255, using: &generator)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The defect of an accepted link, or nil.
    private static func flaw(of link: PaymentLink) -> String? {
        guard let again = try? PaymentLink(link.text) else { return "its canonical text is refused" }
        guard Array(again.text.utf8) == Array(link.text.utf8) else { return "its canonical text is not stable" }
        guard shape(again) == shape(link) else { return "its canonical text has other parts" }
        guard reassembled(link) == link.text else { return "its parts do not make up the text" }
        guard link.text.utf8.count <= PaymentLink.maximumLength else { return "it is too long" }
        if link.form != .text {
            guard link.text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x5C }) else {
                return "an unfit byte"
            }
        }
        if let host = link.host {
            guard !host.isEmpty, host.utf8.allSatisfy({ !(0x41...0x5A).contains($0) }) else {
                return "host not canonical"
            }
            guard host.utf8.allSatisfy({ !"@%/?#\\<>^|".utf8.contains($0) }) else { return "mark in the host" }
            guard !host.hasPrefix("."), !host.hasSuffix("."), !host.contains("..") else { return "empty label" }
        } else if link.scheme == "https" || link.scheme == "http" {
            return "web link without host"
        }
        return nil
    }

    private static func shape(_ link: PaymentLink) -> String {
        "\(link.form) \(link.hostKind) \(link.scheme ?? "-") \(link.host ?? "-") \(link.port ?? 0) \(link.path) "
            + "\(link.query ?? "-") \(link.fragment ?? "-")"
    }

    /// The text, assembled from its parts.
    private static func reassembled(_ link: PaymentLink) -> String {
        var text = ""
        if let scheme = link.scheme { text += "\(scheme):" }
        if link.form == .web { text += "//" }
        if let host = link.host { text += host }
        if let port = link.port { text += ":\(port)" }
        text += link.path
        if let query = link.query { text += "?\(query)" }
        if let fragment = link.fragment { text += "#\(fragment)" }
        return text
    }

    @Test("Accepted links are canonical, whatever the input", arguments: 0..<8)
    func canonical(seed: Int) {
        var generator = SplitMix64(seed: UInt64(seed))
        var accepted = 0
        for round in 0..<12_500 {
            let text = round % 3 == 0 ? Self.randomText(&generator) : Self.nastyText(&generator)
            guard let link = try? PaymentLink(text) else { continue }
            accepted += 1
            if let flaw = Self.flaw(of: link) {
                Issue.record("\(flaw): \(text.debugDescription)")
                return
            }
        }
        // If nearly everything were refused, the test would prove nothing.
        #expect(accepted > 2_000)
    }

    @Test("Encoding a whole link changes nothing")
    func encodedWhole() throws {
        var generator = SplitMix64(seed: 99)
        var compared = 0
        for _ in 0..<30_000 {
            guard let link = try? PaymentLink(Self.nastyText(&generator)), let scheme = link.scheme,
                scheme.utf8.count > 1
            else { continue }
            let encoded = PercentCoding.encode(link.text)
            guard encoded.hasPrefix("\(scheme)%3A"), encoded.utf8.count <= PaymentLink.maximumLength else { continue }
            compared += 1
            #expect(try PaymentLink(encoded) == link, "\(link.text)")
        }
        #expect(compared > 500)
    }

    @Test("Offsets point at the byte that is refused")
    func offsets() {
        var generator = SplitMix64(seed: 5)
        var seen = 0
        for _ in 0..<20_000 {
            let text = Self.nastyText(&generator)
            // In a link that is encoded as a whole, offsets refer to the decoded text.
            if text.lowercased().contains("%3a") { continue }
            let bytes = Array(text.utf8)
            do {
                _ = try PaymentLink(text)
            } catch {
                let isRight: Bool
                switch error {
                case .forbiddenByte(let byte, let offset):
                    isRight = bytes.indices.contains(offset) && bytes[offset] == byte
                case .nonASCII(let offset): isRight = bytes.indices.contains(offset) && bytes[offset] >= 0x80
                case .invisible(_, let offset): isRight = bytes.indices.contains(offset) && bytes[offset] >= 0x80
                case .userInformation(let offset): isRight = bytes.indices.contains(offset) && bytes[offset] == 0x40
                case .invalidHost(let offset), .invalidPort(let offset): isRight = offset <= bytes.count && offset >= 5
                case .tooLong(let count): isRight = count == bytes.count
                case .empty: isRight = bytes.isEmpty
                case .leadingWhitespace, .missingHost, .invalidPercentEncoding: isRight = true
                case .dotSegment, .unusableSegment, .unencrypted: isRight = false
                }
                seen += 1
                if !isRight {
                    Issue.record("\(error): \(text.debugDescription)")
                    return
                }
            }
        }
        #expect(seen > 5_000)
    }
}
