import PaymentCore

/// The content of the service's answer to the merchant's server for one payment, passed on unchanged.
///
/// It holds an access token: it is redacted when printed, and must not be written to a log or a journal.
public struct PayrailsInitData: Sendable, Hashable, Codable {
    /// The format's version; opaque.
    public let version: String
    private let content: Redacted<String>

    /// The standard base64 of a JSON object.
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
    /// - Throws: `DecodingError` if a member is missing or is not a text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            version: try container.decode(String.self, forKey: .version),
            data: try container.decode(String.self, forKey: .data))
    }

    /// Writes the values that ``init(from:)`` reads, the token included.
    ///
    /// - Throws: any error of `encoder`.
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
