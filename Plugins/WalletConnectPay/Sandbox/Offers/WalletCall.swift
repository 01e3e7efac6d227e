import PaymentCore
import PaymentCrypto
import PaymentWallet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One call of an option to the payer's wallet, and the check of its result.
struct WalletCall: Sendable {
    /// The proof that the account agreed.
    enum Proof: Sendable {
        /// A signature over typed data whose recovered signer is the account.
        case typedData(digest: [UInt8])
        /// The hash of a transaction. There is no chain here: only its form can be checked.
        case transactionHash
        /// The transaction with this message, its signature filled in. Ed25519 is not verified.
        case solana(message: [UInt8])
        /// A signature over the transaction's id whose recovered signer is the account.
        case tron(transactionID: [UInt8])
    }

    let chain: String
    let method: String
    let params: JSONValue
    let proof: Proof

    /// The call in the form of an action. `chain_id` is the one member in snake case on this wire.
    var body: JSONValue {
        ["chain_id": .string(chain), "method": .string(method), "params": params]
    }

    /// Returns true if `result` proves that `address` agreed.
    func accepts(_ result: String, from address: String) -> Bool {
        switch proof {
        case .typedData(let digest):
            return Self.signer(digest, result)?.checksummed.equalsIgnoringASCIICase(address) == true
        case .transactionHash:
            return result.hasPrefix("0x") && Hex.decode(result)?.count == 32
        case .solana(let message):
            guard let signed = Data(base64Encoded: result).map(Array.init), signed.count == 65 + message.count else {
                return false
            }
            return signed[0] == 1 && signed[1...64].contains { $0 != 0 } && signed[65...].elementsEqual(message)
        case .tron(let transactionID):
            // An object, or a text that holds one: the vendor's older clients send only texts.
            let answer = try? JSONValue(parsing: Array(result.utf8))
            guard let signature = answer?["signature"]?[0]?.string,
                let signer = Self.signer(transactionID, signature.hasPrefix("0x") ? signature : "0x" + signature)
            else { return false }
            // A Tron address is 41, the same 20 bytes as on Ethereum, and four bytes of checksum.
            guard let account = Base58.decode(address), account.count == 25, account[0] == 0x41 else { return false }
            return Hex.decode(signer.checksummed)?.elementsEqual(account[1...20]) == true
        }
    }

    private static func signer(_ digest: [UInt8], _ signature: String) -> EthereumAddress? {
        try? DevelopmentWallet.recoverSigner(digest: digest, signatureHex: signature)
    }
}
