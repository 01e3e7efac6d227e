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

    /// Returns the credential of `session`, if it is this homeserver's: an old record that arrives late may lead to one
    /// that the user has left.
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
