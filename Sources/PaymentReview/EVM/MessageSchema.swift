import PaymentCrypto

/// The kinds of typed data that are payments, with their exact types: Permit2's `PermitTransferFrom` (Uniswap permit2,
/// `PermitHash.sol`) and the two authorisations of EIP-3009.
enum MessageSchema: String {
    case permit = "PermitTransferFrom"
    case receive = "ReceiveWithAuthorization"
    case transfer = "TransferWithAuthorization"

    struct Field: Hashable {
        let type: String
        let name: String
    }

    /// The members of the message.
    var fields: [Field] {
        switch self {
        case .permit:
            Self.fields("TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline")
        case .receive, .transfer:
            Self.fields(
                "address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce")
        }
    }

    /// The members of the domain. Domains with a salt instead of a chain are not accepted: none was recorded.
    var domainFields: [Field] {
        switch self {
        case .permit: Self.fields("string name,uint256 chainId,address verifyingContract")
        case .receive, .transfer:
            Self.fields("string name,string version,uint256 chainId,address verifyingContract")
        }
    }

    /// All structures by name.
    var structures: [String: [Field]] {
        var all = [rawValue: fields, "EIP712Domain": domainFields]
        if self == .permit { all["TokenPermissions"] = Self.tokenPermissions }
        return all
    }

    private static let tokenPermissions = fields("address token,uint256 amount")

    private static func fields(_ text: String) -> [Field] {
        text.split(separator: ",").map { field in
            let parts = field.split(separator: " ")
            return Field(type: String(parts[0]), name: String(parts[1]))
        }
    }

    // MARK: Hashes (EIP-712, encodeType and hashStruct)

    func structHash(_ words: [[UInt8]]) -> [UInt8] {
        let nested = self == .permit ? Self.encoded("TokenPermissions", Self.tokenPermissions) : ""
        return Self.hash(Self.encoded(rawValue, fields) + nested, words)
    }

    func domainSeparator(_ words: [[UInt8]]) -> [UInt8] {
        Self.hash(Self.encoded("EIP712Domain", domainFields), words)
    }

    static func tokenPermissionsHash(token: EthereumAddress, amount: UInt256) -> [UInt8] {
        hash(encoded("TokenPermissions", tokenPermissions), [token.word, amount.word])
    }

    private static func encoded(_ name: String, _ fields: [Field]) -> String {
        "\(name)(\(fields.map { "\($0.type) \($0.name)" }.joined(separator: ",")))"
    }

    private static func hash(_ type: String, _ words: [[UInt8]]) -> [UInt8] {
        Keccak256.hash(Keccak256.hash(type.utf8) + words.joined())
    }
}
