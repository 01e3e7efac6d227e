import PaymentCrypto

/// Messages of a channel on the wire: each behind its length, in four bytes, most significant first (Protocol 5.1). An
/// impossible length is refused before any of the message is read, so that no foreign number reserves memory.
package struct NoiseFrames: Sendable {
    private static let head = 4
    private static let shortest = ChaCha20Poly1305.tagLength

    private var bytes: [UInt8] = []
    private var length: Int?

    package init() {}

    /// The number of bytes wanted next; more than that is never taken.
    package var wanted: Int { Self.head + (length ?? 0) - bytes.count }

    package var isAtStart: Bool { bytes.isEmpty }

    /// Takes bytes that have arrived. `more` is at most ``wanted`` bytes. Returns the message, when it is complete.
    package mutating func take(_ more: [UInt8]) throws(NoiseError) -> [UInt8]? {
        guard more.count <= wanted else { throw .length }
        bytes += more
        guard wanted == 0 else { return nil }
        guard length != nil else {
            let length = bytes.reduce(0) { $0 << 8 | Int($1) }
            guard Self.shortest...NoiseCipher.maximumLength ~= length else { throw .length }
            self.length = length
            return nil
        }
        let message = Array(bytes.dropFirst(Self.head))
        self = NoiseFrames()
        return message
    }

    package static func wire(_ message: [UInt8]) -> [UInt8] { UInt32(message.count).bigEndianBytes + message }
}
