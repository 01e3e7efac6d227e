import PaymentCrypto

/// A link by which an app asks the user's key manager, Pubky Ring, a question (Protocol 1.6).
///
/// The answer returns as a link to the app (``KeyManagerAnswer``). Any app can forge a link, so a question carries a
/// nonce in its callback, and an answer without the nonce is rejected.
public struct KeyManagerLink: Sendable, Hashable {
    /// The request to the key manager.
    @nonexhaustive
    public enum Question: Sendable, Hashable {
        /// A session of the user, as the key manager has one.
        case session
        /// The same, in the form of Paykit's guide; no released key manager supports it.
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
