import PaymentCrypto

/// A link with one device's request to another to sign it in (Protocol 1.5 and 10.7). It holds a secret: never log it,
/// and show it only as the code to scan.
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

    /// Reads a link of the scheme `pubkyauth`, or of `pubkyring` if both mean the same.
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

/// The addresses that a key manager opens after an authorisation (Protocol 10.7).
///
/// An opened callback proves nothing: only the relay shows what was authorised. The other side chooses the address: ask
/// the user before opening it.
public struct PubkyCallbacks: Sendable, Hashable {
    /// The app's own, unverified name.
    public let source: String?
    /// The address for an authorised app.
    public let success: String?
    /// The address for a failure.
    public let error: String?
    /// The address for a cancellation by the user.
    public let cancel: String?

    /// Creates callbacks.
    public init(source: String? = nil, success: String? = nil, error: String? = nil, cancel: String? = nil) {
        self.source = source
        self.success = success
        self.error = error
        self.cancel = cancel
    }

    /// Reads callbacks from a link's query: the first item of a name counts, and each is decoded once. A value that
    /// cannot be decoded stays as written.
    init(_ items: QueryItems) {
        func value(_ name: String) -> String? {
            items.first { $0.name == Substring(name) }.map { PercentCoding.decode($0.value) ?? String($0.value) }
        }
        self.init(
            source: value("x-source"), success: value("x-success") ?? value("callback"), error: value("x-error"),
            cancel: value("x-cancel"))
    }

    /// The items of a link's query, encoded as JavaScript's encodeURIComponent does.
    var items: [String] {
        [("x-source", source), ("x-success", success), ("x-error", error), ("x-cancel", cancel)].compactMap {
            name, value in
            value.map {
                "\(name)="
                    + PercentCoding.encode($0) { $0.isASCIILetter || $0.isASCIIDigit || "-_.!~*'()".utf8.contains($0) }
            }
        }
    }

    /// The outcome of an authorisation, for the app that asked.
    @nonexhaustive
    public enum Ending: Sendable, Hashable {
        /// The app was authorised.
        case success
        /// A failure, with a machine-readable code and a sentence for people.
        case failure(code: String, message: String)
        /// The user declined.
        case cancelled
    }

    /// Returns the address to open; nil if the app named no address, or one that runs or shows content here instead of
    /// opening an app or page.
    public func link(after ending: Ending) -> PaymentLink? {
        let text: String?
        switch ending {
        case .success: text = success
        case .cancelled: text = cancel
        case .failure(let code, let message):
            text = error.map { KeyManagerLink.extended($0, [("errorCode", code), ("errorMessage", message)]) }
        }
        guard let text, let link = try? PaymentLink(text), let scheme = link.scheme,
            !["javascript", "data", "file", "about", "blob", "vbscript"].contains(scheme)
        else { return nil }
        return link
    }
}

// MARK: - The relay

/// Both sides of an authorisation through a relay (Protocol 1.7).
package struct PubkyAuthorization: Sendable {
    private let http: any HTTPTransport

    package static let maximumLength = 2048

    package init(over http: any HTTPTransport) { self.http = http }

    /// Draws the secret of a new link. If it is predictable, others can read the token.
    package static func secret(_ random: any RandomSource) -> Redacted<[UInt8]> {
        Redacted(random.bytes(32))
    }

    package enum Answer: Sendable {
        /// The form for older homeservers (Protocol 3.2).
        case token(AuthToken)
        /// The form for current homeservers (Protocol 10.2).
        case grant(PubkyGrant)

        package var user: PubkyKey {
            switch self {
            case .token(let token): token.key
            case .grant(let grant): grant.issuer
            }
        }
    }

    /// Leaves a token or grant at the relay where the device that showed `link` waits for it.
    package func answer(
        _ link: PubkyAuthorizationLink, with content: [UInt8], _ random: any RandomSource
    ) async throws(PaykitNetworkError) {
        let nonce = random.bytes(24)
        let sealed: [UInt8]
        do {
            guard let secret = link.secret else { throw SodiumError.unavailable }
            sealed = nonce + (try SecretBox.seal(content, key: secret.reveal(), nonce: nonce))
        } catch {
            throw PaykitNetworkError(.validationFailed, "the answer cannot be sealed: \(error)")
        }
        try require(
            sealed.count <= Self.maximumLength, .validationFailed,
            "the link asks for so much that the answer does not fit through a relay")
        let response = try await send(.post, link, body: sealed)
        guard 200...299 ~= response.status else {
            throw PaykitNetworkError(
                response.status == 408 ? .connectionTimeout : .transport,
                response.status == 408
                    ? "this authorisation is no longer awaited: have the code shown again"
                    : "the relay refused the authorisation (status \(response.status))")
        }
    }

    /// Waits once for the answer to `link`; nil if the relay ended the wait without one, and may be asked again. Throws
    /// `invalidCredentials` if the message there was not made by a signer with this secret.
    package func wait(for link: PubkyAuthorizationLink, _ holdTime: Duration) async throws(PaykitNetworkError)
        -> Answer?
    {
        let response = try await send(.get, link, timeout: holdTime)
        if [404, 408].contains(response.status) { return nil }
        try require(response.status == 200, .transport, "the relay failed (status \(response.status)); try again later")
        guard response.body.count > SecretBox.nonceLength, let secret = link.secret,
            let bytes = try? SecretBox.open(
                Array(response.body.dropFirst(SecretBox.nonceLength)), key: secret.reveal(),
                nonce: Array(response.body.prefix(SecretBox.nonceLength))), let answer = Self.read(bytes)
        else {
            throw PaykitNetworkError(
                .invalidCredentials, "what was left at the relay is no authorisation; show a new code")
        }
        // An inbox keeps a message until it is deleted. A failed deletion does no harm.
        if link.isInbox { _ = try? await send(.delete, link) }
        return answer
    }

    /// Returns the answer. Its kind follows from its content, not from the request.
    private static func read(_ bytes: [UInt8]) -> Answer? {
        if let token = try? AuthToken(parsing: bytes) { return .token(token) }
        guard SignedToken.isLikely(bytes) else { return nil }
        return (try? PubkyGrant(parsing: String(decoding: bytes, as: UTF8.self))).map { .grant($0) }
    }

    private func send(
        _ method: HTTPRequest.Method, _ link: PubkyAuthorizationLink, body: [UInt8] = [],
        timeout: Duration = .seconds(30)
    ) async throws(PaykitNetworkError) -> HTTPResponse {
        guard let channel = link.channel, let url = try? link.relay?.appending([channel]) else {
            throw PaykitNetworkError(.validationFailed, "the link names no relay")
        }
        do {
            var request = HTTPRequest(method, url, body: body, timeout: timeout, responseLimit: 1 << 16)
            request.reachesPrivateNetworks = false
            return try await http.send(request)
        } catch { throw PaykitNetworkError(error) }
    }
}
