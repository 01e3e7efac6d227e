/// A link with an app's question to the user's key manager, Pubky Ring (Protocol 1.6).
///
/// The answer returns as a link to the app (``KeyManagerAnswer``). Any app can forge a link, so a question carries a
/// nonce in its callback, and an answer without the nonce is rejected.
public struct KeyManagerLink: Sendable, Hashable {
    /// The request to the key manager.
    @nonexhaustive
    public enum Question: Sendable, Hashable {
        /// A session of the user, as the key manager has one.
        case session
        /// The same, in the form of Paykit's guide. No released key manager supports it.
        case guidesSession
        /// Keys and a session for a device, left sealed on the user's homeserver.
        case handoff(deviceID: String, ephemeralKey: [UInt8], includesNextEpoch: Bool)
        /// The profile of `user`; nil for the key manager's own user.
        case profile(of: PubkyKey?)
        /// The users that the key manager's user follows.
        case follows
        /// A signature over a text. This library never provides one: the text could be a token.
        case signature(of: String)
        /// A device's key pair, in the clear. This library never provides one.
        case keyPair(deviceID: String, epoch: UInt32)
    }

    /// The request to the key manager.
    public let question: Question
    /// The app's own, unverified name.
    public let app: String?
    /// The app's address for the answer. It only hints at the app that asks.
    public let callback: String
    /// The address for failures; nil for ``callback``.
    public let errorCallback: String?
    /// The address for a cancellation by the user; nil for ``errorCallback``.
    public let cancelCallback: String?
    let nonce: String?

    /// Asks a question.
    ///
    /// - Parameters:
    ///   - question: the request to the key manager.
    ///   - callback: an address that opens this app, such as `bitkit://paykit-session`.
    ///   - app: this app's name.
    ///   - random: the source of the nonce. If it is predictable, answers can be forged.
    /// - Throws: ``PaykitLinkDefect/parameter(_:)`` when the callback is not a usable link.
    public init(
        asking question: Question, callback: String, app: String? = nil, random: any RandomSource
    ) throws(PaykitLinkDefect) {
        try Self.check(callback: callback, "callback")
        let nonce = random.hex(32)
        self.question = question
        self.app = app
        self.callback = Self.extended(callback, [("nonce", nonce)])
        self.nonce = nonce
        errorCallback = nil
        cancelCallback = nil
    }

    private static let actions: Set<Substring> = [
        "session", "auth", "paykit-connect", "get-profile", "get-follows", "sign-message", "derive-keypair",
    ]

    /// Returns true if `link` is a question that only a key manager can answer.
    static func isOne(_ link: PaymentLink) -> Bool {
        link.scheme == "pubkyring" && link.host.map(actions.contains) ?? false
    }

    /// Reads a link of the scheme `pubkyring`.
    ///
    /// - Throws: ``PaykitLinkDefect``.
    public init(_ link: PaymentLink) throws(PaykitLinkDefect) {
        guard link.scheme == "pubkyring", let host = link.host, link.path.isEmpty || link.path == "/" else {
            throw .form
        }
        let values = LinkValues(link)
        switch host {
        case "session": question = .session
        case "auth": question = .guidesSession
        case "paykit-connect":
            guard let key = Hex.decode(try values.required("ephemeralPk")), key.count == 32 else {
                throw .parameter("ephemeralPk")
            }
            question = .handoff(
                deviceID: try values.required("deviceId"), ephemeralKey: key,
                includesNextEpoch: try values["includeEpoch1"] != "false")
        case "get-profile":
            let user = try values["pubkey"]
            question = .profile(of: user.flatMap { try? PubkyKey($0) })
            if user != nil, question == .profile(of: nil) { throw .parameter("pubkey") }
        case "get-follows": question = .follows
        case "sign-message": question = .signature(of: try values.required("message"))
        case "derive-keypair":
            guard let epoch = UInt32(try values["epoch"] ?? "0") else { throw .parameter("epoch") }
            question = .keyPair(deviceID: try values.required("deviceId"), epoch: epoch)
        default: throw .form
        }
        app = try values.first("x-source", "app")
        guard let success = try values.first("x-success", "callback") else { throw .parameter("callback") }
        callback = success
        errorCallback = try values["x-error"]
        cancelCallback = try values["x-cancel"]
        for (name, text) in [("callback", callback), ("x-error", errorCallback), ("x-cancel", cancelCallback)] {
            if let text { try Self.check(callback: text, name) }
        }
        nonce = (try? PaymentLink(callback)).flatMap { try? LinkValues($0)["nonce"] }
    }

    /// The link's text: opening it starts the key manager.
    public var text: String {
        let (action, items): (String, [(String, String?)]) =
            switch question {
            case .session: ("session", [])
            case .guidesSession: ("auth", [])
            case .handoff(let device, let key, let includesNext):
                (
                    "paykit-connect",
                    [("deviceId", device), ("ephemeralPk", Hex.encode(key)), ("includeEpoch1", "\(includesNext)")]
                )
            case .profile(let user): ("get-profile", [("pubkey", user?.text)])
            case .follows: ("get-follows", [])
            case .signature(let message): ("sign-message", [("message", message)])
            case .keyPair(let device, let epoch): ("derive-keypair", [("deviceId", device), ("epoch", "\(epoch)")])
            }
        let addresses = [
            ("callback", callback), ("x-error", errorCallback), ("x-cancel", cancelCallback), ("app", app),
        ]
        return Self.extended("pubkyring://\(action)", items + addresses)
    }

    // MARK: Addresses

    /// Checks that a callback opens an app or a page, and exposes the answer nowhere else.
    private static func check(callback: String, _ name: String) throws(PaykitLinkDefect) {
        guard let link = try? PaymentLink(callback), link.form == .web, !link.isPlainHTTP, link.fragment == nil else {
            throw .parameter(name)
        }
    }

    static func extended(_ address: String, _ items: [(name: String, value: String?)]) -> String {
        let query = items.compactMap { name, value in value.map { "\(name)=\(PercentCoding.encode($0))" } }
            .joined(separator: "&")
        guard !query.isEmpty else { return address }
        return "\(address)\(address.contains("?") ? "&" : "?")\(query)"
    }
}

/// A key manager's answer to a ``KeyManagerLink`` (Protocol 1.6): a hint, never a proof.
///
/// A session in it is valid only if its homeserver accepts it, and belongs to the user only if they confirm it.
public struct KeyManagerAnswer: Sendable, Hashable {
    /// The content of an answer.
    @nonexhaustive
    public enum Content: Sendable, Hashable {
        /// A session, as ``PubkySession/exported`` has it, and its claimed capabilities.
        case session(Redacted<String>, of: PubkyKey, [PubkyCapability])
        /// The place of sealed keys and a session on the user's homeserver.
        case handoff(from: PubkyKey, requestID: String)
        /// A user's profile.
        case profile(name: String?, bio: String?, image: String?)
        /// The users that a user follows.
        case follows([PubkyKey])
        /// A failure, with the key manager's code and reason.
        case failure(code: String, message: String?)
        /// The user declined.
        case cancelled
    }

    /// The content of the answer.
    public let content: Content

    /// The error code of a cancellation if the question has no address for it.
    static let cancelled = "CANCELLED"

    /// Reads the answer to `question`. `link` is the link that the key manager opened. `question` is the question that
    /// was asked. An answer to another question is rejected.
    ///
    /// - Throws: ``PaykitLinkDefect``: `form` if the link does not answer this question, for example without its nonce.
    public init(_ link: PaymentLink, to question: KeyManagerLink) throws(PaykitLinkDefect) {
        let values = LinkValues(link)
        func isAt(_ address: String?) -> Bool {
            guard let address, let other = try? PaymentLink(address) else { return false }
            return link.scheme == other.scheme && link.host == other.host && link.path == other.path
                && link.port == other.port
        }
        let isHome = isAt(question.callback)
        if isHome, let nonce = question.nonce { guard try values["nonce"] == nonce else { throw .form } }
        if !isHome, isAt(question.cancelCallback) {
            content = .cancelled
            return
        }
        if isHome || isAt(question.errorCallback), let code = try values.first("errorCode", "error") {
            content = code == Self.cancelled ? .cancelled : .failure(code: code, message: try values["errorMessage"])
            return
        }
        guard isHome else { throw .form }
        content = try Self.content(values, question.question)
    }

    private static func content(
        _ values: LinkValues, _ question: KeyManagerLink.Question
    ) throws(PaykitLinkDefect) -> Content {
        func user() throws(PaykitLinkDefect) -> PubkyKey {
            guard let text = try values.first("pubky", "pubkey") else { throw .parameter("pubky") }
            do { return try PubkyKey(text) } catch { throw .key(error) }
        }
        switch question {
        case .session:
            let secret = try values.required("session_secret")
            let capabilities: [PubkyCapability]
            do { capabilities = try PubkyCapability.list(try values["capabilities"] ?? "") } catch {
                throw .parameter("capabilities")
            }
            return try session(secret, of: user(), capabilities)
        case .guidesSession:
            let secret = try values.required("session")
            return try session(secret, of: nil, [])
        case .handoff:
            guard try values["mode"] == "secure_handoff" else { throw .parameter("mode") }
            guard let id = try values["request_id"], id.utf8.count == 64, Hex.decode(id) != nil else {
                throw .parameter("request_id")
            }
            return .handoff(from: try user(), requestID: id.lowercased())
        case .profile:
            return .profile(
                name: try values["name"], bio: try values["bio"], image: try values.first("image", "avatar"))
        case .follows:
            let names = try values["follows"]?.split(separator: ",") ?? []
            let keys = names.compactMap { try? PubkyKey($0) }
            guard keys.count == names.count else { throw .parameter("follows") }
            return .follows(keys)
        // These are never requested: a signature or a key pair must not pass through a link.
        case .signature, .keyPair: throw .form
        }
    }

    private static func session(
        _ secret: String, of user: PubkyKey?, _ capabilities: [PubkyCapability]
    ) throws(PaykitLinkDefect) -> Content {
        let exported = Redacted(secret)
        guard let (owner, _) = try? PubkySession.read(exported), user == nil || user == owner else {
            throw .parameter("session_secret")
        }
        return .session(exported, of: owner, capabilities)
    }
}

// MARK: - The key manager's side

extension KeyManagerLink {
    /// Returns the link that delivers `content` to the app that asked. Ask the user first, and show ``app`` and
    /// ``callback`` as unverified claims. The link contains the content itself: open it, and never log it.
    ///
    /// - Returns: the link; nil if the content does not answer the question.
    public func answer(_ content: KeyManagerAnswer.Content) -> Redacted<String>? {
        let items: [(String, String?)]
        var address = callback
        switch (question, content) {
        case (.session, .session(let exported, let user, let capabilities)):
            items = [
                ("pubky", user.text), ("session_secret", exported.reveal()),
                ("capabilities", capabilities.map(\.text).joined(separator: ",")),
            ]
        case (.guidesSession, .session(let exported, _, _)): items = [("session", exported.reveal())]
        case (.handoff, .handoff(let user, let id)):
            items = [("pubky", user.text), ("request_id", id), ("mode", "secure_handoff")]
        case (.profile, .profile(let name, let bio, let image)):
            items = [("name", name), ("bio", bio), ("image", image)]
        case (.follows, .follows(let keys)): items = [("follows", keys.map(\.text).joined(separator: ","))]
        case (_, .failure(let code, let message)):
            address = errorAddress
            items = [("errorCode", code), ("errorMessage", message)]
        case (_, .cancelled):
            address = cancelCallback ?? errorAddress
            items = cancelCallback == nil ? [("errorCode", KeyManagerAnswer.cancelled)] : []
        default: return nil
        }
        return Redacted(Self.extended(address, items))
    }

    private var errorAddress: String { errorCallback ?? callback }
}
