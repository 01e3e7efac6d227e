/// The `name=value` pairs of a query, read lazily and left as they stand (still percent-encoded).
public struct QueryItems: Sequence, Sendable {
    /// One pair. An item without `=` has an empty value.
    public struct Item: Sendable, Hashable {
        /// The name, still percent-encoded.
        public let name: Substring
        /// The value, still percent-encoded.
        public let value: Substring

        /// The value as a form decoder reads it: `%XX` decoded, `+` a space. Nil when the encoding is broken.
        public var decodedValue: String? { PercentCoding.decode(value, plusIsSpace: true) }
    }

    private let query: Substring

    /// Creates the items of `query`, which stands without its `?`.
    public init(_ query: Substring) {
        self.query = query
    }

    /// Returns an iterator in order; empty items (`a=1&&b=2`) are skipped.
    public func makeIterator() -> some IteratorProtocol<Item> { Reader(rest: query) }

    /// Takes one item after the other from the front of a query.
    private struct Reader: IteratorProtocol {
        fileprivate var rest: Substring

        mutating func next() -> Item? {
            while !rest.isEmpty {
                let bytes = rest.utf8
                let end = bytes.firstIndex(of: UInt8(ascii: "&")) ?? bytes.endIndex
                let item = bytes[..<end]
                rest = Substring(end == bytes.endIndex ? bytes[end...] : bytes[bytes.index(after: end)...])
                if item.isEmpty { continue }
                let equals = item.firstIndex(of: UInt8(ascii: "=")) ?? end
                let value = equals == end ? end : item.index(after: equals)
                return Item(name: Substring(item[..<equals]), value: Substring(item[value...]))
            }
            return nil
        }
    }

    /// Returns all values of the items named exactly `name`, in order.
    public func values(_ name: String) -> [Substring] {
        filter { $0.name == name }.map(\.value)
    }
}
