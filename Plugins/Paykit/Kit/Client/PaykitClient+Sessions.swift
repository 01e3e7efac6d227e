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
        try await mappingErrors { () async throws(PaykitNetworkError) in
            guard let known = session else { return false }
            let used = try await current(known)
            let server = try await reader.homeserver(of: used.user)
            let isKnown: Bool
            switch try server.credential(of: used) {
            case .cookie(let cookie): isKnown = try await server.session(cookie, of: used.user) != nil
            case .bearer: isKnown = try await server.knows(used)
            }
            if isKnown { return true }
            do throws(PaykitNetworkError) { return try await renewed(used) != nil } catch {
                guard session == nil else { throw error }
                return false
            }
        }
    }

    /// Opens a new session with the key that ``initialize(secretKeyHex:homeserverPubkey:)`` was given.
    ///
    /// - Throws: ``PaykitError``; `notInitialized` where there is no key, as after an import.
    public func refreshSession() async throws {
        try await mappingErrors { () async throws(PaykitNetworkError) in
            guard let account else {
                throw PaykitNetworkError(
                    .notInitialized, "this device has no key of its own: have the session authorised again")
            }
            session = try await account.signIn(configuration.sessionCapabilities)
        }
    }

    /// Ends the session here and at the homeserver, and forgets the key.
    ///
    /// - Throws: ``PaykitError`` when the homeserver was not told; here it has ended all the same.
    public func signOut() async throws {
        try await mappingErrors { () async throws(PaykitNetworkError) in
            guard let known = session else {
                account = nil
                offers = ChannelOffers()
                return
            }
            // A homeserver says yes to a bearer that is over, and the grant behind it goes on: a living one ends it.
            var ended = known
            var failure: PaykitNetworkError?
            do throws(PaykitNetworkError) { ended = try await current(known) } catch { failure = error }
            session = nil
            account = nil
            offers = ChannelOffers()
            if let failure {
                // What the homeserver does not take any more has ended.
                guard failure.code != .sessionExpired else { return }
                throw failure
            }
            try await reader.homeserver(of: ended.user).close(ended)
        }
    }

    /// The session as another program of the same user takes it; nil without one. As good as the key for what it may
    /// do.
    public var exportedSession: Redacted<String>? { session?.exported }

    /// Takes over a session, once its homeserver says that it is one.
    ///
    /// - Parameter exported: what ``exportedSession`` gave, here or in another client: a key, a colon and the session's
    ///   secret, or a grant with its app's key. A grant is used by one program at a time.
    /// - Throws: ``PaykitError``.
    public func importSession(_ exported: Redacted<String>) async throws {
        try await mappingErrors { () async throws(PaykitNetworkError) in
            if HeldGrant.isLikely(exported.reveal()) {
                let held = try HeldGrant(exported, now: grants.seconds)
                let opened = try await grants.open(held, at: try await reader.homeserver(called: held.homeserver))
                account = nil
                session = opened
                return
            }
            let (user, cookie) = try PubkySession.read(exported)
            guard let found = try await reader.homeserver(of: user).session(cookie, of: user) else {
                throw PaykitNetworkError(.sessionExpired, "the homeserver of \(user) knows no such session")
            }
            account = nil
            session = found
        }
    }

    // MARK: Another device

    /// Makes a link by which another device can sign this one in; show it as a code, and call
    /// ``awaitAuthorization(of:timeout:)``. Every key manager understands it.
    ///
    /// - Parameter callbacks: where the key manager leads back to afterwards.
    public nonisolated func authorizationLink(callbacks: PubkyCallbacks = PubkyCallbacks()) -> PubkyAuthorizationLink {
        PubkyAuthorizationLink(
            .signIn, configuration.sessionCapabilities, relay: configuration.network.authorizationRelay,
            secret: PubkyAuthorization.secret(random), callbacks: callbacks)
    }

    /// The same for a key manager that is known to let apps in by grants: its user can list this app and take back what
    /// it may do. Others call such a link malformed (Protocol 10.7).
    ///
    /// - Parameter callbacks: where the key manager leads back to afterwards.
    /// - Throws: ``PaykitError`` when the app's name cannot be one.
    public nonisolated func grantLink(callbacks: PubkyCallbacks = PubkyCallbacks()) throws -> PubkyAuthorizationLink {
        guard PubkyGrant.isClientID(grants.clientID),
            let link = PubkyAuthorizationLink(
                asking: configuration.sessionCapabilities, as: grants.clientID,
                relay: configuration.network.authorizationRelay, secret: PubkyAuthorization.secret(random),
                seed: grants.seed(), callbacks: callbacks)
        else {
            throw PaykitError(
                PaykitNetworkError(.validationFailed, "an app's name has 1 to 253 bytes, without line breaks"))
        }
        return link
    }

    /// Waits until another device has answered `link`, and opens the session that it allows.
    ///
    /// - Parameters:
    ///   - link: what ``authorizationLink(callbacks:)`` gave.
    ///   - timeout: how long to wait.
    /// - Returns: who authorised this device.
    /// - Throws: ``PaykitError``; when the answer allows more or less than was asked for, it is used as it is.
    @discardableResult
    public func awaitAuthorization(
        of link: PubkyAuthorizationLink, timeout: Duration = .seconds(300)
    ) async throws -> PubkyKey {
        try await mappingErrors { () async throws(PaykitNetworkError) in
            let end = clock.uptime + timeout
            var failures = 0
            while !Task.isCancelled, clock.uptime < end {
                let round = min(.seconds(25), end - clock.uptime)
                do throws(PaykitNetworkError) {
                    if let answer = try await authorization.wait(for: link, round) {
                        return try await use(answer, link)
                    }
                    failures = 0
                } catch {
                    failures += 1
                    let isPassing = [.transport, .connectionFailed, .connectionTimeout].contains(error.code)
                    guard isPassing, failures < Self.mostRelayFailures else { throw error }
                }
                // A relay that lets go at once is not asked without a pause.
                guard (try? await clock.sleep(for: .seconds(1))) != nil else { break }
            }
            throw PaykitNetworkError(.connectionTimeout, "no answer came; show a new code")
        }
    }

    /// After so many failures in a row a relay is given up.
    private static let mostRelayFailures = 3

    /// Opens the session that an answer allows.
    private func use(
        _ answer: PubkyAuthorization.Answer, _ link: PubkyAuthorizationLink
    ) async throws(PaykitNetworkError) -> PubkyKey {
        switch answer {
        case .token(let token):
            session = try await reader.homeserver(of: token.key).open(token, isSignUp: false)
        case .grant(let grant):
            let server = try await reader.locator.homeserver(of: grant.issuer)
            let held = try link.held(grant, at: server, now: grants.seconds)
            session = try await grants.open(held, at: try await reader.homeserver(called: server))
        }
        account = nil
        return answer.user
    }

    /// Signs another device in that shows `link`: it can do what the link asks for, in this user's name. Ask the user
    /// first, and show them ``PubkyAuthorizationLink/capabilities``.
    ///
    /// - Throws: ``PaykitError``, and what the configuration's `consent` throws; nothing ever exports the secret key.
    public func approve(_ link: PubkyAuthorizationLink) async throws {
        try await configuration.consent?(.letIn(app: link.clientID, link.capabilities))
        try await mappingErrors { () async throws(PaykitNetworkError) in
            guard let account else {
                throw PaykitNetworkError(.notInitialized, "only a device that has the key can authorise another")
            }
            switch link.intent {
            case .signIn: try await authorization.answer(link, with: account.token(link.capabilities).bytes, random)
            case .signInGrant:
                guard let client = link.clientKey, let name = link.clientID else {
                    throw PaykitNetworkError(.validationFailed, "the link does not say which app asks")
                }
                let grant = try grants.grant(link.capabilities, to: client, called: name, by: account.keyPair)
                try await authorization.answer(link, with: Array(grant.text.reveal().utf8), random)
            default:
                throw PaykitNetworkError(
                    .validationFailed, "only sign-ins are authorised; this link asks for \(link.intent.rawValue)")
            }
        }
    }
}
