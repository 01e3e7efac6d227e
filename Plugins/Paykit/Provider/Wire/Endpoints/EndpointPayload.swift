/// The content of a generation 3 endpoint file (Protocol 11.3): JSON, of which only these members are read.
package struct EndpointPayload: Sendable, Hashable {
    /// The payment text, without blanks around it.
    package let value: String
    /// The least amount, in the asset's major unit, as it is written; nil for any.
    package let least: String?
    package let most: String?

    package static let maximumLength = 65_536

    /// Creates a payload; nil where the value is empty or longer than a payment text may be.
    package init?(_ value: String, least: String? = nil, most: String? = nil) {
        let value = value.trimmingWhitespace
        guard 1...EndpointFile.maximumLength ~= value.utf8.count else { return nil }
        self.value = value
        self.least = least
        self.most = most
    }

    /// Reads a file; nil when nothing in it could be paid, as when it is empty or no JSON: other apps write here too.
    package init?(_ bytes: [UInt8]) {
        guard !bytes.isEmpty, bytes.count <= Self.maximumLength, let json = try? JSONValue(parsing: bytes),
            let value = json["value"]?.string
        else { return nil }
        // A limit that cannot be read cannot be respected.
        for name in ["min", "max"] {
            guard let limit = json[name], !limit.isNull else { continue }
            guard let text = limit.string, Self.isAmount(text) else { return nil }
        }
        self.init(value, least: json["min"]?.string, most: json["max"]?.string)
    }

    package var bytes: [UInt8] {
        let (least, most) = (least.map { OrderedJSON.string($0) }, most.map { OrderedJSON.string($0) })
        return OrderedJSON.object([("value", .string(value)), ("min", least), ("max", most)]).bytes
    }

    /// Returns true if a text is an amount: digits, with at most one point.
    package static func isAmount(_ text: String) -> Bool {
        let points = text.utf8.count { $0 == UInt8(ascii: ".") }
        return points <= 1 && text.utf8.count > points && text.utf8.count <= 64
            && text.utf8.allSatisfy { $0.isASCIIDigit || $0 == UInt8(ascii: ".") }
    }
}
