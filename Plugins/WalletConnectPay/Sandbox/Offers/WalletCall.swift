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

// MARK: - EVM chains

/// The wallet calls of EVM chains, as recorded from the service.
struct EVMCalls {
    private static let permit2 = "0x000000000022d473030f116ddee9f6b43ac78ba3"
    private static let spender = "0x5fae5310f257437fbfed0da3c417da410078058e"
    private static let collector = "0x35e6cb35647076539f8c4d14f51e03841bcd1f0e"
    private static let settlement = "0x57b2b4288220005234c0e88a04a7943193971d21"
    private static let coinCollector = "0x4213f576334bcba157305abd16c6519d472819b3"
    private static let merchant = "0x505f60096888ea3264dc8778bb9bf1809daa042c"

    let asset: Asset
    /// The payer's address, in lower case as everywhere in these calls.
    let address: String
    /// Minor units.
    let value: UInt128
    /// Unix seconds.
    let deadline: Int64
    let random: any RandomSource

    private var token: String { asset.token.lowercased() }
    private var chainNumber: Int { Int(asset.chain.split(separator: ":").last ?? "") ?? 0 }

    /// `approve(Permit2, 2^256 - 1)`.
    var approval: WalletCall {
        let spender = String(repeating: "0", count: 24) + Self.permit2.dropFirst(2)
        return transaction([
            "data": .string("0x095ea7b3" + spender + String(repeating: "f", count: 64)), "from": .string(address),
            "to": .string(token),
        ])
    }

    /// Pays the coin through the settlement contract, in the recorded form: `chargeNative` with its twenty words. The
    /// contract accepts the payment until 300 s before the signatures of other options expire.
    var transaction: WalletCall {
        let end = deadline - 300
        let words =
            [
                Self.word(Self.settlement), Self.word(address), Self.word(Self.merchant), Self.word(asset.wrapped),
                Self.word(value), Self.word(end), Self.word(end + 86_400), Self.word(end + 86_400 + 2_592_000),
                Self.word(0), Self.word(0), Self.word(0), random.hex(64), Self.word(Self.coinCollector),
                Self.word(512), Self.word(0), Self.word(0), Self.word(65), random.hex(64), random.hex(64),
            ].joined() + "1b" + String(repeating: "0", count: 62)
        return transaction([
            "data": .string("0xd3906488" + words), "from": .string(address), "to": .string(Self.settlement),
            "value": .string(Self.hex(value)),
        ])
    }

    /// A permit for the Permit2 contract; nil for an address that is not one.
    var permit: WalletCall? {
        signature([
            "domain": [
                "name": "Permit2", "chainId": .string(Self.hex(chainNumber)),
                "verifyingContract": .string(Self.permit2),
            ],
            "types": [
                "EIP712Domain": Self.fields("string name", "uint256 chainId", "address verifyingContract"),
                "PermitTransferFrom": Self.fields(
                    "TokenPermissions permitted", "address spender", "uint256 nonce", "uint256 deadline"),
                "TokenPermissions": Self.fields("address token", "uint256 amount"),
            ],
            "primaryType": "PermitTransferFrom",
            "message": [
                "permitted": ["token": .string(token), "amount": .string(Self.hex(value))],
                "spender": .string(Self.spender), "nonce": .string("0x" + random.hex(64)),
                "deadline": .string(Self.hex(deadline)),
            ],
        ])
    }

    /// An authorisation by EIP-3009; nil for an address that is not one.
    func authorization(_ name: String, _ version: String) -> WalletCall? {
        signature([
            "domain": [
                "name": .string(name), "version": .string(version), "chainId": .string(Self.hex(chainNumber)),
                "verifyingContract": .string(token),
            ],
            "types": [
                "EIP712Domain": Self.fields(
                    "string name", "string version", "uint256 chainId", "address verifyingContract"),
                "ReceiveWithAuthorization": Self.fields(
                    "address from", "address to", "uint256 value", "uint256 validAfter", "uint256 validBefore",
                    "bytes32 nonce"),
            ],
            "primaryType": "ReceiveWithAuthorization",
            "message": [
                "from": .string(address), "to": .string(Self.collector), "value": .string(Self.hex(value)),
                "validAfter": "0x0", "validBefore": .string(Self.hex(deadline)),
                "nonce": .string("0x" + random.hex(64)),
            ],
        ])
    }

    // MARK: Parts

    private func signature(_ data: JSONValue) -> WalletCall? {
        guard let typed = try? TypedData(parsing: data) else { return nil }
        return WalletCall(
            chain: asset.chain, method: "eth_signTypedData_v4", params: [.string(address), .string(data.text)],
            proof: .typedData(digest: typed.digest))
    }

    private func transaction(_ fields: JSONValue) -> WalletCall {
        WalletCall(chain: asset.chain, method: "eth_sendTransaction", params: [fields], proof: .transactionHash)
    }

    /// Returns `"type name"` pairs in the service's form.
    private static func fields(_ declarations: String...) -> JSONValue {
        .array(
            declarations.map { declaration in
                let parts = declaration.split(separator: " ")
                return ["type": .string(String(parts[0])), "name": .string(String(parts[1]))]
            })
    }

    private static func hex(_ value: some BinaryInteger) -> String { "0x" + String(value, radix: 16) }

    /// Returns a number as a calldata word, without a prefix.
    private static func word(_ value: some BinaryInteger) -> String { padded(String(value, radix: 16)) }

    /// Returns an address as a calldata word.
    private static func word(_ address: String) -> String { padded(address.dropFirst(2).lowercased()) }

    private static func padded(_ digits: String) -> String {
        String(repeating: "0", count: max(0, 64 - digits.count)) + digits
    }
}

// MARK: - Other chains

/// The wallet calls of chains other than EVM chains.
enum ForeignCalls {
    /// Returns a transfer of lamports for the payer's signature; nil when `payer` is not a Solana address.
    ///
    /// The recorded call holds a placeholder, this one a real message of the legacy format.
    static func solana(_ asset: Asset, payer: String, value: UInt128, _ random: any RandomSource) -> WalletCall? {
        guard let payer = Base58.decode(payer), payer.count == 32, let merchant = Hex.decode(random.hex(64)),
            let blockhash = Hex.decode(random.hex(64))
        else { return nil }
        let systemProgram = [UInt8](repeating: 0, count: 32)
        // One signer, no read-only signer, one read-only account that does not sign. Then the three accounts.
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
