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

/// The malformed part of a chain, account or asset id, and its defect. Holds nothing of the id itself.
public struct CAIPError: Error, Sendable, Hashable {
    /// The parts of an id, as CAIP-2, CAIP-10 and CAIP-19 name them.
    @nonexhaustive
    public enum Part: String, Sendable, Hashable {
        /// `eip155` in `eip155:1`.
        case chainNamespace = "chain namespace"
        /// `1` in `eip155:1`.
        case chainReference = "chain reference"
        /// The part behind the chain in an account id.
        case accountAddress = "account address"
        /// `erc20` in `eip155:1/erc20:0x…`.
        case assetNamespace = "asset namespace"
        /// `0x…` in `eip155:1/erc20:0x…`.
        case assetReference = "asset reference"
        /// The part behind the asset type's second slash.
        case tokenID = "token id"
    }

    /// The kinds of defects of a part.
    @nonexhaustive
    public enum Reason: Sendable, Hashable {
        /// It is not there, or the mark before it is missing.
        case missing
        /// It has fewer characters than it must have.
        case tooShort(minimum: Int)
        /// It has more characters than it may have.
        case tooLong(maximum: Int)
        /// It holds a character it may not hold. The offset counts bytes from the start of the part.
        case forbiddenCharacter(offset: Int)
    }

    /// The malformed part.
    public let part: Part
    /// The defect.
    public let reason: Reason

    /// Creates an error.
    public init(_ part: Part, _ reason: Reason) {
        self.part = part
        self.reason = reason
    }
}

extension CAIPError: CustomStringConvertible {
    /// One sentence for people.
    public var description: String {
        switch reason {
        case .missing: "the \(part.rawValue) is missing"
        case .tooShort(let minimum): "the \(part.rawValue) needs at least \(minimum) characters"
        case .tooLong(let maximum): "the \(part.rawValue) may have at most \(maximum) characters"
        case .forbiddenCharacter(let offset): "the \(part.rawValue) holds a forbidden character (byte \(offset) of it)"
        }
    }
}

/// The alphabets and lengths of the parts.
extension CAIPError.Part {
    private var lengths: ClosedRange<Int> {
        switch self {
        case .chainNamespace, .assetNamespace: 3...8
        case .chainReference: 1...32
        case .accountAddress, .assetReference: 1...128
        case .tokenID: 1...78
        }
    }

    private func allows(_ byte: UInt8) -> Bool {
        let isHyphen = byte == UInt8(ascii: "-")
        return switch self {
        case .chainNamespace, .assetNamespace: isHyphen || byte &- 0x61 < 26 || byte.isASCIIDigit
        case .chainReference: isHyphen || byte == UInt8(ascii: "_") || byte.isASCIILetter || byte.isASCIIDigit
        case .accountAddress, .assetReference, .tokenID:
            isHyphen || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "%") || byte.isASCIILetter
                || byte.isASCIIDigit
        }
    }

    func check(_ text: Substring.UTF8View) throws(CAIPError) {
        guard !text.isEmpty else { throw CAIPError(self, .missing) }
        for (offset, byte) in text.enumerated() {
            // Length first: the text beyond it was probably never meant for this part.
            guard offset < lengths.upperBound else { throw CAIPError(self, .tooLong(maximum: lengths.upperBound)) }
            guard allows(byte) else { throw CAIPError(self, .forbiddenCharacter(offset: offset)) }
        }
        guard text.count >= lengths.lowerBound else { throw CAIPError(self, .tooShort(minimum: lengths.lowerBound)) }
    }
}
