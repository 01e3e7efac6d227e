import PaymentCore
import PaymentCrypto

/// Keys by which the service recognises a repetition: UUIDs that follow from the request, so that a repeated request,
/// after a crash or from another server, has the same one.
enum IdempotencyKey {
    /// Returns the key for `parts`, in the form of a random UUID. The parts are delimited: text cannot be moved from
    /// one into the next.
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
