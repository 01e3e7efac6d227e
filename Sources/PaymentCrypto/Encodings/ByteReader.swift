/// A reader of foreign bytes, from the front. It never reads past the end.
package struct ByteReader: Sendable {
    private let bytes: [UInt8]
    /// The number of bytes that have been read.
    package private(set) var position: Int

    package init(_ bytes: [UInt8], at position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

    /// Returns a reader of the same bytes from another place.
    package func moved(to place: Int) -> ByteReader { ByteReader(bytes, at: place) }

    package var remaining: Int { bytes.count - position }
    package var isAtEnd: Bool { remaining == 0 }

    package mutating func byte() throws(WireDefect) -> UInt8 {
        let byte = try peek()
        position += 1
        return byte
    }

    /// Returns the next byte, which stays to be read.
    package func peek() throws(WireDefect) -> UInt8 {
        guard remaining > 0 else { throw WireDefect("it ends too early", at: position) }
        return bytes[position]
    }

    package mutating func bytes(_ count: Int) throws(WireDefect) -> [UInt8] {
        guard 0...remaining ~= count else { throw WireDefect("it ends too early", at: position) }
        defer { position += count }
        return Array(bytes[position..<position + count])
    }

    package mutating func rest() -> [UInt8] {
        defer { position = bytes.count }
        return Array(bytes[position...])
    }

    package mutating func uint16() throws(WireDefect) -> UInt16 {
        try bytes(2).reduce(0) { $0 << 8 | UInt16($1) }
    }

    package mutating func uint32() throws(WireDefect) -> UInt32 {
        try bytes(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    package mutating func uint64() throws(WireDefect) -> UInt64 {
        try bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    package func end() throws(WireDefect) {
        guard isAtEnd else { throw WireDefect("\(remaining) bytes follow its end", at: position) }
    }
}

/// A defect of foreign bytes. Holds none of them.
package struct WireDefect: Error, Hashable, CustomStringConvertible {
    package let reason: String
    /// The position of the defect, counted from the start; nil if it concerns the whole.
    package let position: Int?

    package init(_ reason: String, at position: Int? = nil) {
        self.reason = reason
        self.position = position
    }

    package var description: String { position.map { "\(reason) (at byte \($0))" } ?? reason }
}
