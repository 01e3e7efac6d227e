package import PaymentCore
import PaymentCrypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A call that signs typed data (EIP-712) as a payment.
///
/// Its types have to be exactly the known ones. A wallet then hashes exactly the values that are read here.
struct TypedDataCall {
    private let call: WalletCall
    private let option: CheckedOption
    private let token: EthereumToken
    private let types: [String: JSONValue]
    private let domain: JSONValue
    private let content: JSONValue
    private let primaryType: String?

    init(_ call: WalletCall, _ option: CheckedOption) throws(SigningError) {
        guard let params = call.params.array, params.count == 2 else {
            throw SigningError(
                .paramsShape, call.member(""), "a signature takes exactly the account and the typed data")
        }
        guard let text = params[0].string, let signer = try? EthereumAddress(parsing: text),
            signer.isAddress(of: option.account)
        else {
            throw SigningError(.signer, call.member("/0"), "another account is asked to sign")
        }
        guard case .token(let token) = option.kind else {
            throw SigningError(.assetKind, call.member(""), "a chain's own coin cannot be paid with a signature")
        }
        let malformed = SigningError(
            .typedDataMalformed, call.member("/1"),
            "the typed data is not one JSON object with types, primaryType, domain and message alone")
        var data = params[1]
        if let text = data.string {
            guard let parsed = try? JSONValue(parsing: text) else { throw malformed }
            data = parsed
        }
        guard let members = data.object, Set(members.keys) == ["types", "primaryType", "domain", "message"],
            let types = members["types"]?.object, let domain = members["domain"], domain.object != nil,
            let content = members["message"], content.object != nil, let primaryType = members["primaryType"]
        else { throw malformed }
        self.call = call
        self.option = option
        self.token = token
        self.types = types
        self.domain = domain
        self.content = content
        self.primaryType = primaryType.string
    }

    /// Returns the signed message, checked against the option.
    func message(_ deadlines: Deadline) throws(SigningError) -> TypedMessage {
        guard let schema = primaryType.flatMap(MessageSchema.init(rawValue:)) else {
            throw SigningError(
                .primaryType, member("/primaryType"), "the message is of a kind that is not known as a payment")
        }
        try checkTypes(schema)
        return schema == .permit ? try permit(deadlines) : try authorization(schema, deadlines)
    }

    private func member(_ path: String) -> String { call.member("/1\(path)") }

    // MARK: Types

    private func checkTypes(_ schema: MessageSchema) throws(SigningError) {
        var expected = schema.structures
        if types["EIP712Domain"] == nil { expected["EIP712Domain"] = nil }
        guard Set(types.keys) == Set(expected.keys) else {
            throw SigningError(.types, member("/types"), "the message declares other types than its kind has")
        }
        for (name, fields) in expected.sorted(by: { $0.key < $1.key }) {
            guard Self.fields(types[name]) == fields else {
                throw SigningError(.types, member("/types/\(name)"), "the type \(name) is not the known one")
            }
        }
        guard Set((domain.object ?? [:]).keys) == Set(schema.domainFields.map(\.name)) else {
            throw SigningError(.domain, member("/domain"), "the domain has other members than its type")
        }
        guard Set((content.object ?? [:]).keys) == Set(schema.fields.map(\.name)) else {
            throw SigningError(.messageMembers, member("/message"), "the message has other members than its type")
        }
    }

    /// Nil when a field is anything but a name and a type.
    private static func fields(_ value: JSONValue?) -> [MessageSchema.Field]? {
        guard let list = value?.array else { return nil }
        var fields: [MessageSchema.Field] = []
        for field in list {
            guard let members = field.object, Set(members.keys) == ["name", "type"], let name = field["name"]?.string,
                let type = field["type"]?.string
            else { return nil }
            fields.append(MessageSchema.Field(type: type, name: name))
        }
        return fields
    }

    // MARK: The two kinds

    private func permit(_ deadlines: Deadline) throws(SigningError) -> TypedMessage {
        let permitted = content["permitted"]
        guard let members = permitted?.object, Set(members.keys) == ["token", "amount"] else {
            throw SigningError(
                .messageMembers, member("/message/permitted"), "the permit has other members than its type")
        }
        let (chain, contract) = try domainPlace()
        let tokenAddress = try EthereumAddress.read(permitted?["token"], at: member("/message/permitted/token"))
        let amount = try UInt256.read(permitted?["amount"], at: member("/message/permitted/amount"))
        let spender = try EthereumAddress.read(content["spender"], at: member("/message/spender"))
        let nonce = try UInt256.read(content["nonce"], at: member("/message/nonce"))
        let deadline = try UInt256.read(content["deadline"], at: member("/message/deadline"))
        try checkChain(chain)
        guard contract == KnownContracts.permit2(on: option.chainID) else {
            throw SigningError(
                .domainContract, member("/domain/verifyingContract"), "the permit is not for the chain's Permit2")
        }
        guard domain["name"]?.string?.isExactly("Permit2") == true else {
            throw SigningError(.domainName, member("/domain/name"), "the permit's domain is not called Permit2")
        }
        try check(token: tokenAddress, at: member("/message/permitted/token"))
        try check(amount: amount, at: member("/message/permitted/amount"))
        try RecipientRule(option).check(spender, at: member("/message/spender"))
        let end = try deadlines.check(deadline, at: member("/message/deadline"))
        let words = [
            MessageSchema.tokenPermissionsHash(token: tokenAddress, amount: amount), spender.word, nonce.word,
            deadline.word,
        ]
        return TypedMessage(
            kind: .permit2(spender: spender), amount: amount, deadline: end, digest: digest(.permit, words))
    }

    private func authorization(_ schema: MessageSchema, _ deadlines: Deadline) throws(SigningError) -> TypedMessage {
        let (chain, contract) = try domainPlace()
        let from = try EthereumAddress.read(content["from"], at: member("/message/from"))
        let recipient = try EthereumAddress.read(content["to"], at: member("/message/to"))
        let amount = try UInt256.read(content["value"], at: member("/message/value"))
        let start = try UInt256.read(content["validAfter"], at: member("/message/validAfter"))
        let end = try UInt256.read(content["validBefore"], at: member("/message/validBefore"))
        let nonce = try readBytes32(content["nonce"], at: member("/message/nonce"))
        try checkChain(chain)
        guard contract == token.address else {
            throw SigningError(
                .domainContract, member("/domain/verifyingContract"), "the authorisation is for another token")
        }
        guard let name = domain["name"]?.string, let version = domain["version"]?.string,
            token.domainName.map(name.isExactly) ?? true, token.domainVersion.map(version.isExactly) ?? true
        else {
            throw SigningError(
                .domainName, member("/domain/name"), "the domain's name or version is not the token's own")
        }
        try check(amount: amount, at: member("/message/value"))
        guard from.isAddress(of: option.account) else {
            throw SigningError(.from, member("/message/from"), "another account would pay")
        }
        try RecipientRule(option).check(recipient, at: member("/message/to"))
        try deadlines.checkStart(start, at: member("/message/validAfter"))
        let deadline = try deadlines.check(end, at: member("/message/validBefore"))
        let words = [from.word, recipient.word, amount.word, start.word, end.word, nonce]
        return TypedMessage(
            kind: schema == .receive ? .receive(recipient) : .transfer(recipient), amount: amount, deadline: deadline,
            digest: digest(schema, words))
    }

    // MARK: Parts of both

    private func domainPlace() throws(SigningError) -> (chain: UInt256, contract: EthereumAddress) {
        (
            try UInt256.read(domain["chainId"], at: member("/domain/chainId")),
            try EthereumAddress.read(domain["verifyingContract"], at: member("/domain/verifyingContract"))
        )
    }

    private func checkChain(_ chain: UInt256) throws(SigningError) {
        guard chain.decimalText == option.account.chain.reference else {
            throw SigningError(.domainChain, member("/domain/chainId"), "the message is good on another chain")
        }
    }

    private func check(token address: EthereumAddress, at member: String) throws(SigningError) {
        guard address == token.address else {
            throw SigningError(.token, member, "the permit is for another token")
        }
    }

    private func check(amount: UInt256, at member: String) throws(SigningError) {
        guard amount == option.amount else {
            throw SigningError(.amount, member, "the message is for another amount")
        }
    }

    private func digest(_ schema: MessageSchema, _ words: [[UInt8]]) -> [UInt8] {
        var domainWords = [Keccak256.hash((domain["name"]?.string ?? "").utf8)]
        if let version = domain["version"]?.string { domainWords.append(Keccak256.hash(version.utf8)) }
        let chain = UInt256(digits: Array(option.account.chain.reference.utf8), radix: 10) ?? UInt256(0)
        let contract = schema == .permit ? KnownContracts.permit2(on: option.chainID) : token.address
        domainWords += [chain.word, contract?.word ?? UInt256(0).word]
        return Keccak256.hash(
            [0x19, 0x01] + schema.domainSeparator(domainWords) + schema.structHash(words))
    }
}

/// Signed typed data that moves exactly the agreed amount.
struct TypedMessage {
    enum Kind {
        case permit2(spender: EthereumAddress)
        case receive(EthereumAddress)
        case transfer(EthereumAddress)
    }

    let kind: Kind
    let amount: UInt256
    let deadline: Date
    let digest: [UInt8]
}

// MARK: - Schema

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

    /// The members of the domain. Domains with a salt instead of a chain are not accepted: no such domain was recorded.
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

extension SigningReviewer {
    /// Returns `call` with the type of its domain, if its typed data lacks it.
    ///
    /// Wallets differ over typed data without it: some derive the type from the domain's members, which is what is
    /// reviewed, others hash a domain without members. With it all of them sign one digest. Calls of other kinds are
    /// returned as they are.
    package static func completed(_ call: JSONValue) -> JSONValue {
        guard call["method"]?.string == "eth_signTypedData_v4", var params = call["params"]?.array, params.count == 2
        else { return call }
        let text = params[1].string
        guard var data = text.map({ try? JSONValue(parsing: $0) }) ?? params[1],
            let types = data["types"]?.object, types["EIP712Domain"] == nil,
            let schema = data["primaryType"]?.string.flatMap(MessageSchema.init(rawValue:))
        else { return call }
        let fields = schema.domainFields.map { field -> JSONValue in
            ["name": .string(field.name), "type": .string(field.type)]
        }
        data["types"]?["EIP712Domain"] = .array(fields)
        params[1] = text == nil ? data : .string(data.text)
        var call = call
        call["params"] = .array(params)
        return call
    }
}
