public import PaykitProvider
import PaymentCore

/// Sessions that grants open: for an hour each, and again without asking anybody, until the grant ends (Protocol 10.3).
extension PaykitClient {
    /// Returns what apps may do in the user's name. Cookies are not among them: homeservers do not list those.
    ///
    /// - Returns: the apps, this one among them where it was let in by a grant.
    /// - Throws: ``PaykitError``; also when this session may not do everything, for only such a one is told.
    public func grantedApps() async throws -> [PubkyGrantRecord] {
        try await signedIn { session throws(PaykitNetworkError) in
            try await reader.homeserver(of: session.user).grants(session)
        }
    }

    /// Lets an app do nothing any more in the user's name, at once.
    ///
    /// - Parameter grant: the ``/PaykitProvider/PubkyGrantRecord/id`` of what it was allowed.
    /// - Returns: whether it was allowed anything before.
    /// - Throws: ``PaykitError``.
    @discardableResult
    public func revoke(grant: String) async throws -> Bool {
        try await signedIn { session throws(PaykitNetworkError) in
            try await reader.homeserver(of: session.user).revoke(grant, session)
        }
    }

    /// `known`, or a new session in its place where its time is nearly over.
    func current(_ known: PubkySession) async throws(PaykitNetworkError) -> PubkySession {
        guard case .bearer(let bearer) = known.credential, bearer.end - clock.uptime <= PubkySession.Bearer.margin
        else { return known }
        return try await renewed(known) ?? known
    }

    /// Opens a session in the place of `used`, which its homeserver does not know any more; nil where there is none to
    /// be had. What cannot be had is forgotten.
    func renewed(_ used: PubkySession) async throws(PaykitNetworkError) -> PubkySession? {
        // Somebody may have signed in anew meanwhile, or has been answered already.
        if let session, session != used, session.user == used.user { return session }
        guard let held = used.held else {
            if session == used { session = nil }
            return nil
        }
        let task: Task<Result<PubkySession, PaykitNetworkError>, Never>
        if let renewal, renewal.of == used {
            task = renewal.task
        } else {
            // Not bound to the one who asks first: the others wait for it, too.
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
            // The homeserver has the last word on its grants; whoever cannot be reached has none.
            if [.sessionExpired, .invalidCredentials, .notFound].contains(failure.code), session == used {
                session = nil
            }
            throw failure
        }
    }
}
