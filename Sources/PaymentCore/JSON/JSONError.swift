/// The reason for which bytes are not accepted as JSON. It never quotes them: they may be secret.
public struct JSONError: Error, Sendable, Hashable {
    /// The kinds of defects.
    @nonexhaustive
    public enum Reason: Sendable, Hashable {
        /// The text stops before the value is complete.
        case unexpectedEnd
        /// A byte that cannot stand there.
        case unexpectedByte
        /// A number that is not in JSON notation, such as `01`, `1.` or `+1`.
        case invalidNumber
        /// A control character in a string; it must be written as an escape.
        case controlCharacter
        /// A backslash that is not followed by one of the escapes of JSON.
        case invalidEscape
        /// An escaped half of a surrogate pair without its other half.
        case loneSurrogate
        /// A string or key whose bytes are not UTF-8.
        case invalidUTF8
        /// A key that the same object already has.
        case duplicateKey
        /// More than ``JSONValue/maximumDepth`` containers inside each other.
        case tooDeep
        /// Something after the end of the value.
        case trailingData
    }

    /// The defect.
    public let reason: Reason
    /// The place, in bytes from the start of the text. For wrong UTF-8 and duplicate keys, the start of the string.
    public let offset: Int

    init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }
}

extension JSONError: CustomStringConvertible {
    /// One sentence for people.
    public var description: String {
        switch reason {
        case .unexpectedEnd: "the JSON text is incomplete: it ends at byte \(offset)"
        case .unexpectedByte: "not valid JSON: unexpected character at byte \(offset)"
        case .invalidNumber: "not valid JSON: malformed number at byte \(offset)"
        case .controlCharacter: "not valid JSON: unescaped control character in a string at byte \(offset)"
        case .invalidEscape: "not valid JSON: unknown escape in a string at byte \(offset)"
        case .loneSurrogate: "not valid JSON: half a surrogate pair in a string at byte \(offset)"
        case .invalidUTF8: "not valid JSON: the string at byte \(offset) is not UTF-8"
        case .duplicateKey: "ambiguous JSON: the key at byte \(offset) occurs twice in its object"
        case .tooDeep: "the JSON text nests more than \(JSONValue.maximumDepth) levels deep (byte \(offset))"
        case .trailingData: "not valid JSON: something follows the value at byte \(offset)"
        }
    }
}
