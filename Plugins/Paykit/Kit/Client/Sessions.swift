public import PaymentStore

/// Sessions: of this device's own key, of another device that authorised this one, and imported.
extension PaykitClient {
    /// Asks the homeserver whether the session is still valid. Without the network there is no answer.
    ///
    /// - Returns: true if this device has a session that its homeserver knows.
    /// - Throws: ``PaykitError`` when the homeserver cannot be asked; the session is kept then.
    @discardableResult
    public func checkSession() async throws -> Bool {
        try await mappingErrors {
            guard let known = session else { return false }
            let used = try await current(known)
            let server = try await reader.homeserver(of: used.user)
            let isKnown: Bool
            switch try server.credential(of: used) {
            case .cookie(let cookie): isKnown = try await server.session(cookie, of: used.user) != nil
            case .bearer: isKnown = try await server.knows(used)
            }
            if isKnown { return true }
            do { return try await renewed(used) != nil } catch {
                guard session == nil else { throw error }
                return false
            }
        }
    }

    /// Opens a new session with the key of ``initialize(secretKeyHex:homeserverPubkey:)``, at the homeserver that was
    /// named there and at no other.
    ///
    /// - Throws: ``PaykitError``; `notInitialized` if there is no key, as after an import; `sessionExpired` also when
    ///   the network names another homeserver, or this one no longer takes the grants that it took.
    public func refreshSession() async throws {
        try await mappingErrors {
            guard let account else {
                throw PaykitNetworkError(.notInitialized, "this device has no key: have the session authorised again")
            }
            session = try await account.signIn(configuration.sessionCapabilities)
        }
    }

    /// Ends the session here and at the homeserver, and forgets the key.
    ///
    /// - Throws: ``PaykitError`` when the homeserver could not be reached; here it has ended anyway.
    public func signOut() async throws {
        try await mappingErrors {
            guard let known = session else {
                account = nil
                offers = ChannelOffers()
                return
            }
            // A homeserver confirms the end of an expired bearer without ending its grant: only a valid one ends the
            // grant.
            var ended = known
            var failure: PaykitNetworkError?
            do throws(PaykitNetworkError) { ended = try await current(known) } catch { failure = error }
            session = nil
            account = nil
            offers = ChannelOffers()
            if let failure {
                // A session that the homeserver no longer accepts has ended.
                guard failure.code != .sessionExpired else { return }
                throw failure
            }
            try await reader.homeserver(of: ended.user).close(ended)
        }
    }

    /// The session in the form that another program of the same user reads; nil without one. It is as sensitive as the
    /// key for what it permits.
    public var exportedSession: Redacted<String>? { session?.exported }

    /// Takes over a session, once its homeserver confirms it.
    ///
    /// - Parameter exported: a value of ``exportedSession``, from here or from another client: a key, a colon and the
    ///   session's secret, or a grant with its app's key. A grant is used by one program at a time.
    /// - Throws: ``PaykitError``.
    public func importSession(_ exported: Redacted<String>) async throws {
        try await mappingErrors {
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

    /// Creates a link for another device that can sign this one in. Show it as a code, and call
    /// ``awaitAuthorization(of:timeout:)``. Every key manager understands it.
    public nonisolated func authorizationLink(callbacks: PubkyCallbacks = PubkyCallbacks()) -> PubkyAuthorizationLink {
        PubkyAuthorizationLink(
            .signIn, configuration.sessionCapabilities, relay: configuration.network.authorizationRelay,
            secret: PubkyAuthorization.secret(random), callbacks: callbacks)
    }

    /// Creates such a link for a key manager that is known to admit apps by grants: its user can list this app and
    /// revoke its permissions. Others refuse such a link as malformed (Protocol 10.7).
    ///
    /// - Throws: ``PaykitError`` when the app's name is not permitted.
    public nonisolated func grantLink(callbacks: PubkyCallbacks = PubkyCallbacks()) throws -> PubkyAuthorizationLink {
        guard PubkyGrant.isClientID(grants.clientID),
            let link = PubkyAuthorizationLink(
                asking: configuration.sessionCapabilities, as: grants.clientID,
                relay: configuration.network.authorizationRelay, secret: PubkyAuthorization.secret(random),
                seed: grants.seed(), callbacks: callbacks)
        else { throw PaykitError(.validationFailed, "an app's name has 1 to 253 bytes, without line breaks") }
        return link
    }

    /// Waits until another device has answered `link`, and opens the session that it permits. `link` is a link of
    /// ``authorizationLink(callbacks:)``. `timeout` is the longest wait.
    ///
    /// - Returns: the user who authorised this device.
    /// - Throws: ``PaykitError``. An answer that permits more or less than was asked for is used as it is.
    @discardableResult
    public func awaitAuthorization(
        of link: PubkyAuthorizationLink, timeout: Duration = .seconds(300)
    ) async throws -> PubkyKey {
        try await mappingErrors {
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
                // A relay that answers at once is not asked again without a pause.
                guard (try? await clock.sleep(for: .seconds(1))) != nil else { break }
            }
            throw PaykitNetworkError(.connectionTimeout, "no answer came; show a new code")
        }
    }

    /// The number of consecutive failures that end the use of a relay.
    private static let mostRelayFailures = 3

    private func use(
        _ answer: PubkyAuthorization.Answer, _ link: PubkyAuthorizationLink
    ) async throws(PaykitNetworkError) -> PubkyKey {
        switch answer {
        case .token(let token):
            // The token works at every homeserver: all relays and the DHT are asked which is the owner's.
            let server = try await reader.locator.homeserver(of: token.key, isFresh: true)
            session = try await reader.homeserver(called: server).open(token, isSignUp: false)
        case .grant(let grant):
            let server = try await reader.locator.homeserver(of: grant.issuer)
            let held = try link.held(grant, at: server, now: grants.seconds)
            session = try await grants.open(held, at: try await reader.homeserver(called: server))
        }
        account = nil
        return answer.user
    }

    /// Signs in another device that shows `link`: it gets the permissions that the link asks for, in this user's name,
    /// once the configuration's `consent` has agreed.
    ///
    /// - Throws: ``PaykitError``, and the error of the configuration's `consent`. The secret key is never exported.
    public func approve(_ link: PubkyAuthorizationLink) async throws {
        guard [.signIn, .signInGrant].contains(link.intent) else {
            throw PaykitError(
                .validationFailed, "only sign-ins are authorised; this link asks for \(link.intent.rawValue)")
        }
        guard let asked = account?.keyPair.publicKey else { throw Self.withoutKey }
        guard link.relay.map(configuration.network.permits) ?? true else {
            throw PaykitError(.validationFailed, "the link's relay is not on the internet: nothing is sent there")
        }
        let callbacks = link.callbacks
        try await requireConsent(
            .letIn(
                PaykitAdmission(
                    app: link.clientID ?? callbacks.source, link.capabilities, relay: link.relay?.origin,
                    callbacks: [callbacks.success, callbacks.error, callbacks.cancel])))
        try await mappingErrors {
            // The user may have signed in as another one in the meantime.
            guard let account, account.keyPair.publicKey == asked else { throw Self.withoutKey }
            guard link.intent == .signInGrant else {
                try await authorization.answer(link, with: account.token(link.capabilities).bytes, random)
                return
            }
            guard let client = link.clientKey, let name = link.clientID else {
                throw PaykitNetworkError(.validationFailed, "the link does not say which app asks")
            }
            let grant = try grants.grant(link.capabilities, to: client, called: name, by: account.keyPair)
            try await authorization.answer(link, with: Array(grant.text.reveal().utf8), random)
        }
    }

    private static var withoutKey: PaykitError {
        PaykitError(.notInitialized, "only a device that has the key can authorise another")
    }
}

/// Sessions opened by grants: for an hour each, and renewed without a question, until the grant ends (Protocol 10.3).
extension PaykitClient {
    /// Returns the permissions of apps to act in the user's name; without cookies, which homeservers do not list.
    ///
    /// - Returns: the apps, including this one if a grant admitted it.
    /// - Throws: ``PaykitError``; also when this session does not have all permissions, which listing requires.
    public func grantedApps() async throws -> [PubkyGrantRecord] {
        try await signedIn { session in try await reader.homeserver(of: session.user).grants(session) }
    }

    /// Revokes an app's grant, so that it can no longer act in the user's name; at once.
    ///
    /// - Parameter grant: the ``/PaykitProvider/PubkyGrantRecord/id`` of the grant.
    /// - Returns: true if the grant was valid before.
    /// - Throws: ``PaykitError``.
    @discardableResult
    public func revoke(grant: String) async throws -> Bool {
        try await signedIn { session in try await reader.homeserver(of: session.user).revoke(grant, session) }
    }

    /// Returns `known`, or a new session in its place if it expires soon.
    func current(_ known: PubkySession) async throws(PaykitNetworkError) -> PubkySession {
        guard case .bearer(let bearer) = known.credential, bearer.end - clock.uptime <= PubkySession.Bearer.margin
        else { return known }
        return try await renewed(known) ?? known
    }

    /// Renews `used`, which its homeserver no longer knows; nil if that is not possible, as for a cookie. A session
    /// that can never be renewed is forgotten.
    func renewed(_ used: PubkySession) async throws(PaykitNetworkError) -> PubkySession? {
        // Another call may have signed in again, or renewed the session already.
        if let session, session != used, session.user == used.user { return session }
        guard let held = used.held else {
            if session == used { session = nil }
            return nil
        }
        let task: Task<Result<PubkySession, PaykitNetworkError>, Never>
        if let renewal, renewal.of == used {
            task = renewal.task
        } else {
            // Not bound to the first caller: the others wait for it, too.
            task = Task { [reader, grants] in
                do throws(PaykitNetworkError) {
                    return .success(try await grants.open(held, at: reader.homeserver(called: held.homeserver)))
                } catch { return .failure(error) }
            }
            renewal = (used, task)
        }
        let result = await task.value
        if renewal?.of == used { renewal = nil }
        switch result {
        case .success(let opened):
            if session == used { session = opened }
            return session?.user == used.user ? session : nil
        case .failure(let failure):
            // The homeserver decides about its grants; an unreachable one has not decided.
            if [.sessionExpired, .invalidCredentials, .notFound].contains(failure.code), session == used {
                session = nil
            }
            throw failure
        }
    }
}

/// A manager that keeps a client's session over restarts, as the guide's `SessionManager` does. It knows whether there
/// is a valid session, opens a new one before the old one ends, and leaves nothing after signing out.
///
/// ```swift
/// let sessions = PaykitSessionManager(client, in: KeychainSecretStore(service: "com.example.wallet"))
/// if try await !sessions.restore() { /* sign in, then: */ try await sessions.keep() }
/// try await sessions.refreshSessionIfNeeded()
/// ```
public actor PaykitSessionManager {
    /// The status of the kept session, at the moment of the query.
    public struct State: Sendable, Hashable {
        /// The user of the session.
        public let user: String
        /// The end of its cookie, counted from when it was first kept: homeservers report no other date.
        public let expiresAt: Date
        /// True if it has expired.
        public let isExpired: Bool
        /// True if it expires soon, so that the next refresh opens a new one.
        public let willExpireSoon: Bool
    }

    private let client: PaykitClient
    private let store: any SecretKeeper
    private let name: String
    private let lifetime: Duration
    private let margin: Duration

    /// Creates a manager.
    ///
    /// - Parameters:
    ///   - client: the owner of the session.
    ///   - store: the secret storage: the keychain, or files of its owner.
    ///   - name: the name in the store; one for each user.
    ///   - lifetime: the lifetime of sessions. The cookies of homeservers have a year.
    ///   - margin: the time between the replacement of a session and its end.
    public init(
        _ client: PaykitClient, in store: any SecretKeeper, name: String = "paykit-session",
        lifetime: Duration = .seconds(365 * 86_400), margin: Duration = .seconds(7 * 86_400)
    ) {
        self.client = client
        self.store = store
        self.name = name
        self.lifetime = lifetime
        self.margin = margin
    }

    /// Returns the status of the kept session; nil when there is none, or none that can be read.
    ///
    /// - Throws: errors of the store.
    public func storedSession() async throws -> State? {
        guard let kept = try await kept() else { return nil }
        let (now, end) = (client.clock.now, kept.openedAt.addingTimeInterval(lifetime / .seconds(1)))
        // A clock that was set back extends no session.
        let isExpired = now >= end || now < kept.openedAt.addingTimeInterval(-86_400)
        return State(
            user: kept.user.text, expiresAt: end, isExpired: isExpired,
            willExpireSoon: now.addingTimeInterval(margin / .seconds(1)) >= end)
    }

    /// Returns true if there is a session that has not expired, by its date. Its homeserver may have ended it
    /// anyway: ``PaykitClient/checkSession()`` asks.
    ///
    /// - Throws: errors of the store.
    public func hasValidSession() async throws -> Bool { try await storedSession()?.isExpired == false }

    /// Keeps the client's session. Call it after signing in.
    ///
    /// - Throws: ``PaykitError`` without a session; errors of the store.
    public func keep() async throws {
        guard let exported = await client.exportedSession else { throw PaykitError.notAuthenticated }
        let seconds = Int64(client.clock.now.timeIntervalSince1970)
        try await store.keep(Redacted("\(seconds) \(exported.reveal())"), as: name)
    }

    /// Restores the kept session in the client, once its homeserver confirms it. An expired one is forgotten.
    ///
    /// - Returns: true if the client has a session now.
    /// - Throws: ``PaykitError`` when the homeserver cannot be asked, and the session stays kept; errors of the store.
    public func restore() async throws -> Bool {
        guard let kept = try await kept() else { return false }
        guard try await hasValidSession() else {
            try await store.forget(name)
            return false
        }
        do {
            try await client.importSession(kept.exported)
            return true
        } catch let error as PaykitError {
            guard error.failure.code == .sessionExpired else { throw error }
            try await store.forget(name)
            return false
        }
    }

    /// Opens a new session if the kept one expires soon, and keeps that.
    ///
    /// - Throws: ``PaykitError/notAuthenticated`` without a session; ``PaykitError`` of the type `notInitialized` if
    ///   this device has no own key: another device has to authorise it again. Also errors of the store.
    public func refreshSessionIfNeeded() async throws {
        guard let state = try await storedSession() else { throw PaykitError.notAuthenticated }
        guard state.willExpireSoon || state.isExpired else { return }
        try await client.refreshSession()
        try await keep()
    }

    /// Ends the session here and at the homeserver, and forgets it.
    ///
    /// - Throws: ``PaykitError`` for an unreachable homeserver; errors of the store. Here it is forgotten first.
    public func signOut() async throws {
        try await store.forget(name)
        try await client.signOut()
    }

    private func kept() async throws -> (user: PubkyKey, exported: Redacted<String>, openedAt: Date)? {
        guard let text = try await store.secret(name) else { return nil }
        let parts = text.reveal().split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let seconds = Int64(parts[0]), 0...Int64(UInt32.max) ~= seconds,
            let (user, _) = try? PubkySession.read(Redacted(String(parts[1])))
        else { return nil }
        return (user, Redacted(String(parts[1])), Date(timeIntervalSince1970: Double(seconds)))
    }
}
