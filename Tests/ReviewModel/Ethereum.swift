import PaymentCore
import PaymentCrypto
import PaymentWallet

/// The possible uses of signatures and transactions of EVM chains.
enum Ethereum {
    /// The address of Permit2, by the chain's number, in lower case.
    static func permit2(_ chain: String) -> String {
        switch chain {
        case "eip155:324", "eip155:300", "eip155:260", "eip155:2741": "0x0000000000225e31d15943971f47ad3022f714fa"
        case "eip155:2020": "0x771ca29e483df5447e20a89e0f00e1daf09ef534"
        default: "0x000000000022d473030f116ddee9f6b43ac78ba3"
        }
    }

    // MARK: Signatures

    /// The possible uses of a signature of typed data. Only a wallet's hash counts: the digest is compared with the
    /// digests of the messages that contracts accept; one that matches none may allow anything.
    static func signature(_ params: JSONValue, payer: String) -> Act {
        guard let list = params.array, list.count == 2, list[0].string?.lowercased() == payer else {
            return .ruin("another account is asked to sign, or more than one thing")
        }
        guard let data = try? TypedData(parsing: list[1]) else { return .ruin("typed data that no wallet reads") }
        guard let chain = number(data.domain["chainId"]), let contract = address(data.domain["verifyingContract"])
        else {
            return .ruin("a signature that is good anywhere")
        }
        let place = (chain: "eip155:\(chain.decimalText)", contract: contract)
        return permit(data, place, chain) ?? authorization(data, place, chain, payer)
            ?? .ruin("a signature of an unknown kind")
    }

    private static func permit(_ data: TypedData, _ place: (chain: String, contract: String), _ chain: Amount) -> Act? {
        let (message, permitted) = (data.message, data.message["permitted"])
        guard place.contract == permit2(place.chain), let token = address(permitted?["token"]),
            let amount = number(permitted?["amount"]), let spender = address(message["spender"]),
            let nonce = number(message["nonce"]), let deadline = number(message["deadline"])
        else { return nil }
        let separator = hash(
            "EIP712Domain(string name,uint256 chainId,address verifyingContract)",
            [Keccak256.hash("Permit2".utf8), chain.bytes, word(place.contract)])
        let permissions = "TokenPermissions(address token,uint256 amount)"
        let type = "PermitTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline)"
        let content = hash(
            type + permissions,
            [hash(permissions, [word(token), amount.bytes]), word(spender), nonce.bytes, deadline.bytes])
        guard data.digest == Keccak256.hash([0x19, 0x01] + separator + content) else { return nil }
        return .signature(
            Act.Signature(
                asset: .token(place.chain, token), most: amount, beneficiary: "spender \(spender)", start: 0,
                end: deadline.uint64 ?? .max, nonce: "permit \(place.chain) \(nonce.decimalText)"))
    }

    private static func authorization(
        _ data: TypedData, _ place: (chain: String, contract: String), _ chain: Amount, _ payer: String
    ) -> Act? {
        let message = data.message
        guard let name = data.domain["name"]?.string, let version = data.domain["version"]?.string,
            let from = address(message["from"]), from == payer, let recipient = address(message["to"]),
            let amount = number(message["value"]), let start = number(message["validAfter"]),
            let end = number(message["validBefore"]), let nonce = number(message["nonce"])
        else { return nil }
        let separator = hash(
            "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)",
            [Keccak256.hash(name.utf8), Keccak256.hash(version.utf8), chain.bytes, word(place.contract)])
        let members = "(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
        let words = [word(from), word(recipient), amount.bytes, start.bytes, end.bytes, nonce.bytes]
        for kind in ["ReceiveWithAuthorization", "TransferWithAuthorization"] {
            guard data.digest == Keccak256.hash([0x19, 0x01] + separator + hash(kind + members, words)) else {
                continue
            }
            // The token requires a moment strictly between the two.
            let last = end.uint64.map { $0 == 0 ? 0 : $0 - 1 } ?? .max
            return .signature(
                Act.Signature(
                    asset: .token(place.chain, place.contract), most: amount, beneficiary: "\(kind) \(recipient)",
                    start: start.uint64.map { $0 == .max ? .max : $0 + 1 } ?? .max, end: last,
                    nonce: "authorization \(place) \(nonce.decimalText)"))
        }
        return nil
    }

    // MARK: Transactions

    /// The effect of a transaction. Any member beyond the four of a payment's transaction is a foreign choice of fees,
    /// code or chain.
    static func transaction(_ params: JSONValue, chain: String, payer: String) -> [Act] {
        guard let list = params.array, list.count == 1, let members = list[0].object,
            Set(members.keys).isSubset(of: ["from", "to", "value", "data"])
        else { return [.ruin("a transaction with members that can do anything")] }
        guard let sender = address(members["from"]), sender == payer, let target = address(members["to"]) else {
            return [.ruin("another sender, or no recipient")]
        }
        guard let value = members["value"] == nil ? Amount.zero : number(members["value"]) else {
            return [.ruin("a value that readers disagree about")]
        }
        guard members["data"] == nil || members["data"]?.string?.hasPrefix("0x") == true,
            let data = Hex.decode(members["data"]?.string ?? "0x")
        else { return [.ruin("calldata that readers disagree about")] }
        if data.isEmpty { return [.transfer(.coin(chain), value, to: target)] }
        return contractCall(data, value, chain, target)
    }

    /// A function that moves nothing by itself is harmless, and there are two such functions here. Every other one may
    /// transfer everything that the payer has.
    private static func contractCall(_ data: [UInt8], _ value: Amount, _ chain: String, _ target: String) -> [Act] {
        let word = { (index: Int) -> [UInt8] in
            let padded = data.dropFirst(4 + 32 * index).prefix(32)
            return Array(padded) + [UInt8](repeating: 0, count: 32 - padded.count)
        }
        let address = { (index: Int) -> String in "0x" + Hex.encode(word(index).suffix(20)) }
        switch Hex.encode(data.prefix(4)) {
        case "095ea7b3":
            let spent = value.isZero ? [] : [Act.transfer(.coin(chain), value, to: target)]
            return spent + [
                .allowance(
                    .token(chain, target), spender: address(0), Amount(word: word(1)) ?? .largest)
            ]
        case "d3906488":
            return [
                .settlement(
                    .coin(chain), value, through: target, receiver: address(2), end: Amount(word: word(5)) ?? .largest)
            ]
        default: return [.ruin("a call of a function that can do anything")]
        }
    }

    // MARK: Reading

    /// Twenty bytes, in lower case, for any spelling.
    static func address(_ value: JSONValue?) -> String? {
        guard let text = value?.string?.lowercased(), text.hasPrefix("0x"), text.utf8.count == 42,
            Hex.decode(text) != nil
        else { return nil }
        return text
    }

    static func number(_ value: JSONValue?) -> Amount? {
        (value?.string ?? value?.number?.text).flatMap(Amount.init(anyNotation:))
    }

    private static func word(_ address: String) -> [UInt8] {
        [UInt8](repeating: 0, count: 12) + (Hex.decode(address) ?? [])
    }

    private static func hash(_ type: String, _ words: [[UInt8]]) -> [UInt8] {
        Keccak256.hash(Keccak256.hash(type.utf8) + words.joined())
    }
}
