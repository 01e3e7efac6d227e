package import PaymentCrypto

/// A map of CBOR with numbers as keys, and numbers, bytes and texts as values: all that headers of sealed blobs
/// require. Only the one deterministic form is written and read.
package struct CBORMap: Sendable, Hashable {
    package var entries: [UInt64: CBORValue]

    private static let most = 16

    package init(_ entries: [UInt64: CBORValue]) { self.entries = entries }

    package subscript(_ key: UInt64) -> CBORValue? { entries[key] }

    package var wire: [UInt8] { CBORValue.map(entries.map { (.unsigned($0.key), $0.value) }).wire }

    package init(parsing bytes: [UInt8]) throws(WireDefect) {
        guard case .map(let items)? = try? CBORValue(parsing: bytes), items.count <= Self.most else {
            throw WireDefect("a header is no small map")
        }
        entries = [:]
        for (key, value) in items {
            guard let key = key.unsigned else { throw WireDefect("a header's keys are not numbers") }
            guard value.unsigned != nil || value.bytes != nil || value.text != nil else {
                throw WireDefect("a header has a value that no header has")
            }
            entries[key] = value
        }
        guard wire == bytes else { throw WireDefect("a header is not in the shortest form, in the order of its keys") }
    }
}
