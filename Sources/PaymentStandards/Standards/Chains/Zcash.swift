public import PaymentCore
import PaymentCrypto

/// A `zcash:` link: one or several payments in one transaction. Source: ZIP-321.
public struct ZIP321: WritablePaymentStandard {
    /// `zip321`.
    public static let id = "zip321"
    /// The specification that it follows.
    public static let specification = "ZIP-321"
    /// True.
    public static let ignoresUnknownParts = true
    /// The beginnings of its texts.
    public static let patterns: [StandardPattern] = [.scheme("zcash")]

    /// One payment. All payments of a link are to be made.
    public struct Payment: Sendable, Hashable {
        fileprivate(set) var address = ""
        /// The amount in ZEC, without needless zeros; nil if the payer decides.
        fileprivate(set) var amount: String?
        /// Up to 512 bytes that only the payee can read.
        fileprivate(set) var memo: [UInt8]?
        fileprivate(set) var label: String?
        fileprivate(set) var message: String?
        /// The asset that is paid, 66 bytes in base64url; nil for ZEC.
        fileprivate(set) var asset: String?
        fileprivate(set) var unknown: [String: String] = [:]
        fileprivate var isMainnet = true

        /// Creates a payment. Creating a link of payments checks them.
        public init(
            address: String, amount: String? = nil, memo: [UInt8]? = nil, label: String? = nil, message: String? = nil
        ) {
            (self.address, self.amount, self.memo) = (address, amount, memo)
            (self.label, self.message) = (label, message)
        }

        fileprivate init() {}
    }

    /// The payments by index, 0 to 9999.
    private(set) var payments: [Int: Payment] = [:]

    private static let names: Set<String> = ["address", "amount", "memo", "label", "message", "asset_id"]
    /// Each further payment repeats the names with its index: `amount.1`.
    private static let reader = QueryReader(
        QueryRules(refusesUnknownTwice: true), known: names,
        takes: { names.contains(String(Substring($0.utf8.prefix { $0 != UInt8(ascii: ".") }))) })
    private static let amountRules = DecimalRules(fractionDigits: 8, wholeDigits: 30)
    private static let maximum: UInt128 = 21_000_000_00_000_000

    /// The parts of a payment while its address is unknown.
    private struct Parts {
        var payment = Payment()
        var address: ZcashAddress?
        var memo: TextPart?
        var asset: TextPart?
        var offset: Int
    }

    /// Creates a value by reading `source`.
    ///
    /// - Throws: ``StandardDefect``, of kind `foreign` if the text was not meant to be of this standard.
    public init(_ source: inout PaymentText) throws(StandardDefect) {
        guard source.link.form == .opaque else {
            throw StandardDefect(.malformed, "address", at: 6, "must follow the colon; remove the //")
        }
        // Names, amounts and addresses must not hold escapes.
        source.keepEscapes()
        let path = source.path()
        guard !path.isEmpty || source.hasQuery else {
            throw path.defect(.missing, "address", "is missing; it says who is paid")
        }
        var found: [Int: Parts] = [:]
        if !path.isEmpty {
            found[0] = Parts(address: try ZcashAddress(path, "address"), offset: path.offset)
        }
        try source.query(Self.reader) { _, parameter throws(StandardDefect) in
            let (name, index) = try Self.readName(parameter.name)
            try Self.take(name, parameter, &found[index, default: Parts(offset: parameter.name.offset)])
        }
        for (index, entry) in found { payments[index] = try Self.checked(entry) }
        let isMainnet = payments.values.first?.isMainnet
        guard payments.values.allSatisfy({ $0.isMainnet == isMainnet }) else {
            throw path.defect(.mismatch, "address", "and the others must be of one network")
        }
    }

    /// Creates a link; nil if a payment would not be read back.
    public init?(_ payments: [Payment]) {
        self.payments = Dictionary(uniqueKeysWithValues: payments.enumerated().map { ($0, $1) })
        guard let again = try? ZIP321(text: text), again.text == text, !payments.isEmpty else { return nil }
        self = again
    }

    /// Returns the name and its index: nothing for 0, otherwise a number from 1 to 9999 after a point.
    private static func readName(_ part: TextPart) throws(StandardDefect) -> (String, Int) {
        let (name, number) = part.cut(at: ".")
        guard let first = name.bytes.first, first.isASCIILetter,
            name.bytes.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || "+-_".utf8.contains($0) })
        else { throw name.defect(.malformed, "parameter name", "must be letters, digits, + and -") }
        guard let number else { return (name.text, 0) }
        guard number.isDigits, 1...4 ~= number.count, number.bytes.first != UInt8(ascii: "0"),
            let index = Int(number.text)
        else { throw number.defect(.range, "parameter index", "must be a number from 1 to 9999 without leading zeros") }
        return (name.text, index)
    }

    private static func take(
        _ name: String, _ parameter: QueryParameter, _ entry: inout Parts
    ) throws(StandardDefect) {
        let value = parameter.value
        switch name {
        case "address":
            guard entry.address == nil else { throw value.defect(.duplicate, name, "stands twice; one counts") }
            entry.address = try ZcashAddress(value, name)
        case "amount":
            let decimal = try DecimalText(value, name, amountRules)
            guard let units = decimal.units(exponent: 8), units <= maximum else {
                throw value.defect(.range, name, "is more than the 21 million ZEC there can ever be")
            }
            entry.payment.amount = ChainCoin.zcash.digits(units: units)
        case "memo":
            guard !value.bytes.contains(UInt8(ascii: "=")), let bytes = Base64URL.decode(value.text) else {
                throw value.defect(.encoding, name, "must be base64url without padding")
            }
            guard bytes.count <= 512 else { throw value.defect(.length, name, "has more than 512 bytes; shorten it") }
            entry.payment.memo = bytes
            entry.memo = value
        case "label": entry.payment.label = try value.decoded(name).text
        case "message": entry.payment.message = try value.decoded(name).text
        case "asset_id":
            guard value.count == 88, Base64URL.decode(value.text)?.count == 66 else {
                throw value.defect(.malformed, name, "must be 66 bytes in base64url")
            }
            entry.payment.asset = value.text
            entry.asset = value
        default:
            guard !name.hasPrefix("req-") else {
                throw parameter.name.defect(
                    .unsupported, "required parameter", "is not known and must not be ignored; use another wallet")
            }
            entry.payment.unknown[name] = try value.decoded("parameter").text
        }
    }

    private static func checked(_ entry: Parts) throws(StandardDefect) -> Payment {
        guard let address = entry.address else {
            throw StandardDefect(.missing, "address", at: entry.offset, "is missing for this index")
        }
        if let memo = entry.memo, address.isTransparent {
            throw memo.defect(.mismatch, "memo", "cannot go to a transparent address")
        }
        if let asset = entry.asset, !address.text.lowercased().hasPrefix("u") {
            throw asset.defect(.mismatch, "asset_id", "needs a unified address")
        }
        var payment = entry.payment
        payment.address = address.text
        payment.isMainnet = address.isMainnet
        return payment
    }

    // MARK: Fields and instruction

    /// The fields of `zip321`.
    public var fields: InstructionFields {
        var list: [String: JSONValue] = [:]
        for (index, payment) in payments {
            var fields: InstructionFields = ["address": .string(payment.address)]
            fields.set("amount", payment.amount)
            if let memo = payment.memo {
                // A memo that is not a text is shown as bytes.
                let text = String(validating: memo, as: UTF8.self)
                fields.set(text == nil ? "memoHex" : "memo", text ?? Hex.encode(memo))
            }
            fields.set("label", payment.label)
            fields.set("message", payment.message)
            fields.set("assetId", payment.asset)
            fields.set("unknown", payment.unknown)
            list[String(index)] = fields.object
        }
        return ["payments": .object(list)]
    }

    /// Makes all payments.
    public var instruction: PaymentInstruction {
        makeInstruction { instruction in
            instruction.network = ChainCoin.zcash.chain
            guard !payments.isEmpty else {
                instruction.purpose = .information
                return
            }
            let ordered =
                payments.count == 1 ? Array(payments.values) : payments.sorted { $0.key < $1.key }.map(\.value)
            instruction.setPayments(
                ordered.map { payment in
                    var amount = PaymentInstruction.Amount.open
                    if let digits = payment.amount {
                        let decimal = try? DecimalText(TextPart(decoded: digits, at: 0), "amount", DecimalRules())
                        amount =
                            payment.asset.map { .uncounted(digits: digits, unit: $0) }
                            ?? decimal.map { ChainCoin.zcash.amount($0) } ?? .open
                    }
                    return .init(
                        payee: .init(account: payment.address, name: payment.label, check: .checksum), amount: amount,
                        memo: payment.message ?? payment.memo.flatMap { String(validating: $0, as: UTF8.self) })
                })
            if ordered.contains(where: { !$0.isMainnet }) {
                instruction.network = "zcash-testnet"
                instruction.warnings.append(.testNetwork)
            }
        }
    }

    /// The canonical link. A single payment's address is before the `?`.
    public var text: String {
        var items: [String] = []
        let isSingle = payments.count == 1 && payments[0] != nil
        for (index, payment) in payments.sorted(by: { $0.key < $1.key }) {
            func add(_ name: String, _ value: String?) {
                guard let value else { return }
                items.append("\(name)\(index == 0 ? "" : ".\(index)")=\(value)")
            }
            if !isSingle { add("address", payment.address) }
            add("amount", payment.amount)
            add("memo", payment.memo.map { Base64URL.encode($0) })
            add("label", payment.label.map { PercentCoding.encode($0) })
            add("message", payment.message.map { PercentCoding.encode($0) })
            add("asset_id", payment.asset)
            for (name, value) in payment.unknown.sorted(by: { $0.key < $1.key }) {
                add(name, PercentCoding.encode(value))
            }
        }
        let address = isSingle ? payments[0]?.address ?? "" : ""
        return "zcash:\(address)\(items.isEmpty && isSingle ? "" : "?")\(items.joined(separator: "&"))"
    }
}

/// A Zcash address of any kind: transparent, Sapling, unified, or transparent-source-only. Sources: the Zcash protocol
/// specification, section 5.6; ZIP-316, ZIP-320.
struct ZcashAddress: Sendable, Hashable {
    let text: String
    let isMainnet: Bool
    /// True if payments to it are public and cannot carry a memo.
    let isTransparent: Bool

    /// The bech32 prefixes.
    private enum Kind {
        case sapling
        case unified
        case source
    }

    /// The prefixes including the 1.
    private static let prefixes: [(prefix: StaticString, kind: Kind, isMainnet: Bool)] = [
        ("zs1", .sapling, true), ("ztestsapling1", .sapling, false), ("zregtestsapling1", .sapling, false),
        ("u1", .unified, true), ("utest1", .unified, false), ("uregtest1", .unified, false),
        ("tex1", .source, true), ("textest1", .source, false), ("texregtest1", .source, false),
    ]

    /// Reads `part`, which its standard calls `name`.
    init(_ part: TextPart, _ name: String) throws(StandardDefect) {
        guard !part.isEmpty else { throw part.defect(.missing, name, "is missing; it says who is paid") }
        text = part.text
        guard let entry = Self.prefixes.first(where: { part.startsIgnoringCase($0.prefix) }) else {
            do throws(StandardDefect) {
                isMainnet = try CoinAddress(part, of: .zcash, name).network == "mainnet"
            } catch {
                throw error.kind == .foreign ? part.defect(.mismatch, name, error.advice) : error
            }
            isTransparent = true
            return
        }
        let decoded = try Bech32(part, name, limit: 1024)
        let bytes = Bech32.bytes(of: decoded.groups)
        let isSound =
            switch entry.kind {
            case .sapling: decoded.variant == .bech32 && bytes?.count == 43
            // The receivers are scrambled together with the prefix. The checksum detects any mistake.
            case .unified: decoded.variant == .bech32m && (bytes?.count ?? 0) >= 48
            case .source: decoded.variant == .bech32m && bytes?.count == 20
            }
        guard isSound, decoded.prefix.utf8.count + 1 == entry.prefix.utf8CodeUnitCount else {
            throw part.defect(.malformed, name, "is no address that can be paid; ask the payee for a new one")
        }
        isMainnet = entry.isMainnet
        if case .source = entry.kind { isTransparent = true } else { isTransparent = false }
    }
}
