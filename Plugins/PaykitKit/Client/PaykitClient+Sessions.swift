public import PaykitProvider
public import PaymentCore

/// Sessions: of this device's own key, of another device that authorised this one, and imported.
extension PaykitClient {
    /// Asks the homeserver whether the session is still one. Without the network nothing is said of it.
    ///
    /// - Returns: whether this device has a session that its homeserver knows.
    /// - Throws: ``PaykitError`` when the homeserver cannot be asked; the session is kept then.
    @discardableResult
    public func checkSession() async throws -> Bool {
        try await told { () async throws(PaykitFailure) in
            guard let known = session else { return false }
            let server = try await reader.homeserver(of: known.user)
            let found = try await server.session(try server.cookie(of: known), of: known.user)
            // Somebody may have signed in again meanwhile.
            if found == nil, session == known { session = nil }
            return found != nil
        }
    }

    /// Opens a new session with the key that ``initialize(secretKeyHex:homeserverPubkey:)`` was given.
    ///
    /// - Throws: ``PaykitError``; `notInitialized` where there is no key, as after an import.
    public func refreshSession() async throws {
        try await told { () async throws(PaykitFailure) in
            guard let account else {
                throw PaykitFailure(
                    .notInitialized, "this device has no key of its own: have the session authorised again")
            }
            session = try await account.signIn(configuration.capabilities)
        }
    }

    /// Ends the session here and at the homeserver, and forgets the key.
    ///
    /// - Throws: ``PaykitError`` when the homeserver was not told; here it has ended all the same.
    public func signOut() async throws {
        try await told { () async throws(PaykitFailure) in
            let ended = session
            session = nil
            account = nil
            offers = PrivateOffers()
            guard let ended else { return }
            try await reader.homeserver(of: ended.user).close(ended)
        }
    }

    /// The session as another program of the same user takes it; nil without one. As good as the key for what it may do.
    public var exportedSession: Redacted<String>? { session?.exported }

    /// Takes over a session, once its homeserver says that it is one.
    ///
    /// - Parameter exported: a key, a colon and the session's secret.
    /// - Throws: ``PaykitError``.
    public func importSession(_ exported: Redacted<String>) async throws {
        try await told { () async throws(PaykitFailure) in
            let (user, cookie) = try PubkySession.read(exported)
            guard let found = try await reader.homeserver(of: user).session(cookie, of: user) else {
                throw PaykitFailure(.sessionExpired, "the homeserver of \(user) knows no such session")
            }
            account = nil
            session = found
        }
    }

    // MARK: Another device

    /// Makes a link by which another device can sign this one in; show it as a code, and call
    /// ``awaitAuthorization(of:patience:)``.
    public nonisolated func authorizationLink() -> PubkyAuthorizationLink {
        PubkyAuthorizationLink(
            .signIn, configuration.capabilities, relay: configuration.network.authorizationRelay,
            secret: PubkyAuthorization.secret(random))
    }

    /// Waits until another device has answered `link`, and opens the session that it allows.
    ///
    /// - Parameters:
    ///   - link: what ``authorizationLink()`` gave.
    ///   - patience: how long to wait.
    /// - Returns: who authorised this device.
    /// - Throws: ``PaykitError``; when the answer allows more or less than was asked for, it is used as it is.
    @discardableResult
    public func awaitAuthorization(
        of link: PubkyAuthorizationLink, patience: Duration = .seconds(300)
    ) async throws -> PubkyKey {
        try await told { () async throws(PaykitFailure) in
            let end = clock.uptime + patience
            while !Task.isCancelled, clock.uptime < end {
                let round = min(.seconds(25), end - clock.uptime)
                guard let token = try await authorization.wait(for: link, round) else {
                    // A relay that lets go at once is not asked without a pause.
                    guard (try? await clock.sleep(for: .seconds(1))) != nil else { break }
                    continue
                }
                session = try await reader.homeserver(of: token.key).open(token, isSignUp: false)
                account = nil
                return token.key
            }
            throw PaykitFailure(.connectionTimeout, "nobody has answered; show a new code")
        }
    }

    /// Signs another device in that shows `link`: it can do what the link asks for, in this user's name. Ask the user first,
    /// and show them ``PubkyAuthorizationLink/capabilities``.
    ///
    /// - Throws: ``PaykitError``; nothing ever exports the secret key.
    public func approve(_ link: PubkyAuthorizationLink) async throws {
        try await told { () async throws(PaykitFailure) in
            guard let account else {
                throw PaykitFailure(.notInitialized, "only a device that has the key can authorise another")
            }
            guard link.intent == .signIn else {
                throw PaykitFailure(
                    .validationFailed, "only sign-ins are authorised; this link asks for \(link.intent.rawValue)")
            }
            try await authorization.answer(
                link, with: account.token(link.capabilities), random)
        }
    }
}
