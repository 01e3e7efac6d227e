import PaymentCrypto

/// A link by which one device asks another to sign it in (Protocol 1.5 and 10.7). It holds a secret: never log it, and
/// show it only as the code to scan.
public struct PubkyAuthorizationLink: Sendable, Hashable {
    /// The kind of authorisation.
    @nonexhaustive
    public enum Intent: String, Sendable, Hashable, CaseIterable {
        /// A session of an existing user.
        case signIn = "signin"
        /// A new user at a homeserver.
        case signUp = "signup"
        /// A grant of an existing user, for the key of the app that asks.
        case signInGrant = "signin_grant"
        /// A new user at a homeserver, and a grant.
        case signUpGrant = "signup_grant"
        /// A new user at a homeserver, and nothing for the app that asks.
        case directSignUp = "direct_signup"
        /// The user's own secret. This library never provides it.
        case secretExport = "secret_export"

        /// True if the request authorises an app, which must name its capabilities and its relay.
        var isForApp: Bool { ![.directSignUp, .secretExport].contains(self) }
        var isGrant: Bool { [.signInGrant, .signUpGrant].contains(self) }
        var isSignUp: Bool { [.signUp, .signUpGrant, .directSignUp].contains(self) }
    }

    /// The kind of authorisation.
    public let intent: Intent
    /// The capabilities of the session.
    public let capabilities: [PubkyCapability]
    /// The relay for the answer.
    public let relay: HTTPURL?
    /// The homeserver of a new user.
    public let homeserver: PubkyKey?
    /// The token that the homeserver demands from new users.
    public let signUpToken: Redacted<String>?
    /// The name of the app that asks for a grant, by its own unverified claim.
    public let clientID: String?
    /// The key of the app that asks for a grant.
    public let clientKey: PubkyKey?
    /// The addresses that the key manager opens afterwards.
    public let callbacks: PubkyCallbacks
    let secret: Redacted<[UInt8]>?
    /// The seed of ``clientKey``; only the app that asks has it.
    private let seed: Redacted<[UInt8]>?

    package init(
        _ intent: Intent, _ capabilities: [PubkyCapability], relay: HTTPURL, secret: Redacted<[UInt8]>,
        clientID: String? = nil, clientKey: PubkyKey? = nil, seed: Redacted<[UInt8]>? = nil,
        callbacks: PubkyCallbacks = PubkyCallbacks()
    ) {
        self.intent = intent
        self.capabilities = capabilities
        self.relay = relay
        self.secret = secret
        self.clientID = clientID
        self.clientKey = clientKey
        self.seed = seed
        self.callbacks = callbacks
        homeserver = nil
        signUpToken = nil
    }

    package init?(
        asking capabilities: [PubkyCapability], as clientID: String, relay: HTTPURL, secret: Redacted<[UInt8]>,
        seed: Redacted<[UInt8]>, callbacks: PubkyCallbacks = PubkyCallbacks()
    ) {
        guard let client = try? PubkyKeyPair(seed: seed.reveal()) else { return nil }
        self.init(
            .signInGrant, capabilities, relay: relay, secret: secret, clientID: clientID, clientKey: client.publicKey,
            seed: seed, callbacks: callbacks)
    }

    /// Reads a link of the scheme `pubkyauth`, or of `pubkyring` where both mean the same.
    ///
    /// - Throws: ``PaykitLinkDefect``.
    public init(_ link: PaymentLink) throws(PaykitLinkDefect) {
        let word = link.host.map(String.init) ?? link.path.prefix { $0 != "/" }.description
        guard let intent = word.isEmpty ? .signIn : Intent(rawValue: word) else { throw .form }
        self.intent = intent
        let values = LinkValues(link, plusIsSpace: true)
        let bytes = try values.whole("secret").flatMap { Base64URL.decode($0) }
        guard bytes?.count == 32 || intent == .directSignUp && bytes == nil else { throw .parameter("secret") }
        secret = bytes.map { Redacted($0) }
        guard let list = try values.whole("caps") ?? (intent.isForApp ? nil : "") else { throw .parameter("caps") }
        do { capabilities = try PubkyCapability.list(list) } catch { throw .parameter("caps") }
        if let text = try values.whole("relay") {
            guard let url = try? HTTPURL(service: text) else { throw .parameter("relay") }
            relay = url
        } else {
            guard !intent.isForApp else { throw .parameter("relay") }
            relay = nil
        }
        let server = try values.whole("hs")
        homeserver = server.flatMap { try? PubkyKey($0) }
        guard (server == nil) == (homeserver == nil), !intent.isSignUp || homeserver != nil else {
            throw .parameter("hs")
        }
        signUpToken = try values.whole("st").map { Redacted($0) }
        let (name, key) = (try values.whole("cid"), try values.whole("cpk"))
        clientID = intent.isGrant ? name : nil
        guard !intent.isGrant || clientID.map(PubkyGrant.isClientID) == true else { throw .parameter("cid") }
        clientKey = intent.isGrant ? key.flatMap { try? PubkyKey(bare: $0) } : nil
        guard !intent.isGrant || clientKey != nil else { throw .parameter("cpk") }
        callbacks = PubkyCallbacks(link.queryItems)
        seed = nil
    }

    /// The link's text, to be shown as a code.
    public var text: Redacted<String> {
        let caps = capabilities.map(\.text).joined(separator: ",")
        let items = [
            ("caps", intent.isForApp || !capabilities.isEmpty ? caps : nil), ("relay", relay?.text),
            ("secret", secret.map { Base64URL.encode($0.reveal()) }), ("hs", homeserver?.text),
            ("st", signUpToken?.reveal()), ("cid", clientID), ("cpk", clientKey?.text),
        ]
        let own = items.compactMap { name, value in value.map { "\(name)=\(Self.encoded($0))" } }
        return Redacted("pubkyauth://\(intent.rawValue)?" + (own + callbacks.items).joined(separator: "&"))
    }

    /// Encodes as forms do: letters, digits and `*-._` stay, a space becomes a plus.
    private static func encoded(_ value: String) -> String {
        PercentCoding.encode(value) {
            $0.isASCIILetter || $0.isASCIIDigit || "*-._ ".utf8.contains($0)
        }.replacing(" ", with: "+")
    }

    package var channel: String? { secret.map { Base64URL.encode(BLAKE3.hash($0.reveal())) } }

    /// True if the relay keeps a message until its receipt is acknowledged. Only relays whose path ends with `link` do
    /// not (Protocol 10.8).
    package var isInbox: Bool {
        guard let relay else { return false }
        let path = relay.path.hasSuffix("/") ? relay.path.dropLast() : relay.path[...]
        return !path.hasSuffix("/link")
    }

    /// Returns a grant that answers this link, with its key. Throws `invalidCredentials` for a grant to another app or
    /// key, or an expired one.
    package func held(_ grant: PubkyGrant, at homeserver: PubkyKey, now: UInt64) throws(PaykitNetworkError) -> HeldGrant
    {
        guard let seed, grant.clientKey == clientKey, grant.clientID == clientID, grant.expiresAt > now,
            let held = try? HeldGrant(grant, at: homeserver, seed: seed)
        else {
            throw PaykitNetworkError(
                .invalidCredentials, "what was left at the relay lets in another app, or is over; show a new code")
        }
        return held
    }
}
