/// The reason for which a cryptographic operation was not done. Says nothing of keys or contents.
@nonexhaustive
public enum CryptoError: Error, Sendable, Hashable {
    /// The key is malformed, of the wrong kind or too short. The detail names the expected form.
    case invalidKey(String)
    /// The message is malformed, was changed on the way or was made with another key.
    case invalidMessage(String)
    /// The system's library refused; the detail names the operation.
    case failed(String)
}

extension CryptoError: CustomStringConvertible {
    /// One sentence for people.
    public var description: String {
        switch self {
        case .invalidKey(let detail): "the key cannot be used: \(detail)"
        case .invalidMessage(let detail): "the message cannot be read: \(detail)"
        case .failed(let operation): "the system's cryptography failed in \(operation)"
        }
    }
}
