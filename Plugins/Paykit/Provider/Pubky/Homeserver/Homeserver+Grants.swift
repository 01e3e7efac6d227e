import PaymentCrypto

/// Accounts and sessions by grants (Protocol 10.3 and 10.4).
extension Homeserver {
    static let grantSession = "/auth/grant/session"

    // MARK: What it speaks

    /// Returns true if it accepts grants; nil if its answer does not show it. Nothing changes: homeservers with grants
    /// answer that there is no session, older ones that there is nothing at such a path.
    package func takesGrants(for user: PubkyKey) async throws(PaykitNetworkError) -> Bool? {
        let response = try await send(.get, Self.grantSession, of: user)
        switch response.status {
        case 401: return true
        case 400, 403, 404, 405, 501: return false
        // A homeserver that fails with its own error for a missing tenant is of the first that accepted grants; the
        // tenant is named here.
        case 429, 500...: throw refusal(response, of: user, .session)
        default: return nil
        }
    }

    /// Returns true if the homeserver reports that its paths name the owner of the storage.
    ///
    /// The wait is short, and failures are ignored.
    package func reportsStoragePaths(for user: PubkyKey) async -> Bool {
        guard let response = try? await send(.get, "/info", of: user, timeout: .seconds(5), limit: 1 << 14),
            response.status == 200, let json = try? JSONValue(parsing: response.body)
        else { return false }
        return json["features"]?.array?.contains { $0.string == "path-addressed-storage" } == true
    }

    // MARK: Accounts

    /// Creates an account. It opens no session.
    package func signUp(
        _ grant: PubkyGrant, _ proof: GrantProof, token: Redacted<String>? = nil
    ) async throws(PaykitNetworkError) {
        var path = "/auth/grant/signup"
        if let token { path += "?signup_token=\(PercentCoding.encode(token.reveal()))" }
        // A proof works once: a repeated request would be refused.
        let response = try await post(path, grant, proof)
        guard 200...299 ~= response.status else { throw grantRefusal(response, of: grant.issuer, .signUp) }
    }

    /// Opens a session with a grant; an earlier session of the same grant ends. `proof` is a new one each time.
    /// `uptime` is now, by the clock that is never set. The homeserver reports the session's lifetime by its own clock;
    /// only the difference counts here.
    package func open(
        _ held: HeldGrant, _ proof: GrantProof, at uptime: Duration
    ) async throws(PaykitNetworkError) -> PubkySession {
        let grant = held.grant
        let response = try await post(Self.grantSession, grant, proof)
        guard response.status == 200 else { throw grantRefusal(response, of: grant.issuer, .signIn) }
        guard let json = try? JSONValue(parsing: response.body), let token = json["token"]?.string,
            PubkySession.isCookie(token)
        else {
            throw PaykitNetworkError(.invalidData, "\(url.host) opened a session without saying by what it is known")
        }
        let info = try described(json["session"] ?? .null, by: held)
        let lifetime = min(info.tokenExpiresAt > info.createdAt ? info.tokenExpiresAt - info.createdAt : 0, 86_400)
        let bearer = PubkySession.Bearer(token: Redacted(token), held: held, end: uptime + .seconds(Int64(lifetime)))
        return PubkySession(
            user: grant.issuer, capabilities: info.capabilities, credential: .bearer(bearer), origin: url.origin)
    }

    package func knows(_ session: PubkySession) async throws(PaykitNetworkError) -> Bool {
        let response = try await send(.get, Self.grantSession, of: session.user, try credential(of: session))
        if [401, 404].contains(response.status) { return false }
        guard response.status == 200 else { throw refusal(response, of: session.user, .session) }
        guard let held = session.held, let json = try? JSONValue(parsing: response.body) else { throw undescribed }
        _ = try described(json, by: held)
        return true
    }

    /// Reads the homeserver's description of a session, which has to be that of this grant, not of another.
    private func described(_ json: JSONValue, by held: HeldGrant) throws(PaykitNetworkError) -> GrantSession {
        let info: GrantSession
        do { info = try GrantSession(json) } catch { throw undescribed }
        guard info.user == held.grant.issuer, info.homeserver == held.homeserver, info.grantID == held.grant.id else {
            throw PaykitNetworkError(
                .invalidCredentials, "\(url.host) opened a session of another user; it is not used")
        }
        return info
    }

    private var undescribed: PaykitNetworkError {
        PaykitNetworkError(.invalidData, "\(url.host) described the session in a way that cannot be read")
    }

    // MARK: All of a user's grants

    package func grants(_ session: PubkySession) async throws(PaykitNetworkError) -> [PubkyGrantRecord] {
        let response = try await send(
            .get, "/auth/grant/sessions", of: session.user, try credential(of: session), limit: Self.listingLimit)
        guard response.status == 200 else { throw refusal(response, of: session.user, .grants) }
        do {
            guard let list = try JSONValue(parsing: response.body).array else { throw WireDefect("it is no list") }
            return try list.map { entry throws(WireDefect) in try PubkyGrantRecord(entry) }
        } catch { throw PaykitNetworkError(.invalidData, "\(url.host) listed the apps in a way that cannot be read") }
    }

    /// Revokes a grant: its app can no longer act in the user's name. Returns true if the grant was valid before.
    package func revoke(_ id: String, _ session: PubkySession) async throws(PaykitNetworkError) -> Bool {
        try require(
            PubkyGrant.isID(id), .validationFailed, "what apps may do is named by 1 to 22 letters, digits, '-' and '_'")
        let response = try await send(
            .delete, "\(Self.grantSession)/\(id)", of: session.user, try credential(of: session), replay: .safe)
        if response.status == 404 { return false }
        guard 200...299 ~= response.status else { throw refusal(response, of: session.user, .grants) }
        return true
    }

    // MARK: Requests

    private func post(
        _ path: String, _ grant: PubkyGrant, _ proof: GrantProof
    ) async throws(PaykitNetworkError) -> HTTPResponse {
        let body: JSONValue = ["grant": .string(grant.text.reveal()), "pop": .string(proof.text.reveal())]
        return try await send(
            .post, path, of: grant.issuer, headers: ["Content-Type": "application/json"], body: body.serialized())
    }

    /// Maps a refusal to an error. Its text distinguishes refusals of equal status; it is compared, and never repeated.
    private func grantRefusal(_ response: HTTPResponse, of user: PubkyKey, _ call: Call) -> PaykitNetworkError {
        let words = String(decoding: response.body.prefix(200), as: UTF8.self)
        let host = url.host
        return switch (response.status, call) {
        case (401, .signIn) where words == "Grant has been revoked" || words == "Invalid grant: grant has expired":
            PaykitNetworkError(
                .sessionExpired, "what \(user) allowed this app is over or was taken back: sign in again")
        case (401, _) where words.hasPrefix("Invalid PoP proof: PoP timestamp"):
            PaykitNetworkError(
                .invalidCredentials, "\(host) has another time than this device: compare the device's clock")
        case (401, _) where words == "PoP nonce already used":
            PaykitNetworkError(.invalidCredentials, "\(host) has seen this sign-in before: sign in again")
        case (403, .signUp): PaykitNetworkError(.auth, "\(host) wants a sign-up to be allowed everything")
        default: refusal(response, of: user, call)
        }
    }
}
