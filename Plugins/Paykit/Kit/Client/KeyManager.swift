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

    /// Takes over the session of an answer, once its homeserver confirms it. That does not make it the user's:
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
            // The user may have signed in as another one in the meantime.
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

/// Both sides of a handoff: a sealed file from a key manager for a device, on the user's homeserver (Protocol 1.6).
extension PaykitClient {
    /// A question for a handoff, and the key that opens the answer: keep it until then, and no longer.
    public struct HandoffQuestion: Sendable {
        /// The question: open its ``KeyManagerLink/text``.
        public let link: KeyManagerLink
        let key: Redacted<[UInt8]>
    }

    /// Asks the key manager for a session and keys of this device.
    ///
    /// - Parameters:
    ///   - deviceID: the permanent name of this device.
    ///   - callback: an address that opens this app.
    ///   - app: this app's name.
    /// - Throws: ``PaykitError`` when the callback is not an address.
    public nonisolated func askForHandoff(
        deviceID: String, callback: String, app: String? = nil
    ) throws -> HandoffQuestion {
        let secret = PubkyAuthorization.secret(random)
        let key: [UInt8]
        do { key = try KeyManagerHandoff.KeyPair(epoch: 0, secretKey: secret).publicKey } catch {
            throw PaykitError(error)
        }
        let question = KeyManagerLink.Question.handoff(deviceID: deviceID, ephemeralKey: key, includesNextEpoch: true)
        return HandoffQuestion(link: try ask(keyManagerFor: question, callback: callback, app: app), key: secret)
    }

    /// Takes over the handoff that an answer announces: opens it, tries and uses the session, deletes the file.
    ///
    /// - Parameters:
    ///   - answer: the key manager's answer to `question`.
    ///   - question: the question that was asked.
    ///   - pubkey: the expected user, in any form that a key has; nil for any user. See
    ///     ``importSession(from:expecting:)``.
    /// - Returns: the handoff; store its keys where no other app or user can read them.
    /// - Throws: ``PaykitError``; nothing is taken over then.
    public func takeHandoff(
        _ answer: KeyManagerAnswer, to question: HandoffQuestion, expecting pubkey: String? = nil
    ) async throws -> KeyManagerHandoff {
        let (handoff, file) = try await mappingErrors {
            guard case .handoff(let user, let id) = answer.content,
                case .handoff(let device, _, _) = question.link.question
            else {
                throw PaykitNetworkError(
                    .validationFailed, "the key manager answered with something else than a handoff")
            }
            guard try pubkey.map(Self.key) ?? user == user else {
                throw PaykitNetworkError(
                    .invalidCredentials, "the handoff is of \(user), and another user's was expected")
            }
            guard let file = try? PubkyAddress(user, path: KeyManagerHandoff.path(id)),
                let bytes = try await reader.file(file)
            else { throw PaykitNetworkError(.notFound, "nothing was left for this device; ask the key manager again") }
            let handoff = try KeyManagerHandoff(opening: bytes, of: user, requestID: id, with: question.key)
            try require(
                handoff.deviceID == device, .invalidCredentials, "what was left is for another device than this one")
            try require(
                clock.now < handoff.expiresAt, .sessionExpired,
                "what was left for this device is too old; ask the key manager again")
            return (handoff, file)
        }
        try await importSession(handoff.session)
        // It is sealed, and useless without the key; if it stays, the key manager deletes it.
        if let session, let server = try? await reader.homeserver(of: handoff.user) {
            _ = try? await server.delete(file, session)
        }
        return handoff
    }

    /// Leaves a session and keys for a device, as a key manager, once the configuration's `consent` has agreed.
    ///
    /// - Parameters:
    ///   - question: the device's question.
    ///   - keyPairs: the device's keys, as the key manager derives them from the user's own.
    ///   - noiseSeed: the seed of further keys of the device.
    /// - Returns: the link to open.
    /// - Throws: ``PaykitError`` without a session, or when the question is not for a handoff; the error of the
    ///   configuration's `consent`.
    public func handOff(
        _ question: KeyManagerLink, keyPairs: [KeyManagerHandoff.KeyPair], noiseSeed: Redacted<[UInt8]>? = nil
    ) async throws -> Redacted<String> {
        if case .handoff(let device, _, _) = question.question {
            let capabilities = try await signedIn { session in session.capabilities }
            try await requireConsent(
                .handOff(
                    deviceID: device, PaykitAdmission(app: question.app, capabilities, callbacks: [question.callback])))
        }
        return try await signedIn { session in
            guard case .handoff(let device, let key, _) = question.question else {
                throw PaykitNetworkError(.validationFailed, "that link asks for no handoff")
            }
            let now = clock.now
            let handoff = try KeyManagerHandoff(
                of: session.user, session: session.exported, session.capabilities, to: device, keyPairs: keyPairs,
                noiseSeed: noiseSeed, expiresAt: now.addingTimeInterval(KeyManagerHandoff.lifetime / .seconds(1)))
            let id = random.hex(64)
            guard let file = try? PubkyAddress(session.user, path: KeyManagerHandoff.path(id)),
                let link = question.answer(.handoff(from: session.user, requestID: id))
            else { throw PaykitNetworkError(.validationFailed, "that link cannot be answered") }
            let bytes = try handoff.sealed(for: key, requestID: id, at: now, random)
            try await reader.homeserver(of: session.user).write(bytes, to: file, session)
            return link
        }
    }
}
