import PaymentCore

/// What the merchant's server got from the service for one payment, handed on unchanged.
///
/// It holds an access token: it prints as nothing, and belongs into no log and no journal.
public struct PayrailsInitData: Sendable, Hashable, Codable {
    /// The format's version; opaque.
    public let version: String
    private let content: Redacted<String>

    /// Standard base64 of a JSON object.
    public var data: String { content.reveal() }

    /// Creates a value from the two members of the server's answer.
    public init(version: String, data: String) {
        self.version = version
        content = Redacted(data)
    }

    private enum CodingKeys: String, CodingKey {
        case version, data
    }

    /// Creates a value by reading the server's answer.
    ///
    /// - Throws: `DecodingError` when a member is missing or no text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            version: try container.decode(String.self, forKey: .version),
            data: try container.decode(String.self, forKey: .data))
    }

    /// Writes what ``init(from:)`` reads, token and all.
    ///
    /// - Throws: what `encoder` throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(version, forKey: .version)
        try container.encode(data, forKey: .data)
    }
}

// The data holds an access token.
extension PayrailsInitData: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The version only.
    public var description: String { "InitData(version: \(version), data: <redacted>)" }
    /// The version only.
    public var debugDescription: String { description }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
