import PaymentCore
import PaymentCrypto

/// EMVCo's consumer-presented code: the code that a customer's phone shows to a shop to be charged.
///
/// Source: EMV QR Code Specification for Payment Systems, Consumer-Presented Mode 1.1: base64 of BER-TLV. The code
/// holds card data of its owner, the payer. It is never a payment for the reader, and never shown or logged.
struct ConsumerCode: PaymentStandard {
    static let id = "emv-cpm"
    static let specification = "EMVCo QRCPS CPM 1.1"
    /// Everyone who sees one can charge the card.
    static let isSecret = true
    /// The base64 of tag 85 and `CPV`.
    static let patterns: [StandardPattern] = [.prefix("hQVDUFY")]

    /// The objects. They are a card's data.
    private let objects: Redacted<[Object]>

    private struct Object: Sendable, Hashable {
        let tag: String
        let value: [UInt8]
        /// The objects in a template; nil for a plain value.
        let children: [Object]?

        var json: JSONValue {
            [
                .string(tag),
                children.map { .array($0.map(\.json)) } ?? .string(Hex.encode(value).uppercased()),
            ]
        }
    }

    private static let maximumDepth = 4

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let text = source.all().trimmed
        guard let bytes = Self.base64(text) else {
            throw text.defect(.encoding, "code", "is not base64; scan it again")
        }
        let objects = try Self.objects(in: bytes[...], text, depth: 0)
        self.objects = Redacted(objects)
        guard let first = objects.first, first.tag == "85", first.value == Array("CPV01".utf8) else {
            throw text.defect(.unsupported, "payload format (85)", "must be CPV01")
        }
        let applications = objects.filter { $0.tag == "61" }
        guard !applications.isEmpty else {
            throw text.suffix(0).defect(.missing, "application (61)", "is missing")
        }
        guard applications.allSatisfy({ $0.children?.contains { $0.tag == "4F" } == true }) else {
            throw text.defect(.missing, "application id (4F)", "is missing in an application")
        }
    }

    /// Base64 of RFC 4648 section 4, with its padding.
    private static func base64(_ text: TextPart) -> [UInt8]? {
        var digits = text.bytes[...]
        guard digits.count % 4 == 0 else { return nil }
        for _ in 0..<2 where digits.last == UInt8(ascii: "=") { digits.removeLast() }
        guard !digits.contains(where: { "-_=".utf8.contains($0) }) else { return nil }
        let other = digits.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: "-") : $0 == UInt8(ascii: "/") ? 0x5F : $0 }
        return Base64URL.bytes(of: other[...])
    }

    /// Reads BER-TLV: tags of one or two bytes, lengths below 256. The place of an object is that of its group of four
    /// base64 characters.
    private static func objects(
        in bytes: ArraySlice<UInt8>, _ text: TextPart, depth: Int
    ) throws(StandardDefect) -> [Object] {
        var objects: [Object] = []
        var rest = bytes
        while let first = rest.first {
            let place = min(text.offset + rest.startIndex / 3 * 4, text.end)
            func cut() -> StandardDefect {
                StandardDefect(.length, "object", at: place, "is cut off; scan the code again")
            }
            var tag = [first]
            rest = rest.dropFirst()
            if first & 0x1F == 0x1F {
                guard let second = rest.popFirst() else { throw cut() }
                guard second & 0x80 == 0 else {
                    throw StandardDefect(.malformed, "object", at: place, "has a tag of more than two bytes")
                }
                tag.append(second)
            }
            guard var length = rest.popFirst().map(Int.init) else { throw cut() }
            if length == 0x81 {
                guard let long = rest.popFirst() else { throw cut() }
                length = Int(long)
            } else if length > 0x7F {
                throw StandardDefect(.malformed, "object", at: place, "has a length that no code holds")
            }
            guard rest.count >= length else { throw cut() }
            let value = rest.prefix(length)
            rest = rest.dropFirst(length)
            var children: [Object]?
            if first & 0x20 != 0 {
                guard depth < maximumDepth else {
                    throw StandardDefect(.malformed, "object", at: place, "nests too deeply")
                }
                children = try self.objects(in: value, text, depth: depth + 1)
            }
            objects.append(Object(tag: Hex.encode(tag).uppercased(), value: Array(value), children: children))
        }
        return objects
    }

    /// The fields of `emv-cpm`. All but `payloadFormat` are a card's data, never to be shown or logged.
    var fields: InstructionFields {
        ["payloadFormat": "CPV01", "tlv": .array(objects.reveal().map(\.json))]
    }

    /// A code to show, not to pay.
    var instruction: PaymentInstruction {
        makeInstruction { instruction in
            instruction.purpose = .presentation
            instruction.holdsSecret = true
            instruction.publicFields = ["payloadFormat"]
        }
    }
}
