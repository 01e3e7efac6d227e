import PaymentCore
import PaymentWallet

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
