import PaymentCore
import PaymentWallet

/// The wallet calls of EVM chains, as recorded from the service.
struct EVMCalls {
    private static let permit2 = "0x000000000022d473030f116ddee9f6b43ac78ba3"
    private static let spender = "0x5fae5310f257437fbfed0da3c417da410078058e"
    private static let settlement = "0x57b2b4288220005234c0e88a04a7943193971d21"

    let asset: Asset
    /// The payer, in lower case as everywhere in these calls.
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

    /// Sends the coin to the settlement contract. What stands behind the selector is the contract's own business.
    var transaction: WalletCall {
        transaction([
            "data": "0xd3906488", "from": .string(address), "to": .string(Self.settlement),
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
                "from": .string(address), "to": .string(Self.spender), "value": .string(Self.hex(value)),
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

    /// `"type name"` pairs as the service lists them.
    private static func fields(_ declarations: String...) -> JSONValue {
        .array(
            declarations.map { declaration in
                let parts = declaration.split(separator: " ")
                return ["type": .string(String(parts[0])), "name": .string(String(parts[1]))]
            })
    }

    private static func hex(_ value: some BinaryInteger) -> String { "0x" + String(value, radix: 16) }
}
