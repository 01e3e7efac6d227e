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

extension PubkySandbox {
    /// The version of the homeserver's interface.
    @nonexhaustive
    public enum Generation: String, Sendable, Hashable, CaseIterable {
        /// Cookies, and public storage only: versions up to 0.9.
        case cookies
        /// Also grants, private storage and strict capabilities: 0.10.
        case grants
        /// Also paths that name the owner of the storage, announced as a feature: 0.12.
        case storagePaths = "storage-paths"
    }

    /// Replaces this homeserver by one of another generation: accounts, files and sessions stay, grants only if it
    /// accepts them.
    public func upgrade(to generation: Generation) {
        self.generation = generation
        if generation == .cookies { grantBook = PubkyGrantStore() }
    }

    /// Answers which generation the homeserver has, or replaces it by the named one.
    func generation(_ request: HTTPRequest) throws(PubkySandboxError) -> HTTPResponse {
        if request.method == .post {
            guard let name = (try? JSONValue(parsing: request.body))?["generation"]?.string,
                let named = Generation(rawValue: name)
            else {
                let names = Generation.allCases.map(\.rawValue).joined(separator: ", ")
                throw PubkySandboxError(400, "a generation is one of \(names)")
            }
            upgrade(to: named)
        } else if request.method != .get {
            throw .wrongMethod
        }
        return Self.answer(["generation": .string(generation.rawValue)])
    }
}

/// The homeserver with grants (Protocol 10): its permissions, in its order, with its words.
extension PubkySandbox {
    func generation3Homeserver(_ request: HTTPRequest) async throws(PubkySandboxError) -> HTTPResponse {
        let method = request.method.rawValue
        let path = request.url.path
        if let response = try grants(request) { return response }
        if generation == .storagePaths {
            if method == "GET", path == "/info" {
                var response = Self.json(["features": ["path-addressed-storage", "unheard-of"]])
                response.headers["Cache-Control"] = "no-store"
                return response
            }
            if path == "/storage" || path.hasPrefix("/storage/") {
                let (owner, rest) = try addressed(path)
                return try await generation3Files(rest, request, of: owner, isAddressed: true)
            }
        }
        guard let owner = tenant(of: request) else {
            throw PubkySandboxError(generation == .grants ? 500 : 400, "Missing request tenant")
        }
        switch (method, path) {
        case ("GET", "/session"):
            guard bearer(in: request) == nil else { throw PubkySandboxError(401, "Unauthorized") }
            guard caller(request, for: owner) != nil else { throw Self.noSession }
            return try session(request, of: owner)
        case ("DELETE", "/session"): return signOut(request, of: owner)
        case (_, "/session"): throw .wrongMethod
        default: return try await generation3Files(try PubkyPath(path, most: Self.mostPath), request, of: owner)
        }
    }

    private static let mostPath = 972

    /// Returns the owner of the storage that a path names, and the path in it.
    private func addressed(_ path: String) throws(PubkySandboxError) -> (PubkyKey, PubkyPath) {
        let rest = path.dropFirst("/storage/".count)
        guard let slash = rest.firstIndex(of: "/") else {
            throw PubkySandboxError(400, rest.isEmpty ? "Missing storage owner or path" : "Missing storage path")
        }
        guard let owner = try? PubkyKey(bare: rest[..<slash]) else {
            throw PubkySandboxError(400, "Invalid storage owner public key")
        }
        return (owner, try PubkyPath(String(rest[slash...]), most: Self.mostPath))
    }

    private func generation3Files(
        _ path: PubkyPath, _ request: HTTPRequest, of owner: PubkyKey, isAddressed: Bool = false
    ) async throws(PubkySandboxError) -> HTTPResponse {
        try await suffer(owner)
        await lookAtLinks(reading: path.text, of: owner)
        let isPrivate = path.text.hasPrefix("/priv/")
        var response: HTTPResponse
        switch request.method.rawValue {
        case "GET", "HEAD":
            try allowReading(path.text, request, of: owner)
            if path.isDirectory {
                guard request.method == .get else { throw .notFound }
                response = try list(path.text, request, of: owner)
            } else {
                response = try read(path.text, request, of: owner)
            }
        case "PUT":
            try allowWriting(path, request, of: owner)
            response = try writeGeneration3(path.text, request, of: owner)
        case "DELETE":
            try allowWriting(path, request, of: owner)
            response = try delete(path.text, of: owner)
        default: throw .wrongMethod
        }
        if isPrivate { response.headers["Cache-Control"] = "no-store" }
        let host = isAddressed ? [] : ["pubky-host"]
        let vary = host + (isPrivate ? ["Authorization", "Cookie"] : [])
        if request.method.isSafe { response.headers["Vary"] = vary.isEmpty ? nil : vary.joined(separator: ", ") }
        return response
    }

    private func allowReading(_ path: String, _ request: HTTPRequest, of owner: PubkyKey) throws(PubkySandboxError) {
        if path.hasPrefix("/pub/") { return }
        guard path.hasPrefix("/priv/") else {
            throw PubkySandboxError(403, "Reading from directories other than '/pub/' and '/priv/' is forbidden")
        }
        guard let caller = caller(request, for: owner) else {
            throw PubkySandboxError(401, "Authentication required to read private storage")
        }
        guard caller.user == owner else { throw Self.wrongTenant }
        guard caller.capabilities.contains(where: { $0.canRead && $0.covers(path) }) else {
            throw PubkySandboxError(403, "Session does not have read access to path")
        }
    }

    private func allowWriting(_ path: PubkyPath, _ request: HTTPRequest, of owner: PubkyKey) throws(PubkySandboxError) {
        guard let caller = caller(request, for: owner) else { throw Self.noSession }
        guard !path.isDirectory else { throw PubkySandboxError(400, "Target path must be a file") }
        guard path.text.hasPrefix("/pub/") || path.text.hasPrefix("/priv/") else {
            throw PubkySandboxError(403, "Writing to directories other than '/pub/' and '/priv/' is forbidden")
        }
        guard caller.user == owner else { throw Self.wrongTenant }
        guard caller.capabilities.contains(where: { $0.canWrite && $0.covers(path.text) }) else {
            throw PubkySandboxError(403, "Session does not have write access to path")
        }
    }

    private static let wrongTenant = PubkySandboxError(403, "Session user does not match target tenant")

    private func writeGeneration3(
        _ path: String, _ request: HTTPRequest, of owner: PubkyKey
    ) throws(PubkySandboxError) -> HTTPResponse {
        guard request.body.count <= configuration.fileLimit else {
            throw PubkySandboxError(413, "length limit exceeded")
        }
        guard let tenant = tenants[owner] else { throw .notFound }
        guard !tenant.isDisabled else { throw PubkySandboxError(403, "User is disabled") }
        guard !tenant.isFull(for: request.body.count, at: path, perFile: 256) else {
            throw PubkySandboxError(507, "Disk space quota exceeded")
        }
        let isBelowFile = path.indices.dropFirst().contains {
            path[$0] == "/" && tenant.files[String(path[..<$0])] != nil
        }
        guard !isBelowFile, !tenant.files.keys.contains(where: { $0.hasPrefix(path + "/") }) else {
            throw PubkySandboxError(409, "File/folder path collision")
        }
        store(request.body, at: path, of: owner)
        return HTTPResponse(status: 201)
    }

    /// Permits a stream of events about private files only for a single user, who is the caller and may read all of
    /// them.
    func allowStream(
        _ paths: [String], of users: Set<PubkyKey>, _ request: HTTPRequest
    ) throws(PubkySandboxError) {
        let hidden = paths.filter { $0.hasPrefix("/priv/") }
        guard !hidden.isEmpty else { return }
        guard users.count == 1, let owner = users.first else {
            throw PubkySandboxError(403, "A private read must be scoped to exactly one user")
        }
        guard let caller = caller(request, for: owner) else { throw Self.noSession }
        guard caller.user == owner else { throw Self.wrongTenant }
        guard hidden.allSatisfy({ path in caller.capabilities.contains { $0.canRead && $0.covers(path) } }) else {
            throw PubkySandboxError(403, "Session does not have read access to path")
        }
    }
}
