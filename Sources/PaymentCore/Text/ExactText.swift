// Services and files treat names of payments and attempts as bytes. Swift's texts are equal when they look alike
// (Unicode canonical equivalence), which would take one payment for another.

extension String {
    /// Returns true if both are the same byte for byte.
    package func isExactly(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension Hasher {
    /// Hashes a text's bytes.
    package mutating func combine(exactly text: String) {
        var text = text
        text.withUTF8 { combine(bytes: UnsafeRawBufferPointer($0)) }
        combine(0xFF as UInt8)
    }
}

extension PaymentReference {
    /// References are equal when their bytes are.
    public static func == (left: Self, right: Self) -> Bool {
        left.provider == right.provider && left.subject == right.subject && left.id.isExactly(right.id)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(provider)
        hasher.combine(subject)
        hasher.combine(exactly: id)
    }
}

extension ProviderID {
    /// Ids are equal when their bytes are.
    public static func == (left: Self, right: Self) -> Bool { left.rawValue.isExactly(right.rawValue) }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(exactly: rawValue) }
}

extension AttemptID {
    /// Ids are equal when their bytes are.
    public static func == (left: Self, right: Self) -> Bool { left.rawValue.isExactly(right.rawValue) }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(exactly: rawValue) }
}
