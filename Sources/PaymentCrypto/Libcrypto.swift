#if !canImport(CryptoKit)
    import CLibcrypto

    /// The library, set up before anything else of it is used.
    enum Libcrypto {
        /// False only when there is no memory.
        ///
        /// The library's own way is to free its state in an exit handler, while other threads may be in the middle of a
        /// digest or a handshake: a process then crashes or hangs as it ends. Here the state lives as long as the process.
        static let isReady = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1
    }
#endif
