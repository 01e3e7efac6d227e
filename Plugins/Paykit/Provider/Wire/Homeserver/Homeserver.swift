package import PaymentCore

/// The calls of one homeserver, at its ordinary web address (Protocol 3).
package struct Homeserver: Sendable {
    package let url: HTTPURL
    /// Whether its paths say whose storage is meant (Protocol 10.6); otherwise a header does.
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

    /// Opens a session with `token`; for a new user with `isSignUp`.
    package func open(
        _ token: AuthToken, isSignUp: Bool, signUpToken: Redacted<String>? = nil
    ) async throws(PaykitNetworkError) -> PubkySession {
        var path = isSignUp ? "/signup" : "/session"
        if isSignUp, let signUpToken { path += "?signup_token=\(PercentCoding.encode(signUpToken.reveal()))" }
        // A token works once: the second arrival of it would be refused as used.
        let response = try await send(.post, path, of: token.key, body: token.bytes)
        guard response.status == 200 else { throw refusal(response, of: token.key, isSignUp ? .signUp : .signIn) }
        let info = try session(response, of: token.key)
        guard let cookie = Self.cookie(of: token.key, in: response) else {
            throw PaykitNetworkError(.invalidData, "\(url.host) opened a session without a cookie")
        }
        return PubkySession(user: token.key, capabilities: info.capabilities, cookie: cookie, origin: url.origin)
    }

    /// Asks what a cookie of `user` may do; nil when the homeserver knows no such session.
    package func session(_ cookie: Redacted<String>, of user: PubkyKey) async throws(PaykitNetworkError)
        -> PubkySession?
    {
        let response = try await send(.get, "/session", of: user, .cookie(cookie))
        if [401, 404].contains(response.status) { return nil }
        guard response.status == 200 else { throw refusal(response, of: user, .session) }
        return PubkySession(
            user: user, capabilities: try session(response, of: user).capabilities, cookie: cookie, origin: url.origin)
    }

    /// Ends a session. Behind a bearer the grant itself ends, and with it all that it could open.
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
        guard info.key == user else {
            throw PaykitNetworkError(
                .invalidCredentials, "\(url.host) opened a session of another user; it is not used")
        }
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

    /// A file as it was read.
    package struct File: Sendable, Hashable {
        package let content: [UInt8]
        /// What names this content; sent back, it asks whether it is still the same.
        package let tag: String?
    }

    /// What a conditional question brings.
    package enum Reading: Sendable, Hashable {
        case file(File)
        case unchanged
        case missing
    }

    /// Reads the file at `address`.
    ///
    /// - Parameter tag: what an earlier reading had; where it is still the same, it is not sent again.
    package func read(
        _ address: PubkyAddress, session: PubkySession? = nil, unlessStill tag: String? = nil
    ) async throws(PaykitNetworkError) -> Reading {
        var headers: HTTPHeaders = [:]
        if let tag { headers["If-None-Match"] = tag }
        let response = try await send(
            .get, path(address), of: address.owner, try session.map(credential), headers: headers,
            limit: Self.fileLimit)
        switch response.status {
        case 200: return .file(File(content: response.body, tag: response.headers["ETag"]))
        case 304 where tag != nil: return .unchanged
        case 404, 410: return .missing
        default: throw refusal(response, of: address.owner, .file)
        }
    }

    /// Writes a file. The same content twice is the same file.
    package func write(
        _ content: [UInt8], to address: PubkyAddress, _ session: PubkySession
    ) async throws(PaykitNetworkError) {
        let response = try await send(
            .put, path(address), of: address.owner, try credential(of: session), body: content, replay: .safe)
        guard 200...299 ~= response.status else { throw refusal(response, of: address.owner, .file) }
    }

    /// Deletes a file.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    package func delete(_ address: PubkyAddress, _ session: PubkySession) async throws(PaykitNetworkError) -> Bool {
        let response = try await send(
            .delete, path(address), of: address.owner, try credential(of: session), replay: .safe)
        if [404, 410].contains(response.status) { return false }
        guard 200...299 ~= response.status else { throw refusal(response, of: address.owner, .file) }
        return true
    }

    // MARK: Requests

    /// What `session` shows, if it is this homeserver's: an old record, brought late, may lead to one that the user has
    /// left.
    package func credential(of session: PubkySession) throws(PaykitNetworkError) -> PubkySession.Credential {
        guard session.origin == url.origin else {
            throw PaykitNetworkError(
                .auth,
                "the session is of another homeserver than \(url.host), where the data is said to lie now: "
                    + "sign in again")
        }
        return session.credential
    }

    /// Where a file or directory is asked for.
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
        // Where the path says it, the header is not looked at; elsewhere it has to be there.
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
