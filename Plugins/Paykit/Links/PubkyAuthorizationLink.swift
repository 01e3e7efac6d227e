public import PaymentCore
import PaymentCrypto

/// A link by which one device asks another to sign it in (Protocol 1.5). Holds a secret: it is never logged or shown but
/// as the code that is meant to be scanned.
public struct PubkyAuthorizationLink: Sendable, Hashable {
    /// What is asked for.
    @nonexhaustive
    public enum Intent: String, Sendable, Hashable {
        /// A session of an existing user.
        case signIn = "signin"
        /// A new user at a homeserver.
        case signUp = "signup"
        /// The user's own secret. Nothing here ever gives it.
        case secretExport = "secret_export"
    }

    /// What is asked for.
    public let intent: Intent
    /// What the session may do.
    public let capabilities: [PubkyCapability]
    /// Where the answer is left.
    public let relay: HTTPURL?
    /// At which homeserver a new user is made.
    public let homeserver: PubkyKey?
    /// What that homeserver wants of new users.
    public let signUpToken: Redacted<String>?
    let secret: Redacted<[UInt8]>

    package init(
        _ intent: Intent, _ capabilities: [PubkyCapability], relay: HTTPURL, secret: Redacted<[UInt8]>
    ) {
        self.intent = intent
        self.capabilities = capabilities
        self.relay = relay
        self.secret = secret
        homeserver = nil
        signUpToken = nil
    }

    /// Reads a link of the scheme `pubkyauth`, or of `pubkyring` where that says the same.
    ///
    /// - Throws: ``PaykitLinkDefect``.
    public init(_ link: PaymentLink) throws(PaykitLinkDefect) {
        let word = link.host.map(String.init) ?? link.path.prefix { $0 != "/" }.description
        guard let intent = word.isEmpty ? .signIn : Intent(rawValue: word) else { throw .form }
        self.intent = intent
        func value(_ name: String) throws(PaykitLinkDefect) -> String? {
            let values = link.queryItems.filter { $0.name == Substring(name) }
            guard values.count <= 1 else { throw .parameter(name) }
            guard let first = values.first else { return nil }
            guard let text = PercentCoding.decode(first.value) else { throw .parameter(name) }
            return text
        }
        guard let bytes = try value("secret").flatMap({ Base64URL.decode($0) }), bytes.count == 32 else {
            throw .parameter("secret")
        }
        secret = Redacted(bytes)
        do { capabilities = try PubkyCapability.list(try value("caps") ?? "") } catch { throw .parameter("caps") }
        if let text = try value("relay") {
            guard let url = try? HTTPURL(service: text) else { throw .parameter("relay") }
            relay = url
        } else {
            guard intent == .secretExport else { throw .parameter("relay") }
            relay = nil
        }
        let server = try value("hs")
        homeserver = server.flatMap { try? PubkyKey($0) }
        guard (server == nil) == (homeserver == nil), intent != .signUp || homeserver != nil else {
            throw .parameter("hs")
        }
        signUpToken = try value("st").map { Redacted($0) }
    }

    /// The link's text, to be shown as a code.
    public var text: Redacted<String> {
        var text = "pubkyauth://\(intent.rawValue)?caps=\(Self.encoded(PubkyCapability.text(capabilities)))"
        if let relay { text += "&relay=\(Self.encoded(relay.text))" }
        if let homeserver { text += "&hs=\(homeserver)" }
        if let signUpToken { text += "&st=\(Self.encoded(signUpToken.reveal()))" }
        return Redacted(text + "&secret=" + Base64URL.encode(secret.reveal()))
    }

    /// As other apps write the values: slashes, colons and commas stay.
    private static func encoded(_ value: String) -> String {
        PercentCoding.encode(value) { $0.isASCIILetter || $0.isASCIIDigit || "-_.~/:,".utf8.contains($0) }
    }

    /// The channel of the relay at which the answer is left.
    package var channel: String { Base64URL.encode(BLAKE3.hash(secret.reveal())) }
}
