import PaykitProvider
public import PaymentCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Keeps a client's session over restarts, as the guide's `SessionManager` does: whether there is a valid one, a new
/// one before the old one ends, and nothing left after signing out.
///
/// ```swift
/// let sessions = PaykitSessionManager(client, in: KeychainSecretStore(service: "com.example.wallet"))
/// if try await !sessions.restore() { /* sign in, then: */ try await sessions.keep() }
/// try await sessions.refreshSessionIfNeeded()
/// ```
public actor PaykitSessionManager {
    /// What is known of the kept session, at the moment of asking.
    public struct State: Sendable, Hashable {
        /// Whose session it is.
        public let user: String
        /// When its cookie ends, counted from when it was kept first: homeservers name no other date.
        public let expiresAt: Date
        /// Whether that is over.
        public let isExpired: Bool
        /// Whether it is over soon, so that a new one is opened at the next occasion.
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
    ///   - client: whose session it is.
    ///   - store: where it is kept: the keychain, or files of its owner.
    ///   - name: what it is kept as; one for each user.
    ///   - lifetime: how long sessions are good. The cookies of homeservers say a year.
    ///   - margin: how long before its end a session is replaced.
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

    /// What is kept; nil when nothing is, or nothing that can be read.
    ///
    /// - Throws: what the store throws.
    public func storedSession() async throws -> State? {
        guard let kept = try await kept() else { return nil }
        let (now, end) = (client.clock.now, kept.openedAt.addingTimeInterval(lifetime / .seconds(1)))
        // A clock that was set back makes no session longer.
        let isExpired = now >= end || now < kept.openedAt.addingTimeInterval(-86_400)
        return State(
            user: kept.user.text, expiresAt: end, isExpired: isExpired,
            willExpireSoon: now.addingTimeInterval(margin / .seconds(1)) >= end)
    }

    /// Whether there is a session that is not over, by its date. Its homeserver may have ended it all the same:
    /// ``PaykitClient/checkSession()`` asks.
    ///
    /// - Throws: what the store throws.
    public func hasValidSession() async throws -> Bool { try await storedSession()?.isExpired == false }

    /// Keeps the client's session. Call it after signing in.
    ///
    /// - Throws: ``PaykitError`` without a session; what the store throws.
    public func keep() async throws {
        guard let exported = await client.exportedSession else { throw PaykitError.notAuthenticated }
        let seconds = Int64(client.clock.now.timeIntervalSince1970)
        try await store.keep(Redacted("\(seconds) \(exported.reveal())"), as: name)
    }

    /// Gives the kept session back to the client, once its homeserver says that it is one. One that is over is
    /// forgotten.
    ///
    /// - Returns: whether the client has a session now.
    /// - Throws: ``PaykitError`` when the homeserver cannot be asked, and the session stays kept; what the store
    ///   throws.
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

    /// Opens a new session where the kept one is over soon, and keeps that.
    ///
    /// - Throws: ``PaykitError/notAuthenticated`` without a session; ``PaykitError`` of the type `notInitialized` where
    ///   this device has no key of its own, so that another device has to authorise it again; what the store throws.
    public func refreshSessionIfNeeded() async throws {
        guard let state = try await storedSession() else { throw PaykitError.notAuthenticated }
        guard state.willExpireSoon || state.isExpired else { return }
        try await client.refreshSession()
        try await keep()
    }

    /// Ends the session here and at the homeserver, and forgets it.
    ///
    /// - Throws: ``PaykitError`` when the homeserver was not told; what the store throws. Here it is forgotten first.
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
