import PaymentCore
public import PaymentCrypto
public import PaymentSecp256k1

/// A signature in the form of Ethereum wallets: r, s and v in 65 bytes.
public struct EthereumSignature: Sendable, Hashable {
    /// The signature, with low S and recovery id 0 or 1.
    public let signature: RecoverableSignature

    /// Creates a signature from its numbers.
    ///
    /// - Throws: ``WalletError/invalidRecoveryByte`` for recovery ids 2 and 3, for which Ethereum has no v;
    ///   ``WalletError/invalidSignature(_:)`` for a high S.
    public init(_ signature: RecoverableSignature) throws(WalletError) {
        guard signature.recoveryID <= 1 else { throw .invalidRecoveryByte }
        guard signature.hasLowS else { throw .invalidSignature(.highS) }
        self.signature = signature
    }

    /// Creates a signature from `0x` and 130 hexadecimal digits: r, s and v, where v is 27 or 28.
    ///
    /// - Throws: ``WalletError/malformedSignature``, ``WalletError/invalidRecoveryByte``,
    ///   ``WalletError/invalidSignature(_:)``.
    public init(parsing text: String) throws(WalletError) {
        guard text.utf8.count == 132, text.hasPrefix("0x"), let bytes = Hex.decode(text) else {
            throw .malformedSignature
        }
        guard bytes[64] == 27 || bytes[64] == 28 else { throw .invalidRecoveryByte }
        do {
            signature = try RecoverableSignature(
                r: Array(bytes[..<32]), s: Array(bytes[32..<64]), recoveryID: bytes[64] - 27)
        } catch {
            throw .invalidSignature(error)
        }
    }

    /// `0x`, r, s and v: 132 characters, digits in lower case.
    public var text: String { "0x" + Hex.encode(signature.r + signature.s + [27 + signature.recoveryID]) }

    /// Returns the account that signed a digest.
    ///
    /// - Parameter digest: the 32 bytes that were signed.
    /// - Throws: ``WalletError/invalidSignature(_:)`` when no key fits, or the digest is not 32 bytes.
    public func signer(of digest: [UInt8]) throws(WalletError) -> EthereumAddress {
        do {
            return EthereumAddress(try Secp256k1PublicKey.recover(digest: digest, signature: signature))
        } catch {
            throw .invalidSignature(error)
        }
    }
}
