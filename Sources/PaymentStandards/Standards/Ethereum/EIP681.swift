public import PaymentCore
import PaymentCrypto

/// An `ethereum:` link: coins or tokens to pay, or a contract to call. Source: ERC-681, ERC-831, ERC-67.
///
/// In a token transfer the link's target is the token's contract; the payee is among the parameters.
public struct EIP681: WritablePaymentStandard {
    /// `eip681`.
    public static let id = "eip681"
    /// The specification that it follows.
    public static let specification = "ERC-681, ERC-831, ERC-67"
    /// The beginnings of its texts.
    public static let patterns: [StandardPattern] = [.scheme("ethereum")]

    /// True if `pay-` precedes the target.
    let hasPrefix: Bool
    /// The address or name of the payee or the called contract, as written.
    let target: String
    /// The chain's number; nil for the wallet's own setting.
    let chainID: String?
    /// The function to call; nil for a plain payment.
    let function: String?
    /// The parameters in order, numbers as digits.
    private(set) var parameters: [Parameter] = []

    /// A named value.
    struct Parameter: Sendable, Hashable {
        /// The name: `value`, `gas` …, or the type of a function's argument.
        let name: String
        /// The value; for whole numbers, the digits.
        let value: String
    }

    private static let numbers: Set<String> = ["value", "gas", "gasLimit", "gasPrice"]

    private static let known = numbers.union(["data", "address", "uint256"])
    private static let reader = QueryReader(QueryRules(), known: known)
    /// An unknown call may have several arguments of one type.
    private static let callReader = QueryReader(
        QueryRules(repeatable: ["address", "uint256"]), known: known, takes: isType)
    /// Returns true for the name of a type of Solidity, which names an argument of a call.
    private static func isType(_ name: String) -> Bool {
        let base = name.prefix { $0.isLetter }
        return ["uint", "int", "bytes", "address", "bool", "string", "fixed", "ufixed"].contains(base)
            && name.dropFirst(base.count).utf8.allSatisfy { $0.isASCIIDigit || "[]x".utf8.contains($0) }
    }

    /// Creates a value by reading `link`.
    ///
    /// - Throws: ``StandardDefect``; of kind `foreign` when the text was not meant to be of this standard at all.
    public init(_ source: inout PaymentText) throws(StandardDefect) {
        let (link, path) = (source.link, source.path())
        guard link.form == .opaque else {
            throw StandardDefect(.malformed, "target", at: 9, "must follow the colon; remove the //")
        }
        if let fragment = source.fragment() {
            throw fragment.defect(.malformed, "fragment", "may not be there; remove what follows the #")
        }
        let (head, function) = path.cut(at: "/")
        let (name, chain) = head.cut(at: "@")
        (hasPrefix, target) = try Self.readTarget(name)
        chainID = try chain.map { part throws(StandardDefect) in try Self.readChain(part) }
        self.function = try function.map { part throws(StandardDefect) in try Self.readFunction(part) }
        let reader = self.function == nil || self.function == "transfer" ? Self.reader : Self.callReader
        try source.query(reader) { key, parameter throws(StandardDefect) in
            try take(key, try reader.text(parameter, key))
        }
        guard self.function == "transfer" else { return }
        for key in ["address", "uint256"] where value(key) == nil {
            throw StandardDefect(
                .missing, "parameter \(key)", at: link.text.utf8.count, "is missing; a token transfer needs it")
        }
    }

    /// Creates a link to pay `wei` of a chain's own coin to `address`; nil where a part is malformed.
    public init?(address: String, chainID: UInt64? = nil, wei: String? = nil) {
        let link = "ethereum:\(address)\(chainID.map { "@\($0)" } ?? "")\(wei.map { "?value=\($0)" } ?? "")"
        guard wei?.utf8.allSatisfy(\.isASCIIDigit) ?? true, let value = try? EIP681(text: link), value.isAddress,
            value.function == nil
        else { return nil }
        self = value
    }

    /// Creates a link to pay `units` of the smallest unit of a token to `recipient`; nil where a part is malformed.
    ///
    /// - Parameters:
    ///   - token: The address of the token's contract.
    ///   - recipient: The payee.
    ///   - chainID: The chain of the token.
    ///   - units: Decimal digits.
    public init?(token: String, recipient: String, chainID: UInt64, units: String) {
        let link = "ethereum:\(token)@\(chainID)/transfer?address=\(recipient)&uint256=\(units)"
        guard units.utf8.allSatisfy(\.isASCIIDigit), let value = try? EIP681(text: link), value.isAddress,
            value.target == token, value.value("address") == recipient, value.parameters.count == 2
        else { return nil }
        self = value
    }

    // MARK: Parts

    private static func readTarget(_ part: TextPart) throws(StandardDefect) -> (Bool, String) {
        let hasPrefix = part.startsIgnoringCase("pay-")
        let target = hasPrefix ? part.dropFirst(4) : part
        guard !target.isEmpty else { throw target.defect(.missing, "target", "is missing; it says who is paid") }
        if !hasPrefix, !target.starts(with: "0x"), target.bytes.contains(UInt8(ascii: "-")) {
            throw target.defect(
                .unsupported, "prefix", "before the - announces another kind of link; only pay- is known")
        }
        try checkParty(target, "target")
        return (hasPrefix, target.text)
    }

    /// Checks an address, or a name with a dot.
    private static func checkParty(_ part: TextPart, _ name: String) throws(StandardDefect) {
        let isName =
            part.bytes.contains(UInt8(ascii: ".")) && !part.split(at: ".").contains(where: \.isEmpty)
            && part.bytes.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "-_.".utf8.contains($0) }
        if !isName { _ = try ERC55.address(part, name) }
    }

    private static func readChain(_ part: TextPart) throws(StandardDefect) -> String {
        guard part.isDigits, part.count <= 32 else {
            throw part.defect(.malformed, "chain id", "must be decimal digits")
        }
        let digits = part.bytes.drop { $0 == UInt8(ascii: "0") }
        return digits.isEmpty ? "0" : String(decoding: digits, as: UTF8.self)
    }

    private static func readFunction(_ part: TextPart) throws(StandardDefect) -> String {
        guard let first = part.bytes.first, first.isASCIILetter || first == UInt8(ascii: "_"),
            part.bytes.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "_") })
        else { throw part.defect(.malformed, "function", "must be a name of letters, digits and _") }
        return part.text
    }

    private mutating func take(_ key: String, _ value: TextPart) throws(StandardDefect) {
        let isNumber = Self.numbers.contains(key) || key.hasPrefix("uint") && function != nil
        if isNumber {
            parameters.append(Parameter(name: key, value: try WholeNumber.digits(value, key)))
            return
        }
        if key == "address", function != nil { try Self.checkParty(value, key) }
        if key == "data", Hex.decode(value.text) == nil || !value.starts(with: "0x") {
            throw value.defect(.malformed, key, "must be 0x and pairs of hexadecimal digits")
        }
        parameters.append(Parameter(name: key, value: value.text))
    }

    // MARK: What it says

    private func value(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

    private var isAddress: Bool { (try? EthereumAddress(parsing: target)) != nil }

    private var targetChecksum: String {
        guard let address = try? EthereumAddress(parsing: target) else { return "ens" }
        return address.checksummed == target ? "valid" : "none"
    }

    /// The fields of `eip681`.
    public var fields: InstructionFields {
        var fields: InstructionFields = ["target": .string(target)]
        fields.set("targetKind", isAddress ? "address" : "ens")
        fields.set("targetChecksum", targetChecksum)
        fields.setOrNull("chainId", chainID)
        fields.setOrNull("function", function)
        fields.setOrNull("prefix", hasPrefix ? "pay" : nil)
        for name in ["value", "gas", "gasLimit", "gasPrice", "data"] { fields.set(name, value(name)) }
        if function == "transfer" {
            fields.set("recipient", value("address"))
            fields.set("uint256", value("uint256"))
        } else if function != nil {
            let list = parameters.filter { !Self.numbers.contains($0.name) }
            fields["params"] = .array(list.map { [.string($0.name), .string($0.value)] })
        }
        return fields
    }

    /// Pays coins or tokens. Other calls are not payments; an approval lets another account take money.
    public var instruction: PaymentInstruction {
        var instruction = bareInstruction
        instruction.network = chainID.map { "eip155:\($0)" } ?? "eip155"
        var payee = target
        // A call carries the chain's own coins, whatever else it does.
        let coins = value("value").map(amount(wei:)) ?? .open
        let carries = value("value")?.contains { $0 != "0" } == true
        switch function {
        case nil:
            instruction.amount = coins
            if value("data") != nil {
                if !carries { instruction.purpose = .information }
                instruction.warnings.append(.contractCall)
            }
        case "transfer":
            payee = value("address") ?? ""
            let token = chainID.map { "caip19/eip155:\($0)/erc20:\(target)" } ?? "erc20:\(target)"
            instruction.amount = .tokens(value("uint256") ?? "", of: token, isSmallest: true)
        case let name?:
            instruction.purpose =
                ["approve", "increaseAllowance", "permit"].contains(name) ? .pull : carries ? .payment : .information
            if carries { instruction.amount = coins }
            instruction.warnings.append(.contractCall)
        }
        let address = try? EthereumAddress(parsing: payee)
        let isChecked = address?.checksummed == payee
        instruction.payee = .init(account: payee, check: isChecked ? .checksum : .none)
        if address != nil, !isChecked { instruction.warnings.append(.missingChecksum) }
        if address == nil { instruction.warnings.append(.followsURL) }
        if ["3", "4", "5", "42", "11155111", "17000", "560048"].contains(chainID) {
            instruction.warnings.append(.testNetwork)
        }
        if function == "transfer", carries {
            instruction.setPayments([
                .init(payee: instruction.payee, amount: instruction.amount),
                .init(
                    payee: .init(account: target, check: targetChecksum == "valid" ? .checksum : .none), amount: coins),
            ])
            instruction.warnings.append(.contractCall)
        }
        return instruction
    }

    /// Returns the amount. Only the main chain's coin is certainly ether.
    private func amount(wei: String) -> PaymentInstruction.Amount {
        let ether = try? AssetID("eip155:1/slip44:60")
        if chainID == "1", let ether,
            let money = try? Money(minorUnitText: wei, currency: .asset(ether), exponent: 18)
        {
            return .fixed(money)
        }
        return .uncounted(digits: wei, unit: "wei")
    }

    /// The canonical link.
    public var text: String {
        let head = "ethereum:\(hasPrefix ? "pay-" : "")\(target)\(chainID.map { "@\($0)" } ?? "")"
        let query = PercentCoding.query(parameters.map { ($0.name, $0.value) }) {
            $0.isASCIILetter || $0.isASCIIDigit || "-_.~!$'()*,;:@/".utf8.contains($0)
        }
        return "\(head)\(function.map { "/\($0)" } ?? "")\(query)"
    }
}
