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
    /// - Throws: ``PaykitError`` when the homeserver could not be reached; here it has ended all the same.
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

    /// Creates a link by which another device can sign this one in; show it as a code, and call
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

    /// The number of consecutive failures after which a relay is abandoned.
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
            // The user may have signed in as another one meanwhile.
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
