import PaykitProvider
import PaymentCore

/// The homeserver: its requests and their authorisation (Protocol 3).
extension PubkySandbox {
    func homeserver(_ request: HTTPRequest) async throws(PubkySandboxError) -> HTTPResponse {
        let method = request.method.rawValue
        switch (method, request.url.path) {
        case ("GET", "/"): return Self.text("Pubky Homeserver")
        case ("POST", "/signup"): return try signUp(request)
        case ("POST", "/session"): return try signIn(request)
        case ("GET", "/events"), ("GET", "/events/"): return try listEvents(request)
        case ("GET", "/events-stream"): return try await streamEvents(request)
        default: break
        }
        if generation != .cookies { return try await generation3Homeserver(request) }
        guard let owner = tenant(of: request) else { throw PubkySandboxError(404, "Pubky Host is missing") }
        try authorize(request, for: owner)
        switch (method, request.url.path) {
        case ("GET", "/session"): return try session(request, of: owner)
        case ("DELETE", "/session"): return signOut(request, of: owner)
        case (_, "/session"): throw .wrongMethod
        case (_, let path) where path.hasPrefix("/dav/"): throw .notFound
        default: return try await files(request, of: owner)
        }
    }

    private func files(_ request: HTTPRequest, of owner: PubkyKey) async throws(PubkySandboxError) -> HTTPResponse {
        try await suffer(owner)
        let path = try PubkyPath(request.url.path)
        await lookAtLinks(reading: path.text, of: owner)
        switch request.method.rawValue {
        case "GET" where path.isDirectory: return try list(path.text, request, of: owner)
        case "GET", "HEAD": return try read(path.text, request, of: owner)
        case "PUT": return try write(path, request, of: owner)
        case "DELETE": return try delete(path.text, of: owner)
        default: throw .wrongMethod
        }
    }

    /// Applies the fault of the homeserver for this owner's files.
    func suffer(_ owner: PubkyKey) async throws(PubkySandboxError) {
        switch plans[owner]?.server {
        case .fails: throw PubkySandboxError(500, "Internal server error")
        case .isBusy: throw PubkySandboxError(429, "Too many requests", headers: ["Retry-After": "7"])
        case .isSlow where configuration.slowness > .zero: try? await clock.sleep(for: configuration.slowness)
        default: break
        }
    }

    /// Returns the owner of the requested storage: the header counts before the host, and the query only if neither
    /// names a user.
    func tenant(of request: HTTPRequest) -> PubkyKey? {
        for text in [request.headers["pubky-host"], request.headers["Host"] ?? request.url.host] {
            if let text, let key = try? PubkyKey(text) { return key }
        }
        return PubkyQuery(request)["pubky-host"].flatMap { try? PubkyKey($0) }
    }

    /// Checks that the request may access the owner's files. The order of the checks is the homeserver's.
    private func authorize(_ request: HTTPRequest, for owner: PubkyKey) throws(PubkySandboxError) {
        let path = request.url.path
        if path == "/session" { return }
        if path.hasPrefix("/pub/") {
            if ["GET", "HEAD"].contains(request.method.rawValue) { return }
        } else if !path.hasPrefix("/dav/") {
            throw PubkySandboxError(403, "Writing to directories other than '/pub/' is forbidden")
        }
        guard let secret = cookie(of: owner, in: request) else {
            throw PubkySandboxError(401, "No session secret found in cookies")
        }
        guard let session = liveSession(secret) else {
            throw PubkySandboxError(401, "No session found for session secret")
        }
        guard session.info.key == owner else {
            throw PubkySandboxError(401, "SessionInfo public key does not match pubky-host")
        }
        guard session.info.capabilities.contains(where: { $0.allowsWriting(path) }) else {
            throw PubkySandboxError(403, "Session does not have write access to path")
        }
    }

    static func text(_ text: String) -> HTTPResponse {
        HTTPResponse(status: 200, headers: ["Content-Type": "text/plain"], body: Array(text.utf8))
    }
}
