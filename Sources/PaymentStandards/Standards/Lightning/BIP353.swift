public import PaymentCore

/// A name with a DNS record of payment instructions: `₿user@domain`. Source: BIP-353.
///
/// The text is only the name. The record must be validated by DNSSEC from the root.
public struct BIP353: PaymentStandard {
    /// `bip353`.
    public static let id = "bip353"
    /// The specification that it follows.
    public static let specification = "BIP-353"
    /// The beginnings of its texts.
    public static let patterns: [StandardPattern] = [.prefix("₿")]

    /// The part before the `@`.
    public let user: String
    /// The part behind the `@`.
    public let domain: String

    /// Creates a value by reading `link`.
    ///
    /// - Throws: ``StandardDefect``; of kind `foreign` when the text was not meant to be of this standard at all.
    public init(_ source: inout PaymentText) throws(StandardDefect) {
        try self.init(source.all().trimmed.dropFirst("₿".utf8.count))
    }

    /// Reads the name, without the sign.
    init(_ part: TextPart) throws(StandardDefect) {
        let (user, domain) = part.cut(at: "@")
        guard let domain else { throw part.defect(.malformed, "name", "must be user@domain") }
        self.user = user.text
        self.domain = domain.lowercased
        try Self.check(user, "user")
        try Self.check(domain, "domain")
        guard domain.bytes.contains(UInt8(ascii: ".")) else {
            throw domain.defect(.malformed, "domain", "must have a dot, as in example.com")
        }
        guard owner.utf8.count <= 254 else {
            throw part.defect(.length, "name", "is longer than a DNS name can be; check it")
        }
    }

    private static func check(_ part: TextPart, _ name: String) throws(StandardDefect) {
        for label in part.split(at: ".") {
            guard 1...63 ~= label.count else {
                throw label.defect(.length, name, "has an empty part or one of more than 63 characters")
            }
            let stray = label.bytes.indices.first { index in
                let byte = label.bytes[index]
                return !(byte.isASCIILetter || byte.isASCIIDigit || byte == 0x2D || byte == 0x5F)
            }
            if let stray {
                throw StandardDefect(
                    .malformed, name, at: label.place(stray), "may hold only letters, digits, - and _; write xn-- forms"
                )
            }
        }
    }

    /// The name as people see it.
    public var display: String { "₿\(user)@\(domain)" }

    /// The DNS name whose TXT records are looked up.
    public var owner: String { "\(user).user._bitcoin-payment.\(domain)." }

    /// Returns the payment's link among the TXT records at ``owner``, each a list of character-strings.
    ///
    /// The records must have been validated by DNSSEC.
    ///
    /// - Parameter records: The TXT records, each a list of character-strings.
    /// - Returns: The link, which begins with `bitcoin:`.
    /// - Throws: ``StandardDefect`` when none or several begin with `bitcoin:`.
    public static func link(amongTXT records: [[String]]) throws(StandardDefect) -> String {
        let links = records.map { $0.joined() }.filter { text in
            text.utf8.prefix(8).map(\.lowercasedASCII).elementsEqual("bitcoin:".utf8)
        }
        guard let link = links.first else {
            throw StandardDefect(.missing, "TXT record", at: 0, "that begins with bitcoin: is not there")
        }
        guard links.count == 1 else {
            throw StandardDefect(.duplicate, "TXT record", at: 0, "stands twice; the domain's owner must remove one")
        }
        return link
    }

    /// The fields of `bip353`.
    public var fields: InstructionFields {
        ["user": .string(user), "domain": .string(domain), "owner": .string(owner), "display": .string(display)]
    }

    /// Pays the account that the record names.
    public var instruction: PaymentInstruction {
        var instruction = bareInstruction
        instruction.payee = .init(account: display, check: .none)
        instruction.network = "bitcoin"
        instruction.amount = .onService
        instruction.warnings = [.followsURL, .missingChecksum]
        return instruction
    }
}
