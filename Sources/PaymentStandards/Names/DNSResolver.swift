public import PaymentCore
import PaymentCrypto
public import PaymentSettlement

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Looks up names of BIP-353 at a DNS resolver over HTTPS (RFC 8484), and checks the proof of their links from the
/// root's keys down.
///
/// ```swift
/// let resolver = DNSResolver(try HTTPURL(service: "https://dns.example/dns-query"))
/// let provider = BitcoinProvider(reader: StandardsReader(), names: resolver)
/// ```
///
/// The resolver learns the name but is not trusted: only answers that the owner of the name's domain has signed are
/// accepted. The resolver can withhold an answer, or deny that the name exists.
public struct DNSResolver: PayeeNameResolver {
    /// The shortest time for a payer to decide about a link, in seconds. Records that change often expire within half a
    /// minute, too soon for a decision.
    private static let leastOffer: UInt32 = 600

    private let url: HTTPURL
    private let anchors: [[UInt8]]

    /// Creates a resolver.
    ///
    /// - Parameter url: The address of a resolver's DNS over HTTPS, with its path, such as
    ///   `https://dns.example/dns-query`.
    public init(_ url: HTTPURL) { self.init(url, anchors: DNSSECChain.rootAnchors) }

    /// Creates a resolver of names below another root. `anchors` are the root's keys as DS records.
    init(_ url: HTTPURL, anchors: [[UInt8]]) { (self.url, self.anchors) = (url, anchors) }

    /// The host of the resolver.
    public var host: String { url.authority }

    /// Checks that names can be looked up at the resolver: asks for the root's keys, and proves them as of now.
    ///
    /// - Throws: ``PaymentError`` if the answer is not valid, `integrity` if it has other keys.
    package func check(over transport: any HTTPTransport, clock: any PaymentClock) async throws(PaymentError) {
        var lookup = NameLookup(at: url, over: transport, clock: clock)
        let keys = try await lookup.rootKeys()
        let time = UInt32(clamping: Int64(clock.now.timeIntervalSince1970))
        var chain = DNSSECChain(keys, at: time, anchors: anchors)
        guard chain.proved(.root, DNSRecord.Kind.dnskey) != nil else {
            throw PaymentError(
                .integrity,
                "the DNS resolver at \(url.origin) does not prove the root's keys; give one that passes on signatures "
                    + "(DNSSEC), and check this device's clock", phase: .answered)
        }
    }

    /// Looks up `name`, and returns the proof of its link, checked as of now.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - transport: The way to the resolver.
    ///   - clock: The time at which the signatures must be valid.
    /// - Throws: ``PaymentError``: `notFound` if the name has no record, `integrity` if nothing proves it, `network`
    ///   and others if the resolver does not answer properly.
    public func proof(
        of name: BIP353, over transport: any HTTPTransport, clock: any PaymentClock
    ) async throws(PaymentError) -> BIP353Proof {
        var lookup = NameLookup(at: url, over: transport, clock: clock)
        let bytes = try await lookup.proof(of: name)
        do throws(StandardDefect) { return try BIP353Proof(bytes, at: clock.now, anchors: anchors) } catch {
            throw PaymentError(
                .integrity, "the name cannot be paid: its \(error.part) \(error.advice)", phase: .answered,
                cause: error)
        }
    }

    /// Returns the `bitcoin:` link of a name, with its proof checked.
    ///
    /// - Parameters:
    ///   - name: The text of the name.
    ///   - transport: The way to the resolver.
    ///   - clock: The time at which the signatures must be valid.
    /// - Throws: ``PaymentError``, as ``proof(of:over:clock:)`` does, and if `name` is not a valid name.
    public func link(
        of name: PaymentLink, over transport: any HTTPTransport, clock: any PaymentClock
    ) async throws(PaymentError) -> ProvedLink {
        let parsed: BIP353
        do throws(StandardDefect) { parsed = try BIP353(name) } catch {
            throw PaymentError(.rejectedLink, "this is no name of a payee: \(error.part) \(error.advice)", cause: error)
        }
        let proof = try await proof(of: parsed, over: transport, clock: clock)
        let offered = Double(max(proof.timeToLive, Self.leastOffer))
        return ProvedLink(
            text: proof.link, expiresAt: min(proof.validity.upperBound, clock.now.addingTimeInterval(offered)))
    }
}

/// One look-up of a name at an untrusted resolver. It only collects records. ``BIP353Proof`` decides what they prove.
///
/// Source: RFC 8484 for the exchange, RFC 4035 section 4 for the questions.
struct NameLookup {
    /// The most questions of a look-up. A name with two aliases in zones four deep takes fewer.
    private static let maximumQuestions = 40
    private static let maximumMessage = 65_535
    /// The time for one answer, and for all of them.
    private static let (timeout, wholeTimeout) = (Duration.seconds(10), Duration.seconds(30))
    private static let mediaType = "application/dns-message"
    /// The types of the records in proofs. Proofs also need these records' signatures.
    private static let provable: Set<UInt16> = [
        DNSRecord.Kind.txt, DNSRecord.Kind.cname, DNSRecord.Kind.dname, DNSRecord.Kind.ds, DNSRecord.Kind.dnskey,
        DNSRecord.Kind.nsec, DNSRecord.Kind.nsec3,
    ]

    private let url: HTTPURL
    private let transport: any HTTPTransport
    private let clock: any PaymentClock
    private let start: Duration
    private var asked: Set<DNSQuestion> = []
    private var kept: Set<DNSRecord> = []
    /// The collected records, in order.
    private var records: [DNSRecord] = []
    private var length = 0

    /// Creates a look-up at the resolver at `url`, whose time begins now.
    init(at url: HTTPURL, over transport: any HTTPTransport, clock: any PaymentClock) {
        (self.url, self.transport, self.clock) = (url, transport, clock)
        start = clock.uptime
    }

    /// Returns the bytes of a possible proof of `name`: the name and the resolver's records about it, in the form of
    /// RFC 9102.
    ///
    /// - Throws: ``PaymentError`` if the resolver has no record of the name, or does not answer properly.
    mutating func proof(of name: BIP353) async throws(PaymentError) -> [UInt8] {
        guard let owner = DNSName(name.owner)?.folded else {
            throw Self.failure(.unusableOption, "the name is not valid in DNS")
        }
        try await follow(owner)
        guard records.contains(where: { $0.type == DNSRecord.Kind.rrsig }) else {
            throw Self.failure(
                .integrity,
                "the name's record is not signed with DNSSEC, so that nothing proves whose it is; the payee's domain has "
                    + "to sign it")
        }
        try await ascend()
        let text = Array("\(name.user)@\(name.domain)".utf8)
        return [UInt8(text.count)] + text + records.flatMap(\.wire)
    }

    /// Returns the root's keys with their signatures.
    mutating func rootKeys() async throws(PaymentError) -> [DNSRecord] {
        try await ask(.root, DNSRecord.Kind.dnskey)
        return records
    }

    // MARK: The questions

    /// Collects the TXT records at `owner`, or at the target of its aliases. A resolver may follow aliases itself.
    private mutating func follow(_ owner: DNSName) async throws(PaymentError) {
        var owner = owner
        for _ in 0...BIP353Proof.maximumAliases {
            if !has(owner, DNSRecord.Kind.txt), !has(owner, DNSRecord.Kind.cname) {
                try await ask(owner, DNSRecord.Kind.txt)
            }
            if has(owner, DNSRecord.Kind.txt) { return }
            guard let next = alias(of: owner) else {
                throw Self.failure(
                    .notFound,
                    "there is no payment record of this name; check how it is written, or ask the payee for another way "
                        + "to pay")
            }
            owner = next
        }
        throw Self.failure(
            .invalidResponse,
            "the name leads on more than \(BIP353Proof.maximumAliases) times; its owner must shorten it")
    }

    /// Collects the keys of each zone that has signed a record, and the DS record of the zone above, up to the root.
    private mutating func ascend() async throws(PaymentError) {
        var zones: Set<DNSName> = []
        var next = 0
        while next < records.count {
            let record = records[next]
            next += 1
            guard record.type == DNSRecord.Kind.rrsig, let zone = DNSSECSignature(record)?.signer,
                record.owner.isWithin(zone), zones.insert(zone).inserted
            else { continue }
            try await ask(zone, DNSRecord.Kind.dnskey)
            if zone != .root { try await ask(zone, DNSRecord.Kind.ds) }
        }
    }

    private func has(_ owner: DNSName, _ type: UInt16) -> Bool {
        records.contains { $0.owner == owner && $0.type == type }
    }

    /// Returns the target of an alias of `owner`, or of a name above it.
    private func alias(of owner: DNSName) -> DNSName? {
        if let alias = records.first(where: { $0.owner == owner && $0.type == DNSRecord.Kind.cname }) {
            return alias.target
        }
        for record in records where record.type == DNSRecord.Kind.dname && owner != record.owner {
            guard owner.isWithin(record.owner), let target = record.target else { continue }
            return owner.moved(from: record.owner, to: target)
        }
        return nil
    }

    /// Asks for the records of `type` at `name`, and keeps those that proofs need.
    private mutating func ask(_ name: DNSName, _ type: UInt16) async throws(PaymentError) {
        let question = DNSQuestion(name: name, type: type)
        guard asked.insert(question).inserted else { return }
        guard asked.count <= Self.maximumQuestions else {
            throw Self.failure(
                .invalidResponse,
                "the name takes more than \(Self.maximumQuestions) questions to prove; it is not paid")
        }
        for record in try await answer(to: question) {
            let isSignature = record.type == DNSRecord.Kind.rrsig
            let type = isSignature ? DNSSECSignature(record)?.covered : record.type
            guard let type, Self.provable.contains(type), kept.insert(record).inserted else { continue }
            records.append(record)
            length += record.wire.count
            guard length <= BIP353Proof.maximumLength else {
                throw Self.failure(
                    .invalidResponse, "the name's records are more than a proof can hold; it is not paid")
            }
        }
    }

    // MARK: The exchange

    /// Returns the records of an answer; none if the name does not exist.
    private func answer(to question: DNSQuestion) async throws(PaymentError) -> [DNSRecord] {
        let left = Self.wholeTimeout - (clock.uptime - start)
        guard left > .zero else {
            throw Self.failure(.network, "the DNS resolver takes too long; try again, or another one", retry: .later)
        }
        // The question changes nothing, even though the method is POST.
        let request = HTTPRequest(
            .post, url, headers: ["Accept": Self.mediaType, "Content-Type": Self.mediaType], body: question.message,
            replay: .safe, timeout: min(left, Self.timeout), responseLimit: Self.maximumMessage)
        let response: HTTPResponse
        do throws(TransportError) { response = try await transport.send(request) } catch {
            throw PaymentError(
                error.reason == .cancelled ? .cancelled : .network,
                "the DNS resolver at \(url.origin) does not answer: \(error.reason)", retry: .later, cause: error)
        }
        guard response.status == 200 else {
            throw Self.failure(
                .serviceFailure,
                "the DNS resolver at \(url.origin) answers with status \(response.status); give the address of its "
                    + "DNS over HTTPS, or another resolver", retry: .later)
        }
        guard response.headers["Content-Type"]?.lowercased().hasPrefix(Self.mediaType) == true,
            let message = DNSMessage(response.body)
        else { throw unreadable("is no DNS message") }
        return try records(of: message, answering: question)
    }

    private func records(
        of message: DNSMessage, answering question: DNSQuestion
    ) throws(PaymentError) -> [DNSRecord] {
        guard message.isResponse, message.operation == 0, message.id == 0, message.questions == [question] else {
            throw unreadable("is to another question")
        }
        guard !message.isTruncated else { throw unreadable("is cut off") }
        switch message.code {
        case DNSMessage.Code.noError, DNSMessage.Code.noSuchName: return message.records
        case DNSMessage.Code.serverFailure:
            throw Self.failure(
                .serviceFailure,
                "the DNS resolver could not look the name up (SERVFAIL): the signatures of its domain may be broken; try "
                    + "again, or another resolver", retry: .later)
        default:
            throw Self.failure(
                .requestRefused,
                "the DNS resolver refuses the question (code \(message.code)); give another resolver")
        }
    }

    private func unreadable(_ words: String) -> PaymentError {
        Self.failure(
            .invalidResponse, "the answer of the DNS resolver at \(url.origin) \(words); give another resolver")
    }

    private static func failure(
        _ code: PaymentError.Code, _ message: String, retry: PaymentError.RetryAdvice = .never
    ) -> PaymentError {
        PaymentError(code, message, phase: .answered, retry: retry)
    }
}
