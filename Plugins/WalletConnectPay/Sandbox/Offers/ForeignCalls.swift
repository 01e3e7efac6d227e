import PaymentCore
import PaymentCrypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The wallet calls of chains other than EVM chains.
enum ForeignCalls {
    /// Returns a transfer of lamports for the payer's signature; nil when `payer` is not a Solana address.
    ///
    /// The recorded call holds a placeholder; this one holds a real message of the legacy format.
    static func solana(_ asset: Asset, payer: String, value: UInt128, _ random: any RandomSource) -> WalletCall? {
        guard let payer = Base58.decode(payer), payer.count == 32, let merchant = Hex.decode(random.hex(64)),
            let blockhash = Hex.decode(random.hex(64))
        else { return nil }
        let systemProgram = [UInt8](repeating: 0, count: 32)
        // One signer, no read-only signer, one read-only account that does not sign; then the three accounts.
        var message: [UInt8] = [1, 0, 1, 3] + payer + merchant + systemProgram + blockhash
        // One instruction: program 2, accounts 0 and 1, and twelve bytes: transfer (2), the lamports.
        message += [1, 2, 2, 0, 1, 12, 2, 0, 0, 0]
        message += littleEndian(UInt64(clamping: value))
        let unsigned = [1] + [UInt8](repeating: 0, count: 64) + message
        return WalletCall(
            chain: asset.chain, method: "solana_signTransaction",
            params: [["transaction": .string(Data(unsigned).base64EncodedString())]],
            proof: .solana(message: message))
    }

    /// Returns a transfer of tokens for the payer's signature, the same for every payment: no recorded call is public.
    /// Its owner is the account of the private key 1, its amount 12.50.
    static func tron(_ asset: Asset) -> WalletCall? {
        guard let id = Hex.decode(tronID) else { return nil }
        return WalletCall(
            chain: asset.chain, method: "tron_signTransaction",
            params: [
                [
                    "txID": .string(tronID), "raw_data_hex": .string(tronMessage),
                    "raw_data": [
                        "contract": [
                            [
                                "type": "TriggerSmartContract",
                                "parameter": [
                                    "type_url": "type.googleapis.com/protocol.TriggerSmartContract",
                                    "value": [
                                        "owner_address": .string(tronOwner), "contract_address": .string(tronToken),
                                        "data": .string(tronTransfer),
                                    ],
                                ],
                            ]
                        ],
                        "ref_block_bytes": "1234", "ref_block_hash": "0001020304050607",
                        "expiration": 1_789_000_060_000,
                        "timestamp": 1_789_000_000_000, "fee_limit": 100_000_000,
                    ],
                ]
            ], proof: .tron(transactionID: id))
    }

    /// SHA-256 of ``tronMessage``.
    private static let tronID = "7a6f044b1a871b2b3eaf63ff09ad8f98a314e085b43e29cb345db11bc5782774"
    private static let tronOwner = "417e5f4552091a69125d5dfcb7b8c2659029395bdf"
    private static let tronToken = "41a614f803b6fd780986a42c78ec9c7f77e6ded13c"
    private static let tronTransfer =
        "a9059cbb0000000000000000000000005fae5310f257437fbfed0da3c417da410078058e"
        + "0000000000000000000000000000000000000000000000000000000000bebc20"
    /// The transaction's protocol buffer, with the URL of the contract's type in the middle.
    private static let tronMessage =
        "0a0212342208000102030405060740e098dac588345aae01081f12a9010a31"
        + "747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e54726967676572536d617274436f6e7472616374"
        + "12740a15" + tronOwner + "1215" + tronToken + "2244" + tronTransfer + "7080c4d6c58834900180c2d72f"

    private static func littleEndian(_ value: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
