#if !canImport(CryptoKit)
    import CLibcrypto
#endif

/// Why a cryptographic operation was not done. Says nothing of keys or contents.
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

/// The system's cryptographically secure generator.
public enum SecureRandom {
    /// Returns `count` unpredictable bytes.
    public static func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}

/// Comparisons that take the same time wherever the bytes differ.
public enum ConstantTime {
    /// Returns true if `left` and `right` are equal. The time depends on the lengths only, which are not secret.
    public static func equal(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
        // Arrays: through generic iterators this takes twenty times as long.
        let (left, right) = (Array(left), Array(right))
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for index in left.indices { difference |= left[index] ^ right[index] }
        return difference == 0
    }
}

#if !canImport(CryptoKit)
    /// The library, set up before anything else of it is used.
    enum Libcrypto {
        /// False only when there is no memory.
        ///
        /// By default the library frees its state in an exit handler, while other threads may be in the middle of a
        /// digest or a handshake: a process then crashes or hangs as it ends. Here the state lives as long as the
        /// process.
        static let isReady = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1
    }

    /// A hash function of the library, looked up once for the life of the process. The library looks `EVP_sha256()` up
    /// by its name at each use, which takes longer than to hash an address.
    ///
    /// The library never changes the digest that it points to but for a reference count, which it keeps safely.
    struct LibcryptoDigest: @unchecked Sendable {
        /// Nil if the library does not have it.
        let pointer: OpaquePointer?

        private init(_ name: String) { pointer = Libcrypto.isReady ? EVP_MD_fetch(nil, name, nil) : nil }

        static let sha1 = Self("SHA1")
        static let sha256 = Self("SHA256")
        static let sha384 = Self("SHA384")
        static let sha512 = Self("SHA512")
        static let sha512Slash256 = Self("SHA512-256")
    }
#endif
