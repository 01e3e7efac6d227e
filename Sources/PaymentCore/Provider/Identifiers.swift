/// The stable name of a provider: lower-case letters, digits and hyphens, such as `walletconnect-pay`.
public struct ProviderID: Sendable, Hashable, Codable, RawRepresentable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The name.
    public let rawValue: String

    /// Creates an id; a registry refuses malformed ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates an id from a literal.
    public init(stringLiteral value: String) { rawValue = value }

    /// The name.
    public var description: String { rawValue }
}

/// The name of one attempt to pay: random, made once, kept across restarts.
public struct AttemptID: Sendable, Hashable, Codable, RawRepresentable, CustomStringConvertible {
    /// The name.
    public let rawValue: String

    /// Creates an id from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The name.
    public var description: String { rawValue }
}
