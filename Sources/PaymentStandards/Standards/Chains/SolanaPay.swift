public import PaymentCore
import PaymentCrypto

/// A `solana:` link: coins or tokens to pay, or a service that makes the transaction. Source: Solana Pay, SPEC 1.1.
public struct SolanaPay: WritablePaymentStandard {
    /// `solana-pay`.
    public static let id = "solana-pay"
    /// The specification that it follows.
    public static let specification = "Solana Pay"
    /// The beginnings of its texts.
    public static let patterns: [StandardPattern] = [.scheme("solana")]

    /// The payee, an account of 32 bytes; nil if a service makes the transaction.
    let recipient: String?
    /// The service that makes the transaction; nil if the link names the payee.
    let link: String?
    /// The amount in SOL, or in the token's own units.
    private(set) var amount: String?
    /// The token's account; nil for SOL.
    private(set) var token: String?
    /// Accounts for finding the payment on the chain.
    private(set) var references: [String] = []
    private(set) var label: String?
    private(set) var message: String?
    /// A text that will be public on the chain.
    private(set) var memo: String?

    private static let reader = QueryReader(
        QueryRules(repeatable: ["reference"]), known: ["amount", "spl-token", "label", "message", "memo", "reference"])
    /// The longest link that the reference implementation reads.
    private static let maximumLength = 2048

    /// Creates a value by reading `source`.
    ///
    /// - Throws: ``StandardDefect``, of kind `foreign` if the text was not meant to be of this standard.
    public init(_ source: inout PaymentText) throws(StandardDefect) {
        let (link, path) = (source.link, source.path())
        guard link.form == .opaque else {
            throw StandardDefect(.malformed, "recipient", at: 7, "must follow the colon; remove the //")
        }
        guard link.text.utf8.count <= Self.maximumLength else {
            throw StandardDefect(
                .length, "link", at: Self.maximumLength, "has more than \(Self.maximumLength) characters")
        }
        if path.bytes.contains(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "%") }) {
            self.link = try Self.service(path)
            recipient = nil
        } else {
            self.link = nil
            try path.checkQueryMark()
            recipient = try Self.account(path, "recipient")
        }
        var amountPart: TextPart?
        try source.query(Self.reader) { key, parameter throws(StandardDefect) in
            let value = try Self.reader.text(parameter, key)
            switch key {
            case "amount": amountPart = value
            case "spl-token": token = try Self.account(value, key)
            case "reference": references.append(try Self.account(value, key))
            case "label": label = value.text
            case "message": message = value.text
            case "memo": memo = value.text
            default: break
            }
        }
        if let amountPart {
            // Only the chain knows a token's decimals.
            let rules = DecimalRules(fractionDigits: token == nil ? 9 : nil)
            amount = try DecimalText(amountPart, "amount", rules).text
        }
    }

    /// Creates a link to pay `recipient`; nil if a part would not be read back.
    public init?(
        recipient: String, amount: String? = nil, token: String? = nil, references: [String] = [], label: String? = nil,
        message: String? = nil, memo: String? = nil
    ) {
        let bare = "solana:\(recipient)"
        guard var value = try? SolanaPay(text: bare), value.link == nil else { return nil }
        value.amount = amount
        value.token = token
        value.references = references
        (value.label, value.message, value.memo) = (label, message, memo)
        guard let again = try? SolanaPay(text: value.text), again == value else { return nil }
        self = again
    }

    private static func account(_ part: TextPart, _ name: String) throws(StandardDefect) -> String {
        guard !part.isEmpty else { throw part.defect(.missing, name, "is missing") }
        guard 32...44 ~= part.count, Base58.decode(part.bytes)?.count == 32 else {
            throw part.defect(.malformed, name, "must be an account of 32 bytes in base58; copy all of it")
        }
        return part.text
    }

    private static func service(_ part: TextPart) throws(StandardDefect) -> String {
        let text = try part.decoded("link").text
        guard let link = try? PaymentLink(text), link.isHTTPS, link.hostKind != .none else {
            throw part.defect(.malformed, "link", "must be an https address; do not follow others")
        }
        return text
    }

    /// The fields of `solana-pay`.
    public var fields: InstructionFields {
        var fields: InstructionFields = ["kind": .string(link == nil ? "transfer" : "transaction")]
        fields.set("recipient", recipient)
        fields.set("link", link)
        fields.set("amount", amount)
        fields.set("splToken", token)
        fields.set("reference", references)
        fields.set("label", label)
        fields.set("message", message)
        fields.set("memo", memo)
        return fields
    }

    /// Pays the recipient, or asks the service for the transaction.
    public var instruction: PaymentInstruction {
        makeInstruction { instruction in
            instruction.network = ChainCoin.solana.chain
            instruction.memo = memo ?? message
            instruction.reference = references.first
            // Base58 has no checksum: a text with a wrong character may still be 32 bytes.
            instruction.payee = .init(account: recipient ?? link, name: label, check: .none)
            if link != nil {
                instruction.amount = .onService
                instruction.warnings = [.followsURL]
                return
            }
            instruction.warnings = [.missingChecksum]
            guard let amount else { return }
            if let token {
                let id = "caip19/\(ChainCoin.solana.chain)/token:\(token)"
                instruction.amount = .tokens(amount, of: id, isSmallest: false)
            } else if let decimal = try? DecimalText(TextPart(decoded: amount, at: 0), "amount", DecimalRules()) {
                instruction.amount = ChainCoin.solana.amount(decimal)
            }
        }
    }

    /// The canonical link.
    public var text: String {
        let items =
            [("amount", amount), ("spl-token", token)] + references.map { ("reference", $0) }
            + [("label", label), ("message", message), ("memo", memo)]
        return "solana:\(recipient ?? PercentCoding.encode(link ?? ""))\(PercentCoding.query(items))"
    }
}
