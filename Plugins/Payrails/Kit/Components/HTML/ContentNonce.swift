/// The nonce that allows only the page's own style and script to run (Content Security Policy, `nonce-`).
///
/// Each answer needs a new one, from a source that cannot be guessed.
public struct ContentNonce: Sendable, Hashable {
    /// The nonce as written in the header and in the page.
    public let text: String

    /// Creates a nonce from 16 to 128 characters of base64 or base64url; nil for any other text, which could end the
    /// header's value or the attribute.
    public init?(_ text: String) {
        let bytes = text.utf8
        guard (16...128).contains(bytes.count) else { return nil }
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "-"),
                UInt8(ascii: "_"), UInt8(ascii: "="):
                continue
            default: return nil
            }
        }
        self.text = text
    }
}
