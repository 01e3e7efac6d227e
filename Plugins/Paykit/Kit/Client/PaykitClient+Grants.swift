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
