/// A value that prints as its type's name: descriptions, interpolations, dumps and mirrors show none of its content.
///
/// Orders carry card numbers, security codes, tokens, names and addresses, and applications print their objects.
public protocol CPayConfidential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension CPayConfidential {
    /// The type's name.
    public var description: String { "\(Self.self)(<redacted>)" }

    /// The type's name.
    public var debugDescription: String { description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
