public import PaymentStore

/// Keeps a client's session over restarts, as the guide's `SessionManager` does: it knows whether there is a valid one,
/// opens a new one before the old one ends, and leaves nothing after signing out.
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
    ///   - margin: the time before its end at which a session is replaced.
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

    /// Returns true if there is a session that has not expired, by its date. Its homeserver may have ended it all the
    /// same: ``PaykitClient/checkSession()`` asks.
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
    ///   this device has no own key, so that another device has to authorise it again; errors of the store.
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
