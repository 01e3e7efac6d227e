public import PaymentCore
import PaymentCrypto

/// An `ethereum:` link: coins or tokens to pay, or a contract to call. Source: ERC-681, ERC-831, ERC-67.
///
/// In a token transfer, the link's target is the token's contract. The payee is among the parameters.
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

    /// The kind of a target or payee. To find it takes a hash.
    private enum Party {
        case name
        case address
        case checksummedAddress

        init(_ text: String) {
            let address = try? EthereumAddress(parsing: text)
            self = address.map { $0.checksummed(spelt: text) == text ? .checksummedAddress : .address } ?? .name
        }
    }

    struct Parameter: Sendable, Hashable {
        /// The name: `value`, `gas` …, or the type of a function's argument.
        let name: String
        /// The value; for whole numbers, the digits.
        let value: String
    }

    /// The coin of the main chain.
    private static let ether = try? AssetID("eip155:1/slip44:60")
    private static let numbers: Set<String> = ["value", "gas", "gasLimit", "gasPrice"]

    private static let known = numbers.union(["data", "address", "uint256"])
    private static let reader = QueryReader(QueryRules(), known: known)
    /// An unknown call may have several arguments of one type.
    private static let callReader = QueryReader(
        QueryRules(repeatable: ["address", "uint256"]), known: known, takes: isType)
    /// Returns true for the name of a Solidity type. Such a name is an argument of a call.
    private static func isType(_ name: String) -> Bool {
        let base = name.prefix { $0.isLetter }
        return ["uint", "int", "bytes", "address", "bool", "string", "fixed", "ufixed"].contains(base)
            && name.dropFirst(base.count).utf8.allSatisfy { $0.isASCIIDigit || "[]x".utf8.contains($0) }
    }

    /// Creates a value by reading `source`.
    ///
    /// - Throws: ``StandardDefect``, of kind `foreign` if the text was not meant to be of this standard.
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

    /// Creates a link to pay `wei` of a chain's own coin to `address`; nil if a part is malformed.
    public init?(address: String, chainID: UInt64? = nil, wei: String? = nil) {
        let link = "ethereum:\(address)\(chainID.map { "@\($0)" } ?? "")\(wei.map { "?value=\($0)" } ?? "")"
        guard wei?.utf8.allSatisfy(\.isASCIIDigit) ?? true, let value = try? EIP681(text: link), value.isAddress,
            value.function == nil
        else { return nil }
        self = value
    }

    /// Creates a link to pay `units` of the smallest unit of a token to `recipient`; nil if a part is malformed.
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

    // MARK: Fields and instruction

    private func value(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

    private var isAddress: Bool { Party(target) != .name }

    /// The fields of `eip681`.
    public var fields: InstructionFields {
        var fields: InstructionFields = ["target": .string(target)]
        switch Party(target) {
        case .name:
            fields.set("targetKind", "ens")
            fields.set("targetChecksum", "ens")
        case .address:
            fields.set("targetKind", "address")
            fields.set("targetChecksum", "none")
        case .checksummedAddress:
            fields.set("targetKind", "address")
            fields.set("targetChecksum", "valid")
        }
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

    /// Pays coins or tokens. Other calls are not payments. An approval lets another account take money.
    public var instruction: PaymentInstruction {
        makeInstruction { instruction in
            instruction.network = chainID.map { "eip155:\($0)" } ?? "eip155"
            var payee = target
            // A call may carry the chain's own coins in addition to its effect.
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
                    ["approve", "increaseAllowance", "permit"].contains(name)
                    ? .pull : carries ? .payment : .information
                if carries { instruction.amount = coins }
                instruction.warnings.append(.contractCall)
            }
            let kind = Party(payee)
            instruction.payee = .init(account: payee, check: kind == .checksummedAddress ? .checksum : .none)
            if kind == .address { instruction.warnings.append(.missingChecksum) }
            if kind == .name { instruction.warnings.append(.followsURL) }
            if ["3", "4", "5", "42", "11155111", "17000", "560048"].contains(chainID) {
                instruction.warnings.append(.testNetwork)
            }
            if function == "transfer", carries {
                instruction.setPayments([
                    .init(payee: instruction.payee, amount: instruction.amount),
                    .init(
                        payee: .init(account: target, check: Party(target) == .checksummedAddress ? .checksum : .none),
                        amount: coins),
                ])
                instruction.warnings.append(.contractCall)
            }
        }
    }

    /// Returns the amount. Only on the main chain is the coin certainly ether.
    private func amount(wei: String) -> PaymentInstruction.Amount {
        if chainID == "1", let ether = Self.ether,
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

/// The bare address of an account of Ethereum or a chain like it. Source: ERC-55.
///
/// The text shows neither the chain nor the token.
struct ERC55: PaymentStandard {
    static let id = "eip55"
    static let specification = "ERC-55"
    /// Texts with one digit too few or too many are read to report the mistake.
    static let patterns: [StandardPattern] = [.bare(BareShape("0x", lengths: 41...43, .hex))]

    let address: EthereumAddress
    let text: String

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let part = source.all().trimmed
        address = try Self.address(part, "address")
        text = part.text
    }

    /// Reads the address in `part`, which its standard calls `name`.
    static func address(_ part: TextPart, _ name: String) throws(StandardDefect) -> EthereumAddress {
        do throws(EthereumAddressError) {
            return try EthereumAddress(spelling: part.bytes)
        } catch {
            switch error {
            case .missingPrefix: throw part.defect(.malformed, name, "must begin with 0x")
            case .invalidDigit:
                let stray = part.bytes.indices.dropFirst(2).first { Hex.value(of: part.bytes[$0]) == nil }
                throw StandardDefect(
                    .malformed, name, at: part.place(stray ?? part.bytes.startIndex),
                    "has a character that is no hexadecimal digit; copy it again")
            case .wrongLength(let digits):
                throw part.defect(.length, name, "has \(digits) digits after 0x, not 40; copy all of it")
            case .wrongChecksum:
                throw part.defect(
                    .checksum, name,
                    "the checksum (ERC-55) does not match: at least one character is wrong; copy it again")
            }
        }
    }

    var fields: InstructionFields {
        let checksummed = address.checksummed(spelt: text)
        return ["checksummed": .bool(text == checksummed), "checksum": .string(checksummed)]
    }

    /// Pays the address, on the chain that the payer chooses.
    var instruction: PaymentInstruction {
        makeInstruction { instruction in
            let checksummed = address.checksummed(spelt: text)
            instruction.payee = .init(account: checksummed, check: text == checksummed ? .checksum : .none)
            instruction.network = "eip155"
            if text != checksummed { instruction.warnings.append(.missingChecksum) }
        }
    }
}

extension EthereumAddress {
    /// Returns ``checksummed``, which takes a hash unless `text` has it: letters of both cases in the text of an address
    /// are its checksum, which was checked.
    ///
    /// - Parameter text: The text that the address was read from.
    fileprivate func checksummed(spelt text: String) -> String {
        let digits = text.utf8.dropFirst(2)
        let isChecked = digits.contains { 0x41...0x46 ~= $0 } && digits.contains { 0x61...0x66 ~= $0 }
        return isChecked ? text : checksummed
    }
}

/// A whole number up to 2²⁵⁶ − 1 that a link may write with a fraction and an exponent: `2.014e18`. Source: ERC-681.
enum WholeNumber {
    /// The digits of 2²⁵⁶ − 1.
    private static let maximum = Array(
        "115792089237316195423570985008687907853269984665640564039457584007913129639935".utf8)

    /// Returns the digits of `part`, which the standard calls `name`, without leading zeros.
    ///
    /// - Throws: ``StandardDefect`` for anything but a whole number in range. Large exponents are refused before
    ///   anything is allocated for them.
    static func digits(_ part: TextPart, _ name: String) throws(StandardDefect) -> String {
        let unsigned = part.bytes.first == UInt8(ascii: "+") ? part.dropFirst(1) : part
        let mark = unsigned.bytes.firstIndex { $0 | 0x20 == UInt8(ascii: "e") }
        let mantissa = mark.map { unsigned[unsigned.bytes.startIndex..<$0] } ?? unsigned
        let decimal = try DecimalText(mantissa, name, DecimalRules())
        var shift = 0
        if let mark {
            let exponent = unsigned[mark + 1..<unsigned.bytes.endIndex]
            guard exponent.isDigits else {
                throw exponent.defect(.malformed, name, "needs digits behind its e; write a whole number")
            }
            let significant = exponent.bytes.drop { $0 == UInt8(ascii: "0") }
            guard significant.count <= 2 else { throw tooLarge(exponent, name) }
            shift = significant.reduce(0) { $0 * 10 + Int($1 - 0x30) }
            guard shift <= 78 else { throw tooLarge(exponent, name) }
        }
        let (whole, fraction) = TextPart(decoded: decimal.text, at: part.offset).cut(at: ".")
        let behind = Array(fraction?.bytes ?? [])
        guard behind.dropFirst(shift).allSatisfy({ $0 == UInt8(ascii: "0") }) else {
            throw part.defect(.range, name, "must be a whole number of the smallest unit")
        }
        let digits =
            Array(whole.bytes) + behind.prefix(shift)
            + [UInt8](repeating: UInt8(ascii: "0"), count: max(0, shift - behind.count))
        let number = Array(digits.drop { $0 == UInt8(ascii: "0") })
        guard
            number.count < maximum.count || number.count == maximum.count && !maximum.lexicographicallyPrecedes(number)
        else { throw tooLarge(part, name) }
        return number.isEmpty ? "0" : String(decoding: number, as: UTF8.self)
    }

    private static func tooLarge(_ part: TextPart, _ name: String) -> StandardDefect {
        part.defect(.range, name, "is more than 2^256 - 1, the largest there is")
    }
}
