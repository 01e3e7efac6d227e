/// The reason for which a text is not a sound instruction of its standard: the wrong part, its place, and the remedy.
///
/// Holds nothing of the text itself, so that it can be shown and logged.
public struct StandardDefect: Error, Sendable, Hashable {
    /// Kinds of defects, for programs.
    @nonexhaustive
    public enum Kind: String, Sendable, Hashable {
        /// The text is of another standard, or of none: nothing in it says that it was meant to be of this one.
        case foreign
        /// A required part is missing.
        case missing
        /// A part is not written as the standard demands.
        case malformed
        /// A part is shorter or longer than allowed.
        case length
        /// A checksum is wrong: at least one character is.
        case checksum
        /// A signature is wrong.
        case signature
        /// A number or date is outside the possible values.
        case range
        /// A part that may stand only once stands twice.
        case duplicate
        /// Broken percent-encoding or text that is not UTF-8.
        case encoding
        /// Two parts contradict each other.
        case mismatch
        /// The text demands something unknown, and says that it must not be ignored.
        case unsupported
        /// The text holds a private key or a seed. It must not be shown, logged or sent anywhere.
        case secret
    }

    /// The kind of defect.
    public let kind: Kind
    /// The offending part, as the standard calls it: `amount`, `IBAN`, `line 7 (IBAN)`.
    public let part: String
    /// The start of the part, in UTF-8 bytes from the start of the link's text, or of the text as written where the
    /// standard allows no escapes; the text's length for a missing part.
    public package(set) var offset: Int
    /// The defect and the remedy, to follow the part's name: `has more than 8 digits behind the point; …`.
    public let advice: String
    /// True if the text must not be shown or logged even so: it holds a key, or the rest of it is worth money.
    public var holdsSecret: Bool
    /// The kind of text that was intended, for people, where the reader knows it.
    public var intended: PaymentInstruction.Name?

    /// Creates a defect.
    public init(_ kind: Kind, _ part: String, at offset: Int, _ advice: String) {
        self.kind = kind
        self.part = part
        self.offset = offset
        self.advice = advice
        holdsSecret = kind == .secret
    }
}

extension StandardDefect: CustomStringConvertible {
    /// One sentence for people.
    public var description: String { "\(part) (byte \(offset)): \(advice)" }
}
