import PaymentCore
import PaymentCrypto

/// Keys under which the service recognises a repetition: UUIDs that follow from what is asked for, so that whoever asks
/// again, after a crash or from another server, asks under the same one.
enum IdempotencyKey {
    /// Returns the key of what `parts` name, in the form of a random UUID. Each part stands for itself: what belongs to
    /// one cannot be moved into the next.
    static func make(_ parts: [String]) -> String {
        var message: [UInt8] = []
        for part in parts { message += Array("\(part.utf8.count):".utf8) + Array(part.utf8) }
        var bytes = Array(Digest.sha256.hash(message).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        var text = Hex.encode(bytes)
        for place in [20, 16, 12, 8] { text.insert("-", at: text.index(text.startIndex, offsetBy: place)) }
        return text
    }
}
