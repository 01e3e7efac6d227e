import PaymentCore
import PaymentCrypto

/// Messages of a channel as they travel: each behind its length, in four bytes, highest first (Protocol 5.1). A length
/// that no message has is refused before anything of it is read, so that no stranger's number reserves memory.
package struct NoiseFrames: Sendable {
    private static let head = 4
    /// Every message has a tag at least.
    private static let shortest = ChaCha20Poly1305.tagLength

    private var bytes: [UInt8] = []
    private var length: Int?

    package init() {}

    /// How many bytes are wanted next; more than that is never taken.
    package var wanted: Int { Self.head + (length ?? 0) - bytes.count }

    /// Whether nothing of a next message has come yet.
    package var isAtStart: Bool { bytes.isEmpty }

    /// Takes what has come.
    ///
    /// - Parameter more: at most ``wanted`` bytes.
    /// - Returns: the message, when it is complete.
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

    /// A message with its length before it.
    package static func wire(_ message: [UInt8]) -> [UInt8] { UInt32(message.count).bigEndianBytes + message }
}
