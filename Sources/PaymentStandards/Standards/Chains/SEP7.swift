public import PaymentCore
import PaymentCrypto

/// A `web+stellar:` link: a payment or a transaction to sign. Source: SEP-7.
///
/// A link that names its origin is signed, but only the origin's `stellar.toml` holds the key: an application with the
/// key calls ``isSigned(by:)``.
public struct SEP7: WritablePaymentStandard {
    /// `sep7`.
    public static let id = "sep7"
    /// The specification that it follows.
    public static let specification = "SEP-7"
    /// The beginnings of its texts.
    public static let patterns: [StandardPattern] = [.scheme("web+stellar")]

    /// The operation: `pay` or `tx`.
    let operation: String
    /// The parameters as decoded, by the specification's names.
    let parameters: [String: String]
    /// The text under the signature, as in the link; nil without one.
    private let signedText: String?

    /// All names that are allowed in a link, in the order of the specification.
    private static let names = [
        "destination", "xdr", "replace", "amount", "asset_code", "asset_issuer", "memo", "memo_type", "callback",
        "pubkey", "chain", "msg", "network_passphrase", "origin_domain", "signature",
    ]
    private static let reader = QueryReader(
        QueryRules(plusIsSpace: true, refusesUnknownTwice: true), known: Set(names))

    /// Creates a value by reading `link`.
    ///
    /// - Throws: ``StandardDefect``; of kind `foreign` when the text was not meant to be of this standard at all.
    public init(_ source: inout PaymentText) throws(StandardDefect) {
        let (link, path) = (source.link, source.path())
        operation = path.text
        guard link.form == .opaque else {
            throw StandardDefect(
                .malformed, "operation", at: "web+stellar:".utf8.count,
                "must follow the colon, as in web+stellar:pay; remove the //")
        }
        guard operation == "pay" || operation == "tx" else {
            throw path.defect(.unsupported, "operation", "must be pay or tx")
        }
        var found: [String: TextPart] = [:]
        var last = ""
        var signatureStart: Int?
        try source.query(Self.reader) { key, parameter throws(StandardDefect) in
            last = key
            guard parameter.isKnown else { return }
            found[key] = try Self.reader.text(parameter, key)
            if key == "signature" { signatureStart = parameter.name.offset }
        }
        if let signatureStart {
            guard last == "signature", signatureStart > 0 else {
                throw StandardDefect(
                    .malformed, "signature", at: signatureStart, "must be the last parameter; it covers all before it")
            }
            signedText = String(decoding: Array(link.text.utf8)[..<(signatureStart - 1)], as: UTF8.self)
        } else {
            signedText = nil
        }
        parameters = found.mapValues(\.text)
        try SEP7Rules.check(operation, found, end: link.text.utf8.count)
    }

    /// Creates a link to pay `destination`, unsigned; nil where a parameter would not be read back.
    ///
    /// - Parameters:
    ///   - destination: An account (`G…`) or a muxed one (`M…`).
    ///   - parameters: Further ones by the specification's names, such as `amount` and `memo`.
    public init?(destination: String, parameters: [String: String] = [:]) {
        operation = "pay"
        self.parameters = parameters.merging(["destination": destination]) { $1 }
        signedText = nil
        guard let again = try? SEP7(text: text), again == self else { return nil }
    }

    /// Returns true if the owner of `publicKey`, an account (`G…`), signed the link. False without a signature.
    ///
    /// The key is the `URI_REQUEST_SIGNING_KEY` in `https://<origin_domain>/.well-known/stellar.toml`. A link that
    /// names an origin and is not signed by it must be refused.
    public func isSigned(by publicKey: String) -> Bool {
        guard let key = try? StellarKey(TextPart(decoded: publicKey, at: 0), "key"), key.kind == .account,
            let signedText, let text = parameters["signature"],
            let signature = Base64Text.decode(TextPart(decoded: text, at: 0))
        else { return false }
        let message = [UInt8](repeating: 0, count: 35) + [4] + Array("stellar.sep.7 - URI Scheme\(signedText)".utf8)
        return Ed25519.isValid(signature, message: message, publicKey: key.payload)
    }

    /// The fields of `sep7`.
    public var fields: InstructionFields {
        var fields: InstructionFields = ["operation": .string(operation)]
        for name in Self.names { fields.set(name, parameters[name]) }
        return fields
    }

    /// Pays the destination, or signs the transaction.
    public var instruction: PaymentInstruction {
        var instruction = bareInstruction
        instruction.network = ChainCoin.stellar.chain
        instruction.memo = parameters["msg"]
        instruction.reference = parameters["memo"]
        if let passphrase = parameters["network_passphrase"], passphrase != SEP7Rules.publicNetwork {
            instruction.network = "stellar"
            instruction.warnings.append(.testNetwork)
        }
        if parameters["callback"] != nil { instruction.warnings.append(.followsURL) }
        // A signature proves something only after a check with the origin's key.
        instruction.warnings.append(.unsignedOrigin)
        guard operation == "pay" else {
            instruction.amount = .onService
            instruction.warnings.append(.contractCall)
            return instruction
        }
        instruction.payee = .init(account: parameters["destination"], check: .checksum)
        if parameters["memo"] == nil, parameters["destination"]?.hasPrefix("G") == true {
            instruction.warnings.append(.missingTag)
        }
        guard let text = parameters["amount"],
            let decimal = try? DecimalText(TextPart(decoded: text, at: 0), "amount", DecimalRules())
        else { return instruction }
        if let code = parameters["asset_code"], let issuer = parameters["asset_issuer"] {
            instruction.amount = .tokens(text, of: "\(code):\(issuer)", isSmallest: false)
        } else {
            instruction.amount = ChainCoin.stellar.amount(decimal)
        }
        return instruction
    }

    /// The canonical link; of a signed one the signed text, unchanged.
    public var text: String {
        if let signedText, let signature = parameters["signature"] {
            return "\(signedText)&signature=\(PercentCoding.encode(signature))"
        }
        return "web+stellar:\(operation)\(PercentCoding.query(Self.names.map { ($0, parameters[$0]) }))"
    }
}
