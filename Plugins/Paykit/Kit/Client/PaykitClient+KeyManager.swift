public import PaykitProvider
public import PaymentCore

/// Both sides of what apps and the user's key manager tell each other by links (Protocol 1.6).
extension PaykitClient {
    /// Makes a question to the key manager: open its ``KeyManagerLink/text``, keep it, and read what opens this app
    /// again with ``KeyManagerAnswer``. For the guide's own link ask for `guidesSession`; the key managers of today
    /// know `session`.
    ///
    /// - Parameters:
    ///   - question: what is asked for.
    ///   - callback: an address that opens this app.
    ///   - app: this app's name.
    /// - Throws: ``PaykitError`` when the callback is no address.
    public nonisolated func ask(
        keyManagerFor question: KeyManagerLink.Question = .session, callback: String, app: String? = nil
    ) throws -> KeyManagerLink {
        do { return try KeyManagerLink(asking: question, callback: callback, app: app, random: random) } catch {
            throw PaykitError(PaykitNetworkError(.validationFailed, "the key manager cannot be asked: \(error)"))
        }
    }

    /// Takes over the session that an answer brings, once its homeserver says that it is one. That does not make it the
    /// user's: somebody else's session would have this app publish in somebody else's name. So say who is expected, or
    /// show the user who it is.
    ///
    /// - Parameters:
    ///   - answer: what the key manager answered to this app's own question.
    ///   - pubkey: whose session is expected, in any form that a key has; nil for anybody's.
    /// - Returns: whose session it is.
    /// - Throws: ``PaykitError``; nothing is taken over then.
    @discardableResult
    public func importSession(from answer: KeyManagerAnswer, expecting pubkey: String? = nil) async throws -> PubkyKey {
        let (exported, user) = try await mappingErrors { () async throws(PaykitNetworkError) in
            switch answer.content {
            case .session(let exported, let user, _):
                guard try pubkey.map({ name throws(PaykitNetworkError) in try Self.key(name) }) ?? user == user else {
                    throw PaykitNetworkError(
                        .invalidCredentials, "the session is of \(user), and another user's was expected")
                }
                return (exported, user)
            case .failure(let code, _):
                throw PaykitNetworkError(.auth, "the key manager gave no session (\(Self.word(code)))")
            case .cancelled: throw PaykitNetworkError(.auth, "the user did not allow it in the key manager")
            default:
                throw PaykitNetworkError(
                    .validationFailed, "the key manager answered with something else than a session")
            }
        }
        try await importSession(exported)
        return user
    }

    /// Answers another app's question, as a key manager does. Ask the user first: what it brings lets that app act in
    /// the user's name. Signatures and key pairs are never given.
    ///
    /// - Parameter question: what another app asks for.
    /// - Returns: the link to open; it holds what it brings.
    /// - Throws: ``PaykitError`` when this device cannot answer, and what the configuration's `consent` throws; open
    ///   the link of ``cancellation(of:)`` then.
    public func answer(_ question: KeyManagerLink) async throws -> Redacted<String> {
        let content: KeyManagerAnswer.Content
        switch question.question {
        case .session, .guidesSession:
            try await configuration.consent?(.giveSession(app: question.app))
            guard let session else { throw PaykitError.notAuthenticated }
            content = .session(session.exported, of: session.user, session.capabilities)
        case .profile(let asked):
            guard let user = asked ?? user else { throw PaykitError.notAuthenticated }
            let profile = try await profile(pubkey: user.text)
            content = .profile(name: profile.name, bio: profile.bio, image: profile.image)
        case .follows:
            guard let user else { throw PaykitError.notAuthenticated }
            content = .follows(try await follows(pubkey: user.text).compactMap { try? PubkyKey($0.name) })
        default:
            throw PaykitError(
                PaykitNetworkError(
                    .validationFailed, "keys are not handed out by links, and nothing is signed that others wrote"))
        }
        guard let link = question.answer(content) else { throw PaykitError.notAuthenticated }
        return link
    }

    /// The link that tells another app that its question is not answered, because the user said no.
    public nonisolated func cancellation(of question: KeyManagerLink) -> Redacted<String>? {
        question.answer(.cancelled)
    }

    /// Somebody else's word for what went wrong, as far as it may be shown.
    private static func word(_ code: String) -> String {
        let isWord =
            1...40 ~= code.utf8.count
            && code.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "_") }
        return isWord ? code : "no reason given"
    }
}
