public import PaymentCore
import PaymentCrypto

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A name with payment instructions in a DNS record: `₿user@domain`. Source: BIP-353.
///
/// The text is only the name. DNSSEC must validate the record from the root.
public struct BIP353: PaymentStandard {
    /// `bip353`.
    public static let id = "bip353"
    /// The specification that it follows.
    public static let specification = "BIP-353"
    /// The beginnings of its texts.
    public static let patterns: [StandardPattern] = [.prefix("₿")]

    /// The part before the `@`.
    public let user: String
    /// The part after the `@`.
    public let domain: String

    /// Creates a value by reading `source`.
    ///
    /// - Throws: ``StandardDefect``, of kind `foreign` if the text was not meant to be of this standard.
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

    /// The DNS name of the TXT records.
    public var owner: String { "\(user).user._bitcoin-payment.\(domain)." }

    /// Returns the payment's link among the TXT records at ``owner``, each a list of character-strings.
    ///
    /// The records must have been validated by DNSSEC.
    ///
    /// - Parameter records: The TXT records, each a list of character-strings.
    /// - Returns: The link, which begins with `bitcoin:`.
    /// - Throws: ``StandardDefect`` if no record or several begin with `bitcoin:`.
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
        makeInstruction { instruction in
            instruction.payee = .init(account: display, check: .none)
            instruction.network = "bitcoin"
            instruction.amount = .onService
            instruction.warnings = [.followsURL, .missingChecksum]
        }
    }
}

/// A BIP-353 name's payment link with the proof that it belongs to the name, checked without any network.
///
/// Source: BIP-353, "PSBT": a byte of length, the name, and records as in RFC 9102. Signatures with RSA and P-256 are
/// supported. Aliases of a name (CNAME) and of all names below one (DNAME) are followed. If a wildcard answers, NSEC or
/// NSEC3 must prove that the name itself does not exist.
public struct BIP353Proof: Sendable, Hashable {
    /// The name.
    public let name: BIP353
    /// The text of the name's BIP-321 link.
    public let link: String
    /// The period in which all signatures are valid.
    public let validity: ClosedRange<Date>
    /// The time for which the answer may be kept, in seconds.
    public let timeToLive: UInt32
    /// The proof itself: the value of a PSBT's field `PSBT_OUT_DNSSEC_PROOF`, for signers that check it themselves.
    public let bytes: [UInt8]

    /// The most bytes of a proof. A chain of ten zones is shorter.
    static let maximumLength = 65_536
    /// The most aliases that are followed.
    static let maximumAliases = 8

    /// Creates a proof by checking `proof` as of `time`.
    ///
    /// - Parameters:
    ///   - proof: The chain of records, in the form of RFC 9102.
    ///   - time: The time at which the signatures must be valid.
    /// - Throws: ``StandardDefect``. Its offset counts bytes of the proof.
    public init(_ proof: [UInt8], at time: Date) throws(StandardDefect) {
        try self.init(proof, at: time, anchors: DNSSECChain.rootAnchors)
    }

    /// Checks `proof` with other keys than the root's, given as DS records.
    init(_ proof: [UInt8], at time: Date, anchors: [[UInt8]]) throws(StandardDefect) {
        guard proof.count <= Self.maximumLength, let length = proof.first.map(Int.init), proof.count > 1 + length else {
            throw StandardDefect(.length, "proof", at: 0, "is cut off or too long")
        }
        name = try BIP353(TextPart(bytes: proof[1...length]))
        guard let records = DNSRecord.all(in: proof[(1 + length)...]) else {
            throw StandardDefect(.malformed, "records", at: 1 + length, "are cut off or not as RFC 9102 has them")
        }
        guard let owner = DNSName(name.owner)?.folded, 0..<Double(UInt32.max) ~= time.timeIntervalSince1970 else {
            throw StandardDefect(.range, "name", at: 1, "or time is not valid in DNS")
        }
        var chain = DNSSECChain(records, at: UInt32(time.timeIntervalSince1970), anchors: anchors)
        let texts = try Self.texts(of: owner, &chain, 1 + length)
        link = try BIP353.link(amongTXT: texts)
        let dates = { (seconds: UInt32) in Date(timeIntervalSince1970: Double(seconds)) }
        validity = dates(chain.validity.lowerBound)...dates(chain.validity.upperBound)
        timeToLive = chain.ttl
        bytes = proof
    }

    /// Returns the character-strings of the TXT records at `owner`, or at the target of its aliases.
    private static func texts(
        of owner: DNSName, _ chain: inout DNSSECChain, _ offset: Int
    ) throws(StandardDefect) -> [[String]] {
        var owner = owner
        for _ in 0...maximumAliases {
            guard let answer = chain.proved(owner, DNSRecord.Kind.txt) ?? chain.proved(owner, DNSRecord.Kind.cname)
            else {
                guard let next = try moved(owner, &chain, offset) else {
                    throw StandardDefect(
                        .signature, "records", at: offset,
                        "do not prove the name: a record or a valid signature is missing, or one has run out")
                }
                owner = next
                continue
            }
            let isProved =
                !answer.isExpanded
                || chain.isAbsent(owner, in: answer.signature.signer, wildcardLabels: answer.signature.labels)
            guard isProved else {
                throw StandardDefect(
                    .signature, "records", at: offset, "do not prove that the name itself has no other record")
            }
            guard let first = answer.records.first, first.type == DNSRecord.Kind.cname else {
                return try answer.records.map { record throws(StandardDefect) in
                    try strings(of: record, offset)
                }
            }
            owner = try target(of: answer, offset)
        }
        throw StandardDefect(.range, "alias", at: offset, "leads on more than \(maximumAliases) times")
    }

    /// Returns the target of `owner` by the alias of a name above it (RFC 6672); nil if no such alias is proved. A
    /// wildcard's record does not count: it does not describe the names below an expanded name.
    private static func moved(
        _ owner: DNSName, _ chain: inout DNSSECChain, _ offset: Int
    ) throws(StandardDefect) -> DNSName? {
        for count in (0..<owner.labels.count).reversed() {
            let ancestor = owner.suffix(count)
            guard let answer = chain.proved(ancestor, DNSRecord.Kind.dname), !answer.isExpanded else { continue }
            guard let name = owner.moved(from: ancestor, to: try target(of: answer, offset)) else {
                throw StandardDefect(.length, "alias", at: offset, "leads to a name longer than DNS can hold")
            }
            return name
        }
        return nil
    }

    private static func target(of answer: DNSSECChain.Proved, _ offset: Int) throws(StandardDefect) -> DNSName {
        guard answer.records.count == 1, let target = answer.records[0].target else {
            throw StandardDefect(.malformed, "alias", at: offset, "must be one, and lead to a name")
        }
        return target
    }

    private static func strings(of record: DNSRecord, _ offset: Int) throws(StandardDefect) -> [String] {
        var texts: [String] = []
        for bytes in record.strings ?? [] {
            // Only texts that may be a link are relevant, and links are ASCII.
            texts.append(String(decoding: bytes, as: UTF8.self))
        }
        guard record.strings != nil else {
            throw StandardDefect(.malformed, "TXT record", at: offset, "is cut off")
        }
        return texts
    }
}
