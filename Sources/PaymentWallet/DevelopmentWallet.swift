public import PaymentCore
public import PaymentCrypto
public import PaymentSecp256k1

/// A wallet of one Ethereum account, for development, tests and the sandbox.
///
/// **Never for real money.** It signs every request without showing it, and keeps its key in plain memory. It has no
/// network: it cannot send transactions.
public struct DevelopmentWallet: Sendable {
    private let privateKey: Secp256k1PrivateKey

    /// The wallet's account.
    public let address: EthereumAddress

    /// Creates a wallet that signs with `privateKey`.
    public init(privateKey: Secp256k1PrivateKey) {
        self.privateKey = privateKey
        address = EthereumAddress(privateKey.publicKey)
    }

    /// Creates a wallet whose key anyone can compute from a number: the same account for the same `seed`.
    ///
    /// **Never for real money**: a party that guesses the seed owns the account.
    public init(seed: UInt64) {
        var hasher = Keccak256()
        hasher.update("swift-payment-router development wallet".utf8)
        hasher.update((0..<8).map { UInt8(truncatingIfNeeded: seed >> (56 - 8 * $0)) })
        var bytes = hasher.finalize()
        // Between 1 and 2^255, and so always in the range of keys.
        bytes[0] &= 0x7F
        bytes[31] |= 1
        do {
            self.init(privateKey: try Secp256k1PrivateKey(bytes))
        } catch {
            preconditionFailure("every number from 1 to 2^255 is a private key of secp256k1")
        }
    }

    /// Signs a digest of 32 bytes.
    ///
    /// - Returns: `0x`, r, s and v (27 or 28): 132 characters.
    /// - Throws: ``WalletError/invalidSignature(_:)`` when the digest is not 32 bytes.
    public func sign(digest: [UInt8]) throws(WalletError) -> String {
        let signature: RecoverableSignature
        do { signature = try privateKey.sign(digest: digest) } catch { throw .invalidSignature(error) }
        return try EthereumSignature(signature).text
    }

    /// Signs typed data, an object or a string that holds one as JSON (`eth_signTypedData_v4`).
    ///
    /// - Parameter value: the typed data.
    /// - Returns: `0x`, r, s and v: 132 characters.
    /// - Throws: ``WalletError/typedData(_:)``.
    public func signTypedData(_ value: JSONValue) throws(WalletError) -> String {
        let typedData: TypedData
        do { typedData = try TypedData(parsing: value) } catch { throw .typedData(error) }
        return try sign(digest: typedData.digest)
    }

    /// Signs a personal message (EIP-191).
    ///
    /// - Parameter message: the bytes to sign.
    /// - Returns: `0x`, r, s and v: 132 characters.
    /// - Throws: the errors of ``sign(digest:)``.
    public func personalSign(_ message: some Collection<UInt8>) throws(WalletError) -> String {
        try sign(digest: EIP191.personalSignDigest(message))
    }

    /// Answers a wallet request.
    ///
    /// - `eth_signTypedData_v4`, `eth_signTypedData_v3`, `eth_signTypedData`: `[address, typed data]`, all hashed by
    ///   the rules of v4.
    /// - `personal_sign`: `[message, address]`; a message of `0x` and hexadecimal digits means those bytes, every
    ///   other one its UTF-8.
    ///
    /// - Parameters:
    ///   - method: the call's name.
    ///   - params: its parameters, as the service sent them.
    /// - Returns: the signature: `0x`, r, s and v.
    /// - Throws: ``WalletError/unsupportedMethod(_:)`` for every other method, `eth_sendTransaction` among them;
    ///   ``WalletError/otherAccount`` when the address is not ``address``; ``WalletError/invalidParameters(_:)``;
    ///   ``WalletError/typedData(_:)``.
    public func respond(method: String, params: JSONValue) throws(WalletError) -> String {
        switch method {
        case "eth_signTypedData_v4", "eth_signTypedData_v3", "eth_signTypedData":
            guard let list = params.array, list.count == 2, let account = list[0].string else {
                throw .invalidParameters("[address, typed data]")
            }
            try requireOwn(account)
            return try signTypedData(list[1])
        case "personal_sign":
            guard let list = params.array, list.count >= 2, let message = list[0].string, let account = list[1].string
            else { throw .invalidParameters("[message, address]") }
            try requireOwn(account)
            return try personalSign(Self.messageBytes(message))
        default:
            throw .unsupportedMethod(method)
        }
    }

    /// Returns the account that made a signature over a digest.
    ///
    /// - Parameters:
    ///   - digest: 32 bytes, such as ``TypedData/digest`` or ``EIP191/personalSignDigest(_:)``.
    ///   - signatureHex: `0x`, r, s and v.
    /// - Throws: ``WalletError/malformedSignature``, ``WalletError/invalidRecoveryByte``,
    ///   ``WalletError/invalidSignature(_:)``.
    public static func recoverSigner(digest: [UInt8], signatureHex: String) throws(WalletError) -> EthereumAddress {
        try EthereumSignature(parsing: signatureHex).signer(of: digest)
    }

    private func requireOwn(_ account: String) throws(WalletError) {
        guard account.equalsIgnoringASCIICase(address.checksummed) else { throw .otherAccount }
    }

    private static func messageBytes(_ message: String) throws(WalletError) -> [UInt8] {
        guard message.hasPrefix("0x"), message.utf8.dropFirst(2).allSatisfy({ Hex.value(of: $0) != nil }) else {
            return Array(message.utf8)
        }
        // Wallets disagree on whether an odd digit means text or gets a zero in front.
        guard let bytes = Hex.decode(message) else {
            throw .invalidParameters("[message, address], a hexadecimal message having an even number of digits")
        }
        return bytes
    }
}
