import PaymentCore

/// The type of a field.
indirect enum TypedDataType: Sendable, Hashable {
    case bool
    case address
    case string
    case bytes
    /// `bytes1` to `bytes32`.
    case fixedBytes(Int)
    /// `uint8` to `uint256` and `int8` to `int256`.
    case integer(bits: Int, signed: Bool)
    case structure(String)
    /// `count` is nil for a dynamic array.
    case array(TypedDataType, count: Int?)

    /// The most dimensions of an array type.
    static let maximumDimensions = 16

    /// Reads a type such as `uint256[2][]`; nil when it is malformed. Names that are not built in are structures.
    init?(_ text: String) {
        guard let open = text.firstIndex(of: "[") else {
            self.init(atomic: text)
            return
        }
        guard var type = TypedDataType(atomic: String(text[..<open])) else { return nil }
        let dimensions = text[open...].split(separator: "]", omittingEmptySubsequences: false)
        // Every "]" ends a piece that is "[" and perhaps a length; nothing follows the last one.
        guard dimensions.last == "", dimensions.count - 1 <= Self.maximumDimensions else { return nil }
        for dimension in dimensions.dropLast() {
            guard dimension.first == "[" else { return nil }
            let length = dimension.dropFirst()
            if length.isEmpty {
                type = .array(type, count: nil)
            } else {
                guard let count = Self.number(length) else { return nil }
                type = .array(type, count: count)
            }
        }
        self = type
    }

    private init?(atomic text: String) {
        switch text {
        case "bool": self = .bool
        case "address": self = .address
        case "string": self = .string
        case "bytes": self = .bytes
        case _ where Self.isReserved(text):
            let digits = text.utf8.firstIndex { $0.isASCIIDigit } ?? text.endIndex
            guard let size = Self.number(text[digits...]) else { return nil }
            switch text[..<digits] {
            case "bytes" where size <= 32: self = .fixedBytes(size)
            case "uint" where size <= 256 && size % 8 == 0: self = .integer(bits: size, signed: false)
            case "int" where size <= 256 && size % 8 == 0: self = .integer(bits: size, signed: true)
            default: return nil
            }
        default:
            guard Self.isIdentifier(text) else { return nil }
            self = .structure(text)
        }
    }

    /// The structure that this type is or is made of.
    var structureName: String? {
        switch self {
        case .structure(let name): name
        case .array(let element, _): element.structureName
        default: nil
        }
    }

    /// Returns true if `text` is a Solidity identifier.
    static func isIdentifier(_ text: String) -> Bool {
        guard let first = text.utf8.first, !first.isASCIIDigit else { return false }
        return text.utf8.allSatisfy {
            $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "$")
        }
    }

    /// Returns true if no structure may have the name `text`: built-in names, and look-alikes such as `uint7`.
    static func isReserved(_ text: String) -> Bool {
        if ["bool", "address", "string", "byte"].contains(text) { return true }
        return ["bytes", "uint", "int"].contains { stem in
            text.hasPrefix(stem) && text.utf8.dropFirst(stem.utf8.count).allSatisfy(\.isASCIIDigit)
        }
    }

    /// A positive decimal number without leading zeros.
    private static func number(_ text: some StringProtocol) -> Int? {
        guard let first = text.utf8.first, first != UInt8(ascii: "0"), text.utf8.allSatisfy(\.isASCIIDigit) else {
            return nil
        }
        return Int(text)
    }
}
