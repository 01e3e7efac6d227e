public import PaymentCrypto
public import PaymentSecp256k1

extension EthereumAddress {
    /// Creates the address of the account that a key controls.
    public init(_ publicKey: Secp256k1PublicKey) {
        self.init(coordinates: publicKey.uncompressed.dropFirst())
    }
}
