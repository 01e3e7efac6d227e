import PaymentCrypto

/// The calls of one homeserver, at its ordinary web address (Protocol 3).
package struct Homeserver: Sendable {
    package let url: HTTPURL
    /// True if its paths name the owner of the storage (Protocol 10.6); otherwise a header does.
    package let hasStoragePaths: Bool
    private let http: any HTTPTransport

    /// The most bytes of a file that are read: endpoints, profiles and records are small.
    package static let fileLimit = 1 << 18
    /// The most bytes of a listing: a thousand addresses.
    package static let listingLimit = 1 << 22

    package init(_ url: HTTPURL, over http: any HTTPTransport, hasStoragePaths: Bool = false) {
        self.url = url
        self.http = http
        self.hasStoragePaths = hasStoragePaths
    }

    // MARK: Sessions

    package func open(
        _ token: AuthToken, isSignUp: Bool, signUpToken: Redacted<String>? = nil
    ) async throws(PaykitNetworkError) -> PubkySession {
        var path = isSignUp ? "/signup" : "/session"
        if isSignUp, let signUpToken { path += "?signup_token=\(PercentCoding.encode(signUpToken.reveal()))" }
        // A token works once: a repeated request would be refused.
        let response = try await send(.post, path, of: token.key, body: token.bytes)
        guard response.status == 200 else { throw refusal(response, of: token.key, isSignUp ? .signUp : .signIn) }
        let info = try session(response, of: token.key)
        guard let cookie = Self.cookie(of: token.key, in: response) else {
            throw PaykitNetworkError(.invalidData, "\(url.host) opened a session without a cookie")
        }
        return PubkySession(
            user: token.key, capabilities: info.capabilities, credential: .cookie(cookie), origin: url.origin)
    }

    package func session(_ cookie: Redacted<String>, of user: PubkyKey) async throws(PaykitNetworkError)
        -> PubkySession?
    {
        let response = try await send(.get, "/session", of: user, .cookie(cookie))
        if [401, 404].contains(response.status) { return nil }
        guard response.status == 200 else { throw refusal(response, of: user, .session) }
        return PubkySession(
            user: user, capabilities: try session(response, of: user).capabilities, credential: .cookie(cookie),
            origin: url.origin)
    }

    /// Ends a session. For a bearer the grant itself ends, and with it all its sessions.
    package func close(_ session: PubkySession) async throws(PaykitNetworkError) {
        let response = try await send(
            .delete, session.held == nil ? "/session" : Self.grantSession, of: session.user,
            try credential(of: session), replay: .safe)
        guard 200...299 ~= response.status || [401, 404].contains(response.status) else {
            throw refusal(response, of: session.user, .session)
        }
    }

    private func session(_ response: HTTPResponse, of user: PubkyKey) throws(PaykitNetworkError) -> SessionInfo {
        let info: SessionInfo
        do { info = try SessionInfo(parsing: response.body) } catch {
            throw PaykitNetworkError(
                .invalidData, "\(url.host) described the session in a way that cannot be read: \(error)")
        }
        try require(
            info.key == user, .invalidCredentials, "\(url.host) opened a session of another user; it is not used")
        return info
    }

    private static func cookie(of user: PubkyKey, in response: HTTPResponse) -> Redacted<String>? {
        for field in response.headers.values("Set-Cookie") {
            let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, pair[0].trimmingWhitespace == user.text else { continue }
            let value = pair[1].trimmingWhitespace
            if PubkySession.isCookie(value) { return Redacted(value) }
        }
        return nil
    }

    // MARK: Files

    /// Returns the content of the file at `address`; nil when there is none.
    package func read(
        _ address: PubkyAddress, session: PubkySession? = nil
    ) async throws(PaykitNetworkError) -> [UInt8]? {
        let response = try await send(
            .get, path(address), of: address.owner, try session.map(credential), limit: Self.fileLimit)
        switch response.status {
        case 200: return response.body
        case 404, 410: return nil
        default: throw refusal(response, of: address.owner, .file)
        }
    }

    /// Writes a file. Writing the same content twice has the same result.
    package func write(
        _ content: [UInt8], to address: PubkyAddress, _ session: PubkySession
    ) async throws(PaykitNetworkError) {
        let response = try await send(
            .put, path(address), of: address.owner, try credential(of: session), body: content, replay: .safe)
        guard 200...299 ~= response.status else { throw refusal(response, of: address.owner, .file) }
    }

    @discardableResult
    package func delete(_ address: PubkyAddress, _ session: PubkySession) async throws(PaykitNetworkError) -> Bool {
        let response = try await send(
            .delete, path(address), of: address.owner, try credential(of: session), replay: .safe)
        if [404, 410].contains(response.status) { return false }
        guard 200...299 ~= response.status else { throw refusal(response, of: address.owner, .file) }
        return true
    }

    // MARK: Requests

    /// Returns the credential of `session`, if it is this homeserver's: an old record that arrives late may lead to a
    /// homeserver that the user has left.
    package func credential(of session: PubkySession) throws(PaykitNetworkError) -> PubkySession.Credential {
        guard session.origin == url.origin else {
            throw PaykitNetworkError(
                .auth,
                "the session is of another homeserver than \(url.host), where the data is said to lie now: "
                    + "sign in again")
        }
        return session.credential
    }

    func path(_ address: PubkyAddress) -> String {
        hasStoragePaths ? "/storage/\(address.owner)\(address.path)" : address.path
    }

    package func send(
        _ method: HTTPRequest.Method, _ path: String, of user: PubkyKey, _ credential: PubkySession.Credential? = nil,
        headers: HTTPHeaders = [:], body: [UInt8] = [], replay: HTTPRequest.Replay? = nil,
        timeout: Duration = .seconds(30), limit: Int = 1 << 16
    ) async throws(PaykitNetworkError) -> HTTPResponse {
        let target: HTTPURL
        do { target = try HTTPURL(url.origin + path) } catch {
            throw PaykitNetworkError(.validationFailed, "the path cannot be asked for: \(error)")
        }
        var request = HTTPRequest(
            method, target, headers: headers, body: body, replay: replay, timeout: timeout, responseLimit: limit)
        // The owner of a key says where its homeserver is.
        request.reachesPrivateNetworks = false
        // Homeservers whose path names the owner ignore the header; others require it.
        request.headers["pubky-host"] = user.text
        switch credential {
        case .cookie(let cookie): request.headers["Cookie"] = "\(user)=\(cookie.reveal())"
        case .bearer(let bearer): request.headers["Authorization"] = "Bearer \(bearer.token.reveal())"
        case nil: break
        }
        if !body.isEmpty, request.headers["Content-Type"] == nil {
            request.headers["Content-Type"] = "application/octet-stream"
        }
        do { return try await http.send(request) } catch { throw PaykitNetworkError(error) }
    }
}

// MARK: - Listings and changes

/// Directories and changes of a homeserver (Protocol 3.5 and 3.6).
extension Homeserver {
    /// Returns one page of the paths below the directory `address`, in their order; nil when there are none. `limit` is
    /// the most entries of a page: 1 to 1000. `cursor` is the last entry of the previous page. `isShallow` is true to
    /// list only the directory itself; directories in it end with a slash.
    package func list(
        _ address: PubkyAddress, limit: Int = 1000, after cursor: PubkyAddress? = nil, isShallow: Bool = false,
        session: PubkySession? = nil
    ) async throws(PaykitNetworkError) -> [PubkyAddress]? {
        var query = "limit=\(min(max(limit, 1), 1000))"
        if let cursor { query += "&cursor=\(PercentCoding.encode(cursor.text))" }
        if isShallow { query += "&shallow=true" }
        let response = try await send(
            .get, "\(path(address))?\(query)", of: address.owner, try session.map(credential), limit: Self.listingLimit)
        switch response.status {
        case 200: break
        case 404, 410: return nil
        default: throw refusal(response, of: address.owner, .file)
        }
        guard let text = String(validating: response.body, as: UTF8.self) else { throw unreadable }
        // Paths outside the directory are ignored: a server could name anything.
        return text.split(separator: "\n").compactMap { try? PubkyAddress(listed: $0) }
            .filter { $0.owner == address.owner && $0.path.hasPrefix(address.path) }
    }

    package static let mostUsers = 50

    package struct Change: Sendable, Hashable {
        package let owner: PubkyKey
        package let cursor: String
    }

    /// Returns those of `users` that have changed something below `path`, each since the given cursor.
    package func changes(
        of users: [PubkyKey: String?], below path: String
    ) async throws(PaykitNetworkError) -> [Change] {
        guard let first = users.keys.first else { return [] }
        let names = users.sorted { $0.key.text < $1.key.text }.map { user, cursor in
            "user=\(user)" + (cursor.map { ":" + PercentCoding.encode($0) } ?? "")
        }
        let response = try await send(
            .get, "/events-stream?\(names.joined(separator: "&"))&path=\(PercentCoding.encode(path))&limit=1000",
            of: first, limit: Self.listingLimit)
        guard response.status == 200 else { throw refusal(response, of: first, .file) }
        guard let text = String(validating: response.body, as: UTF8.self) else { throw unreadable }
        var latest: [PubkyKey: Change] = [:]
        var owner: PubkyKey?
        for line in text.split(whereSeparator: \.isNewline) where line.hasPrefix("data: ") {
            let data = line.dropFirst(6)
            if let address = try? PubkyAddress(listed: data) {
                owner = address.path.hasPrefix(path) && users.keys.contains(address.owner) ? address.owner : nil
            } else if data.hasPrefix("cursor: "), let owner {
                latest[owner] = Change(owner: owner, cursor: String(data.dropFirst(8)))
            }
        }
        return latest.values.sorted { $0.owner.text < $1.owner.text }
    }

    private var unreadable: PaykitNetworkError {
        PaykitNetworkError(.invalidData, "\(url.host) sent a list that is not text")
    }
}

// MARK: - Grants

/// Accounts and sessions by grants (Protocol 10.3 and 10.4).
extension Homeserver {
    static let grantSession = "/auth/grant/session"

    // MARK: Features

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

    /// Opens a session with a grant. An earlier session of the same grant ends. `proof` is a new one each time.
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

    // MARK: A user's grants

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

    /// Maps a refusal to an error. Its text distinguishes refusals of equal status. It is compared, and never repeated.
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

// MARK: - Refusals

/// The meanings of a homeserver's refusals (Protocol 3.4 and 3.5).
extension Homeserver {
    enum Call {
        case signUp
        case signIn
        case session
        case file
        case grants
    }

    /// Maps a refusal to an error. The server's text is not included: it may repeat what was sent.
    func refusal(_ response: HTTPResponse, of user: PubkyKey, _ call: Call) -> PaykitNetworkError {
        let host = url.host
        let (code, message): (PaykitNetworkError.Code, String) =
            switch (response.status, call) {
            case (409, .signUp): (.auth, "\(user) has an account at \(host) already: sign in instead")
            case (400, .signUp), (401, .signUp):
                (
                    .invalidCredentials,
                    "\(host) refused the sign-up: it wants a sign-up token that is unused, or a signature "
                        + "made within the last seconds; compare the device's clock"
                )
            case (400, .signIn), (401, .signIn):
                (
                    .invalidCredentials,
                    "\(host) refused the sign-in: the signature is too old or was used before; compare the "
                        + "device's clock and sign in again"
                )
            case (404, .signIn), (404, .session): (.notFound, "\(host) has no account of \(user): sign up first")
            case (403, .grants):
                (
                    .auth,
                    "\(host) shows other apps' capabilities only to a session that may do everything: "
                        + "sign in with '/:rw'"
                )
            case (409, .file):
                (
                    .validationFailed,
                    "\(host) has a directory where this file should be, or a file where its directory should"
                )
            case (401, _): (.sessionExpired, "the session at \(host) is over: sign in again")
            case (403, _): (.auth, "\(host) does not let this session write there: sign in with more capabilities")
            case (404, .file): (.notFound, "\(host) has no such file of \(user)")
            case (413, _): (.quotaExceeded, "the file is larger than \(host) takes")
            case (429, _): (.rateLimited, "\(host) wants fewer requests; ask again later")
            case (507, _): (.quotaExceeded, "\(host) has no room left for \(user): delete something")
            case (500..., _): (.transport, "\(host) failed (status \(response.status)); try again later")
            default: (.invalidData, "\(host) refused the request (status \(response.status))")
            }
        return PaykitNetworkError(code, message, retryAfter: code == .rateLimited ? response.retryAfter() : nil)
    }
}
