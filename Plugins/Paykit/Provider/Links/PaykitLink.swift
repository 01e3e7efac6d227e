import PaymentCrypto

/// The meaning of a Paykit link (Protocol 1.4 to 1.6).
@nonexhaustive
public enum PaykitLink: Sendable, Hashable {
    /// A payment to this user.
    case payee(PubkyKey)
    /// A payment for this user's request of this id, which they keep.
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
        // The scanner takes the key for a host and lowercases it; a key that this changed is invalid.
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
