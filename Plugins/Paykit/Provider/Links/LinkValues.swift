/// The values in a link's query, each decoded once.
struct LinkValues {
    private let link: PaymentLink
    private let plusIsSpace: Bool

    /// - Parameter plusIsSpace: true if a plus sign is a space, as in forms; otherwise it stays a plus sign.
    init(_ link: PaymentLink, plusIsSpace: Bool = false) {
        self.link = link
        self.plusIsSpace = plusIsSpace
    }

    /// Returns the value called `name`, which may be empty; nil where it is missing. Throws
    /// ``PaykitLinkDefect/parameter(_:)`` where it occurs twice or cannot be decoded: readers would disagree.
    func whole(_ name: String) throws(PaykitLinkDefect) -> String? {
        let values = link.queryItems.filter { $0.name == Substring(name) }
        guard values.count <= 1 else { throw .parameter(name) }
        guard let first = values.first else { return nil }
        guard let text = PercentCoding.decode(first.value, plusIsSpace: plusIsSpace) else { throw .parameter(name) }
        return text
    }

    /// The value called `name`; nil where it is missing or empty. Throws as ``whole(_:)``.
    subscript(_ name: String) -> String? {
        get throws(PaykitLinkDefect) {
            guard let text = try whole(name), !text.isEmpty else { return nil }
            return text
        }
    }

    /// Returns the value called `name`. Throws as ``whole(_:)``, and where it is missing or empty.
    func required(_ name: String) throws(PaykitLinkDefect) -> String {
        guard let value = try self[name] else { throw .parameter(name) }
        return value
    }

    func first(_ names: String...) throws(PaykitLinkDefect) -> String? {
        for name in names { if let value = try self[name] { return value } }
        return nil
    }
}
