/// Subscriptions are stored as the text that is sent and signed, and checked again when they are read.
extension PaykitSubscription: Codable {
    /// Reads a stored subscription.
    ///
    /// - Throws: `DecodingError` when it is none.
    public init(from decoder: any Decoder) throws {
        self = try WireText.read(decoder) { json throws(WireDefect) in try PaykitSubscription(json) }
    }

    /// Writes the subscription.
    ///
    /// - Throws: any error of the encoder.
    public func encode(to encoder: any Encoder) throws { try WireText.write(text, encoder) }
}

extension PaykitSignedSubscription: Codable {
    /// Reads a stored subscription with its signatures. Nothing is verified.
    ///
    /// - Throws: `DecodingError` when it is none.
    public init(from decoder: any Decoder) throws {
        self = try WireText.read(decoder) { json throws(WireDefect) in try PaykitSignedSubscription(json) }
    }

    /// Writes the subscription with its signatures.
    ///
    /// - Throws: any error of the encoder.
    public func encode(to encoder: any Encoder) throws { try WireText.write(text, encoder) }
}

/// A value that is stored as its wire text.
private enum WireText {
    static func read<Value>(_ decoder: any Decoder, _ value: (JSONValue) throws(WireDefect) -> Value) throws -> Value {
        let container = try decoder.singleValueContainer()
        do { return try value(JSONValue(parsing: container.decode(String.self))) } catch let defect as WireDefect {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(defect)")
        }
    }

    static func write(_ text: String, _ encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
