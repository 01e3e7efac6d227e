/// Both sides of the links between apps and the user's key manager (Protocol 1.6).
extension PaykitClient {
    /// Creates a question to the key manager: open its ``KeyManagerLink/text``, keep it, and read the URL that opens
    /// this app again with ``KeyManagerAnswer``. For the guide's own link ask for `guidesSession`; current key managers
    /// know `session`.
    ///
    /// - Parameters:
    ///   - question: the kind of question.
    ///   - callback: an address that opens this app.
    ///   - app: this app's name.
    /// - Throws: ``PaykitError`` when the callback is not an address.
    public nonisolated func ask(
        keyManagerFor question: KeyManagerLink.Question = .session, callback: String, app: String? = nil
    ) throws -> KeyManagerLink {
        do { return try KeyManagerLink(asking: question, callback: callback, app: app, random: random) } catch {
            throw PaykitError(.validationFailed, "the key manager cannot be asked: \(error)")
        }
    }

    /// Takes over the session that an answer brings, once its homeserver confirms it. That does not make it the user's:
    /// with another user's session this app would publish in their name. So pass the expected user, or show the
    /// session's user to the user. `answer` is the key manager's answer to this app's own question. `pubkey` is the
    /// expected user, in any form that a key has; nil for any user.
    ///
    /// - Returns: the user of the session.
    /// - Throws: ``PaykitError``; nothing is taken over then.
    @discardableResult
    public func importSession(from answer: KeyManagerAnswer, expecting pubkey: String? = nil) async throws -> PubkyKey {
        let (exported, user) = try await mappingErrors {
            switch answer.content {
            case .session(let exported, let user, _):
                guard try pubkey.map(Self.key) ?? user == user else {
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

    /// Answers another app's question, as a key manager does. A session is given only when the configuration's
    /// `consent` has agreed: that app can then act in the user's name. It never hands out signatures and key pairs.
    ///
    /// - Returns: the link to open; it contains the answer's secrets.
    /// - Throws: ``PaykitError`` when this device cannot answer, and the error of the configuration's `consent`; open
    ///   the link of ``cancellation(of:)`` then.
    public func answer(_ question: KeyManagerLink) async throws -> Redacted<String> {
        let content: KeyManagerAnswer.Content
        switch question.question {
        case .session, .guidesSession:
            guard let asked = session else { throw PaykitError.notAuthenticated }
            try await requireConsent(
                .giveSession(
                    PaykitAdmission(
                        app: question.app, asked.capabilities,
                        callbacks: [question.callback, question.errorCallback, question.cancelCallback])))
            // The user may have signed in as another one meanwhile.
            guard let session, session.user == asked.user, session.capabilities == asked.capabilities else {
                throw PaykitError.notAuthenticated
            }
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
                .validationFailed, "keys are not handed out by links, and nothing is signed that others wrote")
        }
        guard let link = question.answer(content) else { throw PaykitError.notAuthenticated }
        return link
    }

    /// Returns the link that reports to another app that the user declined its question.
    public nonisolated func cancellation(of question: KeyManagerLink) -> Redacted<String>? {
        question.answer(.cancelled)
    }

    /// The other app's error code, as far as it may be shown.
    private static func word(_ code: String) -> String {
        code.isWord(1...40, "_") ? code : "no reason given"
    }
}
