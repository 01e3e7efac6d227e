import PaymentSettlement

/// The meaning of a Paykit link (Protocol 1.4 to 1.6).
@nonexhaustive
public enum PaykitLink: Sendable, Hashable {
    /// A payment to this user.
    case payee(PubkyKey)
    /// A payment for this user's request of this id. The user stores the request.
    case request(id: String, from: PubkyKey)
    /// A payment for this user's request over a private link with this device.
    case privateRequest(PaykitRequestURL)
    /// A payment to this endpoint.
    case invoice(PaykitEndpoint)
    /// An authorisation of another device by this one, or of this one by another.
    case authorization(PubkyAuthorizationLink)
    /// A question to the user's key manager.
    case keyManager(KeyManagerLink)
    /// A link of another generation of Paykit, which the text names.
    case otherGeneration(String)

    /// Reads a link; nil when it is not a Paykit link.
    ///
    /// - Throws: ``PaykitLinkDefect`` when it is a Paykit link that cannot be used.
    public static func read(_ link: PaymentLink) throws(PaykitLinkDefect) -> PaykitLink? {
        switch link.scheme {
        case "pubky": return try pubky(link)
        // Bitkit writes `pip:` for `pk:`.
        case "pk", "pip": return .payee(try key(link.path))
        case "paykit": return try paykit(link)
        case "pubkyauth": return .authorization(try PubkyAuthorizationLink(link))
        case "pubkyring":
            // Some questions are the same under both schemes.
            return KeyManagerLink.isOne(link)
                ? .keyManager(try KeyManagerLink(link)) : .authorization(try PubkyAuthorizationLink(link))
        case "slashpay", "slash": return .otherGeneration("the first generation (slashtags)")
        case nil: return try bare(link.text.trimmingWhitespace)
        default: return nil
        }
    }

    /// Reads a key without a scheme: behind the prefix that newer apps print, or alone.
    private static func bare(_ text: String) throws(PaykitLinkDefect) -> PaykitLink? {
        if text.hasPrefix("pubky"), text.utf8.count >= 5 + PubkyKey.textLength { return .payee(try key(text)) }
        guard text.utf8.count == PubkyKey.textLength else { return nil }
        return (try? PubkyKey(bare: text)).map { .payee($0) }
    }

    private static func key(_ text: some StringProtocol) throws(PaykitLinkDefect) -> PubkyKey {
        do { return try PubkyKey(text) } catch { throw .key(error) }
    }

    private static func pubky(_ link: PaymentLink) throws(PaykitLinkDefect) -> PaykitLink {
        // The scanner takes the key for a host and lowercases it. A key that this changed is invalid.
        guard link.port == nil, let host = link.host, link.spelling == nil || !hasCapitalsInHost(link) else {
            throw .key(.encoding)
        }
        let owner: PubkyKey
        do { owner = try PubkyKey(bare: host) } catch { throw .key(error) }
        if ["/public/paykit", "/public/slashpay", "/slashpay/"].contains(where: { link.path.hasPrefix($0) }) {
            return .otherGeneration("the first generation (slashtags)")
        }
        return .payee(owner)
    }

    private static func hasCapitalsInHost(_ link: PaymentLink) -> Bool {
        guard let spelling = link.spelling, let host = link.host else { return false }
        return !spelling.contains(host)
    }

    private static func paykit(_ link: PaymentLink) throws(PaykitLinkDefect) -> PaykitLink {
        let values = LinkValues(link, plusIsSpace: true)
        switch link.path {
        case "request":
            let from = try values.required("from")
            guard from.hasPrefix("pubky://") else { throw .parameter("from") }
            let (id, sender) = (try values.required("request_id"), try key(from))
            func has(_ name: String) -> Bool { link.queryItems.contains { $0.name == Substring(name) } }
            guard has("app") else { return .request(id: id, from: sender) }
            guard let app = PaykitReceiverPath(try values.required("app")) else { throw .parameter("app") }
            let recurs = has("recurs") ? try values.required("recurs") : "false"
            guard ["true", "false"].contains(recurs) else { throw .parameter("recurs") }
            guard let request = PaykitRequestURL(id, from: sender, app: app, recurs: recurs == "true") else {
                throw .parameter("request_id")
            }
            return .privateRequest(request)
        case "invoice":
            let method = try values.required("method")
            guard PaykitEndpoint.isMethod(method) else { throw .parameter("method") }
            return .invoice(PaykitEndpoint(methodID: method, endpoint: try values.required("data")))
        default:
            guard link.path.utf8.count == PubkyKey.textLength else { throw .form }
            return .payee(try key(link.path))
        }
    }
}

/// The defect of a Paykit link that cannot be used.
@nonexhaustive
public enum PaykitLinkDefect: Error, Sendable, Hashable, CustomStringConvertible {
    /// It names no user.
    case key(PubkyKeyDefect)
    /// It is neither a request, nor an invoice, nor a user.
    case form
    /// The parameter of this name is missing, duplicated or malformed.
    case parameter(String)

    /// One sentence for people.
    public var description: String {
        switch self {
        case .key(let defect): "\(defect)"
        case .form: "a paykit: link is paykit:request?…, paykit:invoice?… or a user's key"
        case .parameter("from"): "a payment request names its sender once, as from=pubky://…"
        case .parameter(let name): "the link's parameter '\(name)' is missing, doubled or malformed"
        }
    }
}

/// A link to a request over a private link (Protocol 12.9). This device makes it for its own router, which finds the
/// amount and all else in the stored state of the private link.
///
/// `paykit:request?request_id=…&from=pubky://…&app=bitkit/wallet`, and `&recurs=true` for a recurring request.
public struct PaykitRequestURL: Sendable, Hashable {
    /// The request's id in its normal form: lower case.
    public let id: String
    /// The user that asks.
    public let payee: PubkyKey
    /// The payee's app that asks.
    public let app: PaykitReceiverPath
    /// True if each period is a separate payment.
    public let recurs: Bool

    /// Creates a link; nil if the id is malformed.
    public init?(_ id: String, from payee: PubkyKey, app: PaykitReceiverPath, recurs: Bool) {
        guard let id = EventID.normal(id) else { return nil }
        self.id = id
        self.payee = payee
        self.app = app
        self.recurs = recurs
    }

    /// The link's text, as routers accept it.
    public var text: String {
        "paykit:request?request_id=\(id)&from=pubky://\(payee)&app=\(app)\(recurs ? "&recurs=true" : "")"
    }

    /// The payment's reference, the same for every spelling of the link. For a recurring request it identifies the
    /// payee: each period is a separate payment.
    var reference: String { "\(payee)/\(app)/request/\(id)" }
}

/// The meaning of Paykit's links to a router (Protocol 1.4 to 1.6).
enum PayableLink {
    /// Returns the reference and the trust of `link`; nil when it cannot be used.
    static func match(_ link: PaymentLink, _ reader: any InstructionReader, _ callbacks: [String]) -> LinkMatch? {
        if isCallback(link, callbacks) { return LinkMatch(nil, role: .callback, holdsSecret: true) }
        // A payment standard rejects this link and reports which part of it is wrong.
        if case .defective = reader.read(link) { return nil }
        guard let meaning = (try? PaykitLink.read(link)).flatMap(\.self) else { return nil }
        switch meaning {
        case .payee(let key): return LinkMatch(.payee(key.text), holdsSecret: false)
        case .invoice(let endpoint): return invoice(endpoint, reader)
        // An id is any text. Encoded, it cannot pass for an app's path, nor for another Unicode form of itself.
        case .request(let id, let sender):
            return LinkMatch(.payment("\(sender)/request/\(PercentCoding.encode(id))"), holdsSecret: false)
        case .privateRequest(let request):
            return LinkMatch(
                request.recurs ? .payee(request.reference) : .payment(request.reference), holdsSecret: false)
        case .authorization, .keyManager: return LinkMatch(nil, role: .authorization, holdsSecret: true)
        case .otherGeneration(let word):
            return LinkMatch(
                nil, trust: .unverified(reason: "it is of \(word) of Paykit, which cannot be paid here"),
                holdsSecret: holdsKey(link))
        }
    }

    /// Links to private endpoints of the first generation contain the key that opens them.
    private static func holdsKey(_ link: PaymentLink) -> Bool { link.fragment?.hasPrefix("encryptionKey=") == true }

    /// Returns a match with the same reference as the same endpoint in any other link.
    private static func invoice(_ endpoint: PaykitEndpoint, _ reader: any InstructionReader) -> LinkMatch {
        LinkMatch(settling: EndpointOffers.offers(of: endpoint, reader))
            ?? LinkMatch(
                nil, trust: .unverified(reason: "its endpoint is not sound, or of no kind that is known"),
                holdsSecret: false)
    }

    private static func isCallback(_ link: PaymentLink, _ callbacks: [String]) -> Bool {
        callbacks.contains { callback in
            guard let known = try? PaymentLink(callback) else { return false }
            return known.scheme == link.scheme && known.host == link.host && known.path == link.path
        }
    }
}

/// The values in a link's query, each decoded once.
struct LinkValues {
    private let link: PaymentLink
    private let plusIsSpace: Bool

    /// - Parameter plusIsSpace: true if a plus sign is a space, as in forms; otherwise it stays a plus sign.
    init(_ link: PaymentLink, plusIsSpace: Bool = false) {
        self.link = link
        self.plusIsSpace = plusIsSpace
    }

    /// Returns the value called `name`, which may be empty; nil if it is missing. Throws
    /// ``PaykitLinkDefect/parameter(_:)`` if it occurs twice or cannot be decoded: readers would disagree.
    func whole(_ name: String) throws(PaykitLinkDefect) -> String? {
        let values = link.queryItems.filter { $0.name == Substring(name) }
        guard values.count <= 1 else { throw .parameter(name) }
        guard let first = values.first else { return nil }
        guard let text = PercentCoding.decode(first.value, plusIsSpace: plusIsSpace) else { throw .parameter(name) }
        return text
    }

    /// The value called `name`; nil if it is missing or empty. Throws as ``whole(_:)``.
    subscript(_ name: String) -> String? {
        get throws(PaykitLinkDefect) {
            guard let text = try whole(name), !text.isEmpty else { return nil }
            return text
        }
    }

    /// Returns the value called `name`. Throws as ``whole(_:)``, and if it is missing or empty.
    func required(_ name: String) throws(PaykitLinkDefect) -> String {
        guard let value = try self[name] else { throw .parameter(name) }
        return value
    }

    func first(_ names: String...) throws(PaykitLinkDefect) -> String? {
        for name in names { if let value = try self[name] { return value } }
        return nil
    }
}
