#if !canImport(CryptoKit)
    import CLibcrypto

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
        /// Nil where the library does not have it.
        let pointer: OpaquePointer?

        private init(_ name: String) { pointer = Libcrypto.isReady ? EVP_MD_fetch(nil, name, nil) : nil }

        static let sha1 = Self("SHA1")
        static let sha256 = Self("SHA256")
        static let sha384 = Self("SHA384")
        static let sha512 = Self("SHA512")
        static let sha512Slash256 = Self("SHA512-256")
    }
#endif
