#if canImport(CSodium)
    import CSodium
#endif

/// The library's calls, which write into memory of ours.
enum Sodium {
    #if canImport(CSodium)
        /// False only when the library cannot be set up; a second call does nothing.
        static let isReady = sodium_init() >= 0
    #else
        static let isReady = false
    #endif

    /// Returns the `count` bytes that `call` writes. Throws `failure` if it reports one.
    static func bytes(
        _ count: Int, orThrow failure: SodiumError = .unavailable, _ call: (inout [UInt8]) -> Int32
    ) throws(SodiumError) -> [UInt8] {
        guard isReady else { throw .unavailable }
        // One byte more: an empty array may have no address.
        var bytes = [UInt8](repeating: 0, count: count + 1)
        guard call(&bytes) == 0 else { throw failure }
        bytes.removeLast()
        return bytes
    }

    static func opened(
        _ sealed: [UInt8], tagLength: Int, _ call: (inout [UInt8]) -> Int32
    ) throws(SodiumError) -> [UInt8] {
        guard sealed.count >= tagLength else { throw .invalidMessage("it is shorter than its tag") }
        let failure = SodiumError.invalidMessage("it was changed, or made for another key")
        return try bytes(sealed.count - tagLength, orThrow: failure, call)
    }

    /// Checks the lengths of what a cipher of both is called with: "an XChaCha20".
    static func check(_ key: [UInt8], _ nonce: [UInt8], of cipher: String) throws(SodiumError) {
        guard key.count == 32 else { throw .invalidKey("\(cipher) key has 32 bytes") }
        guard nonce.count == 24 else { throw .invalidKey("\(cipher) nonce has 24 bytes") }
    }
}

/// The reason for which one of libsodium's ciphers was not used. Says nothing of keys or contents.
@nonexhaustive
public enum SodiumError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A key or nonce has another length; the detail names the required one.
    case invalidKey(String)
    /// The message is malformed, was changed on the way or was made with another key.
    case invalidMessage(String)
    /// The library could not be set up, or is missing: libsodium comes with Linux and Homebrew, not with iOS.
    case unavailable

    /// One sentence for people.
    public var description: String {
        switch self {
        case .invalidKey(let detail): "the key cannot be used: \(detail)"
        case .invalidMessage(let detail): "the message cannot be read: \(detail)"
        case .unavailable: "libsodium is not available here, and no other library has this cipher"
        }
    }
}
