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

    /// The error code of a cancellation where the question has no address for it.
    static let cancelled = "CANCELLED"

    /// Reads the answer to `question`. `link` is the link that the key manager opened. `question` is the question that
    /// was asked; an answer to another question is rejected.
    ///
    /// - Throws: ``PaykitLinkDefect``: `form` for no answer to this question, for example without its nonce.
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
        // These are never requested in earnest: a signature or key pair must not pass through a link.
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

// MARK: The key manager's side

extension KeyManagerLink {
    /// Returns the link that delivers `content` to the app that asked. Ask the user first, and show ``app`` and
    /// ``callback`` as unverified claims. The link contains the content itself: open it, and never log it.
    ///
    /// - Returns: the link; nil where the content does not answer the question.
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
