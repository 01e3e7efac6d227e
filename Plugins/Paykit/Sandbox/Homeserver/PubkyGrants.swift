public import PaykitProvider
import PaymentCore
import PaymentCrypto

/// The grants of a homeserver, and the sessions that they opened.
struct PubkyGrantStore: Sendable {
    struct Row: Sendable {
        let grant: PubkyGrant
        /// The time of its first storage: seconds since 1970.
        let storedAt: UInt64
        var isRevoked = false
    }

    struct Bearer: Sendable {
        let grantID: String
        /// Seconds since 1970.
        let end: UInt64
    }

    /// The rows by the grants' ids. The first grant of an id keeps its row, whatever arrives under it later.
    var rows: [String: Row] = [:]
    /// The bearers by their texts: one for each grant.
    private(set) var bearers: [String: Bearer] = [:]
    /// The times when the nonces of proofs were seen.
    private var nonces: [String: UInt64] = [:]

    mutating func open(_ token: String, _ bearer: Bearer) {
        close(bearer.grantID)
        bearers[token] = bearer
    }

    mutating func close(_ grantID: String) { bearers = bearers.filter { $0.value.grantID != grantID } }

    mutating func revoke(_ grantID: String) {
        rows[grantID]?.isRevoked = true
        close(grantID)
    }

    /// Records a nonce; false if it was seen before.
    mutating func isNew(_ nonce: String, now: UInt64) -> Bool {
        nonces = nonces.filter { now < $0.value + 2 * CheckedProof.window }
        return nonces.updateValue(now, forKey: nonce) == nil
    }

    /// Returns the grant behind a bearer that is valid now.
    func row(of token: String, now: UInt64) -> Row? {
        guard let bearer = bearers[token], now < bearer.end, let row = rows[bearer.grantID], !row.isRevoked else {
            return nil
        }
        return row
    }
}

/// Accounts and sessions by grants (Protocol 10.3 and 10.4), with the words of the real service.
extension PubkySandbox {
    /// Ends every session that a grant of `user` opened, as a restart does: the grants stay, and may open others.
    public func endBearers(of user: PubkyKey) {
        for (id, row) in grantBook.rows where row.grant.issuer == user { grantBook.close(id) }
    }

    /// Revokes all grants of `user` to apps.
    public func revokeGrants(of user: PubkyKey) {
        for (id, row) in grantBook.rows where row.grant.issuer == user { grantBook.revoke(id) }
    }

    private static let grantSession = "/auth/grant/session"
    var seconds: UInt64 { now / 1_000_000 }

    /// Answers requests about grants; nil for all others.
    func grants(_ request: HTTPRequest) throws(PubkySandboxError) -> HTTPResponse? {
        let path = request.url.path
        switch (request.method.rawValue, path) {
        case ("POST", Self.grantSession): return try openGrant(request)
        case ("GET", Self.grantSession): return try describeGrant(request)
        case ("DELETE", Self.grantSession):
            if let row = bearer(in: request) { grantBook.revoke(row.grant.id) }
            return HTTPResponse(status: 200)
        case ("POST", "/auth/grant/signup"): return try signUpByGrant(request)
        case ("GET", "/auth/grant/sessions"):
            let user = try root(request)
            let rows = grantBook.rows.values.filter {
                $0.grant.issuer == user && !$0.isRevoked && $0.grant.expiresAt > seconds
            }
            return Self.json(
                .array(rows.map(\.grant).sorted { $0.id < $1.id }.map { PubkyGrantRecord.json(of: $0) }))
        case ("DELETE", _) where path.hasPrefix(Self.grantSession + "/"):
            let id = String(path.dropFirst(Self.grantSession.count + 1))
            guard PubkyGrant.isID(id) else { throw PubkySandboxError(400, "Invalid grant ID format") }
            let user = try root(request)
            guard let row = grantBook.rows[id], !row.isRevoked else { throw .notFound }
            guard row.grant.issuer == user else {
                throw PubkySandboxError(403, "Grant does not belong to authenticated user")
            }
            grantBook.revoke(id)
            return HTTPResponse(status: 200)
        case ("GET", _) where path.hasPrefix("/signup_tokens/"):
            return try signUpToken(String(path.dropFirst("/signup_tokens/".count)))
        default: return nil
        }
    }

    // MARK: Sessions

    private func openGrant(_ request: HTTPRequest) throws(PubkySandboxError) -> HTTPResponse {
        let (grant, text) = try grant(in: request)
        guard grantBook.rows[grant.id]?.isRevoked != true else {
            throw PubkySandboxError(401, "Grant has been revoked")
        }
        try prove(text, of: grant)
        guard tenants[grant.issuer] != nil else { throw .notFound }
        let row = grantBook.rows[grant.id] ?? PubkyGrantStore.Row(grant: grant, storedAt: seconds)
        grantBook.rows[grant.id] = row
        let token = Base64URL.encode(random.bytes(32))
        let bearer = PubkyGrantStore.Bearer(grantID: grant.id, end: seconds + configuration.bearerLifetime)
        grantBook.open(token, bearer)
        if var plan = plans[grant.issuer], plan.server == .losesSession {
            grantBook.close(grant.id)
            plan.server = nil
            plans[grant.issuer] = plan
        }
        return Self.json(["token": .string(token), "session": describe(row, until: bearer.end, from: seconds)])
    }

    private func describeGrant(_ request: HTTPRequest) throws(PubkySandboxError) -> HTTPResponse {
        guard let token = Self.bearerText(request), let row = grantBook.row(of: token, now: seconds),
            let end = grantBook.bearers[token]?.end
        else { throw Self.noSession }
        return Self.json(describe(row, until: end, from: row.storedAt))
    }

    private func describe(_ row: PubkyGrantStore.Row, until end: UInt64, from start: UInt64) -> JSONValue {
        let grant = row.grant
        return GrantSession.json(
            homeserver: homeserver, user: grant.issuer, clientID: grant.clientID, capabilities: grant.capabilities,
            grantID: grant.id, tokenExpiresAt: end, grantExpiresAt: grant.expiresAt, createdAt: start)
    }

    private func signUpByGrant(_ request: HTTPRequest) throws(PubkySandboxError) -> HTTPResponse {
        let (grant, text) = try grant(in: request)
        guard grant.clientID == PubkyGrant.signUpClient else {
            throw PubkySandboxError(400, "signup grants must use client_id pubky.signup")
        }
        guard grant.capabilities.contains(.root) else { throw Self.rootRequired }
        guard grant.issuedAt <= seconds + CheckedProof.window else {
            throw PubkySandboxError(400, "signup grant iat is too far in the future")
        }
        guard grant.expiresAt >= grant.issuedAt, grant.expiresAt - grant.issuedAt <= PubkyGrant.signUpLifetime else {
            throw PubkySandboxError(400, "signup grant lifetime exceeds 5 minutes")
        }
        try prove(text, of: grant)
        guard tenants[grant.issuer] == nil else { throw PubkySandboxError(409, "User already exists") }
        try useSignUpToken(request)
        tenants[grant.issuer] = PubkyTenant(quota: configuration.quota)
        return HTTPResponse(status: 204)
    }

    private func signUpToken(_ text: String) throws(PubkySandboxError) -> HTTPResponse {
        guard configuration.signUp == .tokenRequired else { throw PubkySandboxError(400, "Signup tokens not required") }
        guard let isUsed = signUpTokens[text] else { throw PubkySandboxError(404, "Token not found") }
        var response = Self.json(["status": isUsed ? "used" : "valid", "created_at": "2026-01-01T00:00:00Z"])
        response.headers["Cache-Control"] = "no-store"
        return response
    }

    // MARK: Grants and proofs

    private func grant(in request: HTTPRequest) throws(PubkySandboxError) -> (PubkyGrant, proof: String) {
        guard request.headers["Content-Type"]?.hasPrefix("application/json") == true else {
            throw PubkySandboxError(415, "Expected request with `Content-Type: application/json`")
        }
        guard let json = try? JSONValue(parsing: request.body) else {
            throw PubkySandboxError(400, "Failed to parse the request body as JSON")
        }
        guard let text = json["grant"]?.string, let proof = json["pop"]?.string,
            [text, proof].allSatisfy({ $0.split(separator: ".", omittingEmptySubsequences: false).count == 3 })
        else { throw PubkySandboxError(422, "Failed to deserialize the JSON body into the target type") }
        let grant: PubkyGrant
        do { grant = try PubkyGrant(parsing: text) } catch {
            switch error {
            case .signature: throw PubkySandboxError(401, "Invalid grant: invalid grant signature")
            case .kind: throw PubkySandboxError(400, "Invalid grant: invalid grant header type, expected pubky-grant")
            default: throw PubkySandboxError(400, "Invalid grant: invalid grant format")
            }
        }
        guard grant.expiresAt > seconds else { throw PubkySandboxError(401, "Invalid grant: grant has expired") }
        return (grant, proof)
    }

    private func prove(_ text: String, of grant: PubkyGrant) throws(PubkySandboxError) {
        let proof: CheckedProof
        do { proof = try CheckedProof(text, of: grant, for: homeserver, now: seconds) } catch {
            let words =
                switch error {
                case .signature: "invalid PoP signature"
                case .kind: "invalid PoP header type, expected pubky-pop"
                case .audience: "PoP audience mismatch"
                case .owner: "PoP grant ID mismatch"
                case .time: "PoP timestamp out of range"
                case .format: "invalid PoP format"
                }
            throw PubkySandboxError(401, "Invalid PoP proof: \(words)")
        }
        guard grantBook.isNew(proof.nonce, now: seconds) else { throw PubkySandboxError(401, "PoP nonce already used") }
    }

    // MARK: Callers

    static let noSession = PubkySandboxError(401, "No authenticated session found")
    private static let rootRequired = PubkySandboxError(403, "Root capability required")

    private static func bearerText(_ request: HTTPRequest) -> String? {
        guard let field = request.headers["Authorization"], field.hasPrefix("Bearer ") else { return nil }
        let token = field.dropFirst("Bearer ".count)
        return token.utf8.count == 43 ? String(token) : nil
    }

    /// Returns the grant of the request's bearer; an unknown or expired one counts as none.
    func bearer(in request: HTTPRequest) -> PubkyGrantStore.Row? {
        Self.bearerText(request).flatMap { grantBook.row(of: $0, now: seconds) }
    }

    /// Returns the caller and their permissions. A bearer counts before the cookie that is named after `owner`.
    func caller(_ request: HTTPRequest, for owner: PubkyKey?) -> (user: PubkyKey, capabilities: [PubkyCapability])? {
        if let row = bearer(in: request) { return (row.grant.issuer, row.grant.capabilities) }
        guard let owner, let session = cookie(of: owner, in: request).flatMap({ liveSession($0) }) else { return nil }
        return (session.info.key, session.info.capabilities)
    }

    /// Returns the caller, whose session must have all permissions.
    private func root(_ request: HTTPRequest) throws(PubkySandboxError) -> PubkyKey {
        guard let caller = caller(request, for: tenant(of: request)) else { throw Self.noSession }
        guard caller.capabilities.contains(.root) else { throw Self.rootRequired }
        return caller.user
    }

    static func json(_ value: JSONValue) -> HTTPResponse {
        HTTPResponse(status: 200, headers: ["Content-Type": "application/json"], body: value.serialized())
    }
}
