/// A blockchain: `eip155:1` is Ethereum's main network. Source: CAIP-2.
public struct ChainID: Sendable, Hashable {
    /// The id as it stands.
    public let text: String

    /// Creates an id by reading `text`.
    ///
    /// - Throws: ``CAIPError``, naming the malformed part.
    public init(_ text: String) throws(CAIPError) {
        try Self.check(text[...])
        self.text = text
    }

    fileprivate init(checked text: Substring) { self.text = String(text) }

    /// The kind of chain, such as `eip155` or `solana`.
    public var namespace: Substring { text.cut(at: ":").head }
    /// The chain within that kind.
    public var reference: Substring { text.cut(at: ":").tail ?? "" }

    fileprivate static func check(_ text: Substring) throws(CAIPError) {
        let (namespace, reference) = text.cut(at: ":")
        try CAIPError.Part.chainNamespace.check(namespace.utf8)
        try CAIPError.Part.chainReference.check((reference ?? "").utf8)
    }
}

/// An account on a blockchain: `eip155:1:0xab16…`. Source: CAIP-10.
///
/// Ids are equal when their texts are: an address in another case is another id, as the standard has it.
public struct AccountID: Sendable, Hashable {
    /// The id as it stands.
    public let text: String

    /// Creates an id by reading `text`.
    ///
    /// - Throws: ``CAIPError``, naming the malformed part.
    public init(_ text: String) throws(CAIPError) {
        let (chain, address) = Self.parts(text)
        try ChainID.check(chain)
        try CAIPError.Part.accountAddress.check((address ?? "").utf8)
        self.text = text
    }

    /// Creates the account `address` on `chain`.
    ///
    /// - Throws: ``CAIPError`` when the address is malformed.
    public init(chain: ChainID, address: String) throws(CAIPError) {
        try self.init("\(chain.text):\(address)")
    }

    /// The blockchain.
    public var chain: ChainID { ChainID(checked: Self.parts(text).chain) }
    /// The address, in the chain's own spelling.
    public var address: Substring { Self.parts(text).address ?? "" }

    /// Cuts at the second colon.
    private static func parts(_ text: String) -> (chain: Substring, address: Substring?) {
        guard let rest = text.cut(at: ":").tail, let address = rest.cut(at: ":").tail else { return (text[...], nil) }
        return (text[..<text.utf8.index(before: address.startIndex)], address)
    }
}

/// A token or native coin on a blockchain, `eip155:1/erc20:0x6b17…`, or one piece of a collection,
/// `hedera:mainnet/nft:0.0.55492/12`. Source: CAIP-19.
///
/// Ids are equal when their texts are: a contract address in another case is another id, as the standard has it.
public struct AssetID: Sendable, Hashable {
    /// The id as it stands.
    public let text: String

    /// Creates an id by reading `text`.
    ///
    /// - Throws: ``CAIPError``, naming the malformed part.
    public init(_ text: String) throws(CAIPError) {
        let (chain, asset, token) = Self.parts(text)
        try ChainID.check(chain)
        guard let asset else { throw CAIPError(.assetNamespace, .missing) }
        let (namespace, reference) = asset.cut(at: ":")
        try CAIPError.Part.assetNamespace.check(namespace.utf8)
        try CAIPError.Part.assetReference.check((reference ?? "").utf8)
        if let token { try CAIPError.Part.tokenID.check(token.utf8) }
        self.text = text
    }

    /// The blockchain.
    public var chain: ChainID { ChainID(checked: Self.parts(text).chain) }
    /// The kind of asset, such as `erc20` or `slip44`.
    public var namespace: Substring { Self.parts(text).asset?.cut(at: ":").head ?? "" }
    /// The asset within that kind, such as a contract's address.
    public var reference: Substring { Self.parts(text).asset?.cut(at: ":").tail ?? "" }
    /// The piece of a collection, or nil for the whole asset.
    public var tokenID: Substring? { Self.parts(text).token }

    /// Returns true if both ids name one asset. Letter case in addresses of EVM chains is only a checksum.
    ///
    /// - Parameter other: the id to compare with.
    public func denotesSame(as other: AssetID) -> Bool {
        text == other.text || (chain.namespace == "eip155" && text.equalsIgnoringASCIICase(other.text))
    }

    private static func parts(_ text: String) -> (chain: Substring, asset: Substring?, token: Substring?) {
        let (chain, rest) = text.cut(at: "/")
        let (asset, token) = rest?.cut(at: "/") ?? ("", nil)
        return (chain, rest == nil ? nil : asset, token)
    }
}

extension StringProtocol where SubSequence == Substring {
    /// The parts before and after the first `mark`; the second is nil when there is none.
    fileprivate func cut(at mark: Unicode.Scalar) -> (head: Substring, tail: Substring?) {
        guard let index = utf8.firstIndex(of: UInt8(ascii: mark)) else { return (self[...], nil) }
        return (self[..<index], self[utf8.index(after: index)...])
    }
}

// MARK: Text and coding

/// The common part of the three ids: they print and code as their text.
private protocol CAIPText: Codable {
    var text: String { get }
    init(_ text: String) throws(CAIPError)
}

extension CAIPText {
    fileprivate static func decode(_ decoder: any Decoder) throws -> Self {
        let container = try decoder.singleValueContainer()
        do {
            return try Self(container.decode(String.self))
        } catch let error as CAIPError {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: error.description)
        }
    }

    fileprivate func write(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension ChainID: CAIPText, Codable, CustomStringConvertible {
    /// The id.
    public var description: String { text }
    /// Creates an id by decoding its text.
    ///
    /// - Throws: `DecodingError` when the text is none.
    public init(from decoder: any Decoder) throws { self = try Self.decode(decoder) }
    /// Encodes the id's text.
    ///
    /// - Throws: any error of the encoder.
    public func encode(to encoder: any Encoder) throws { try write(to: encoder) }
}

extension AccountID: CAIPText, Codable, CustomStringConvertible {
    /// The id.
    public var description: String { text }
    /// Creates an id by decoding its text.
    ///
    /// - Throws: `DecodingError` when the text is none.
    public init(from decoder: any Decoder) throws { self = try Self.decode(decoder) }
    /// Encodes the id's text.
    ///
    /// - Throws: any error of the encoder.
    public func encode(to encoder: any Encoder) throws { try write(to: encoder) }
}

extension AssetID: CAIPText, Codable, CustomStringConvertible {
    /// The id.
    public var description: String { text }
    /// Creates an id by decoding its text.
    ///
    /// - Throws: `DecodingError` when the text is none.
    public init(from decoder: any Decoder) throws { self = try Self.decode(decoder) }
    /// Encodes the id's text.
    ///
    /// - Throws: any error of the encoder.
    public func encode(to encoder: any Encoder) throws { try write(to: encoder) }
}
