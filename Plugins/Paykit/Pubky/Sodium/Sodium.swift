#if canImport(CSodium)
    import CSodium

    /// The library, set up before anything else of it is used.
    enum Sodium {
        /// False only when the library cannot be set up; a second call does nothing.
        static let isReady = sodium_init() >= 0
    }
#endif

/// The reason for which one of libsodium's ciphers was not used. Says nothing of keys or contents.
@nonexhaustive
public enum SodiumError: Error, Sendable, Hashable {
    /// A key or nonce has another length; the detail names the required one.
    case invalidKey(String)
    /// The message is malformed, was changed on the way or was made with another key.
    case invalidMessage(String)
    /// The library could not be set up, or this platform has none: libsodium comes with Linux and Homebrew, not with
    /// iOS.
    case unavailable
}

extension SodiumError: CustomStringConvertible {
    /// One sentence for people.
    public var description: String {
        switch self {
        case .invalidKey(let detail): "the key cannot be used: \(detail)"
        case .invalidMessage(let detail): "the message cannot be read: \(detail)"
        case .unavailable: "libsodium is not available here, and no other library has this cipher"
        }
    }
}
