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
