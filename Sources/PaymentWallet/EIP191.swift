import PaymentCrypto

/// Signed data of version `0x45`, "personal messages" (EIP-191).
public enum EIP191 {
    /// Returns the 32 bytes that `personal_sign` signs: the Keccak-256 of a prefix, the message's length in bytes as
    /// decimal text, and the message. The prefix keeps a message from being a transaction or typed data.
    public static func personalSignDigest(_ message: some Collection<UInt8>) -> [UInt8] {
        var hasher = Keccak256()
        hasher.update("\u{19}Ethereum Signed Message:\n\(message.count)".utf8)
        hasher.update(message)
        return hasher.finalize()
    }
}
