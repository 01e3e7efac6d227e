public import PaykitProvider
public import PaymentCore
import PaymentCrypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A session as the homeserver keeps it.
struct PubkySessionRecord: Sendable {
    let info: SessionInfo
    /// True if the homeserver has lost it without notifying anyone.
    var isLost = false
}

/// Accounts and sessions (Protocol 3.2 and 3.4).
extension PubkySandbox {
    /// Returns a token that one user can sign up with: `XXXX-XXXX-XXXX`.
    public func createSignUpToken() -> Redacted<String> {
        let token = (0..<3).map { _ in Crockford.random(4, random) }.joined(separator: "-")
        signUpTokens[token] = false
        return Redacted(token)
    }

    /// Ends all sessions of `user`, as an operator does; their apps are not notified.
    public func endSessions(of user: PubkyKey) {
        sessions = sessions.filter { $0.value.info.key != user }
    }

    func signUp(_ request: HTTPRequest) throws(PubkySandboxError) -> HTTPResponse {
        let token = try verified(request.body)
        guard tenants[token.key] == nil else { throw PubkySandboxError(409, "User already exists") }
        try useSignUpToken(request)
        tenants[token.key] = PubkyTenant(quota: configuration.quota)
        return open(token, request)
    }

    /// Uses up the token of a sign-up, if one is required.
    func useSignUpToken(_ request: HTTPRequest) throws(PubkySandboxError) {
        guard configuration.signUp == .tokenRequired else { return }
        guard let text = PubkyQuery(request)["signup_token"] else { throw PubkySandboxError(400, "Token required") }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.count) == [4, 4, 4], parts.allSatisfy({ Crockford.isText($0) }) else {
            throw PubkySandboxError(400, "Invalid signup token format: it is XXXX-XXXX-XXXX in Crockford's base 32")
        }
        guard let isUsed = signUpTokens[text] else { throw PubkySandboxError(401, "Invalid token") }
        guard !isUsed else { throw PubkySandboxError(401, "Token already used") }
        signUpTokens[text] = true
    }

    func signIn(_ request: HTTPRequest) throws(PubkySandboxError) -> HTTPResponse {
        let token = try verified(request.body)
        guard tenants[token.key] != nil else { throw .notFound }
        return open(token, request)
    }

    func session(_ request: HTTPRequest, of owner: PubkyKey) throws(PubkySandboxError) -> HTTPResponse {
        guard tenants[owner] != nil, let session = cookie(of: owner, in: request).flatMap({ liveSession($0) }) else {
            throw .notFound
        }
        var response = Self.answer(session.info)
        response.headers["Vary"] = "cookie, pubky-host"
        response.headers["Cache-Control"] = "private, must-revalidate"
        return response
    }

    func signOut(_ request: HTTPRequest, of owner: PubkyKey) -> HTTPResponse {
        if let secret = cookie(of: owner, in: request) { sessions[secret] = nil }
        return HTTPResponse(
            status: 200,
            headers: ["Set-Cookie": "\(owner)=; Path=/; Max-Age=0; Expires=\(HTTPDate.text(Date(microseconds: 0)))"])
    }

    func liveSession(_ secret: String) -> PubkySessionRecord? {
        guard let session = sessions[secret], !session.isLost,
            now < session.info.createdAt + configuration.sessionLifetime * 1_000_000
        else { return nil }
        return session
    }

    /// Returns the value of the cookie that is named after `owner`.
    func cookie(of owner: PubkyKey, in request: HTTPRequest) -> String? {
        for field in request.headers.values("Cookie") {
            for pair in field.split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1)
                if parts.count == 2, parts[0].drop(while: { $0 == " " }) == owner.text { return String(parts[1]) }
            }
        }
        return nil
    }

    private func open(_ token: AuthToken, _ request: HTTPRequest) -> HTTPResponse {
        let info = SessionInfo(
            key: token.key, createdAt: now, userAgent: request.headers["User-Agent"] ?? "",
            capabilities: token.capabilities)
        let secret = Crockford.secret(random)
        var session = PubkySessionRecord(info: info)
        if var plan = plans[token.key], plan.server == .losesSession {
            session.isLost = true
            plan.server = nil
            plans[token.key] = plan
        }
        sessions[secret] = session
        let year = 31_536_000
        let end = clock.now.addingTimeInterval(Double(year))
        let isSecure = Self.isSecure(host: request.headers["Host"] ?? request.url.authority)
        var response = Self.answer(info)
        response.headers["Set-Cookie"] =
            "\(token.key)=\(secret); HttpOnly; \(isSecure ? "SameSite=None; Secure; " : "")Path=/; "
            + "Max-Age=\(year); Expires=\(HTTPDate.text(end))"
        return response
    }

    private static func answer(_ info: SessionInfo) -> HTTPResponse {
        HTTPResponse(status: 200, headers: ["Content-Type": "application/octet-stream"], body: info.wire)
    }

    /// Returns true if cookies for this host are for encrypted connections only: a key, or a name with a dot.
    static func isSecure(host: String) -> Bool {
        if (try? PubkyKey(bare: host)) != nil { return true }
        guard let url = try? HTTPURL("https://\(host)"), !host.contains("["), url.port == 443 else { return false }
        // The last label of a name is never a number; that of an IPv4 address always is.
        let labels = url.host.split(separator: ".")
        return labels.count > 1 && labels.last.flatMap { UInt8($0) } == nil
    }

    // MARK: Tokens

    /// Reads a token that is valid now and was not used before; it counts as used from then on.
    private func verified(_ bytes: [UInt8]) throws(PubkySandboxError) -> AuthToken {
        // The real service crashes on a token that is too short.
        guard bytes.count > 115 else { throw Self.unreadable }
        guard bytes[74] == 0 else { throw PubkySandboxError(400, "Unknown version") }
        let time = bytes[75..<83].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let seconds = generation == .cookies ? configuration.tokenWindow : max(configuration.tokenWindow, 180)
        let window = seconds * 1_000_000
        guard time <= now + window else {
            throw PubkySandboxError(
                400,
                "AuthToken has a timestamp that is more than \(seconds) seconds in the future")
        }
        guard time >= now - min(window, now) else {
            throw PubkySandboxError(
                400, "AuthToken has a timestamp that is more than \(seconds) seconds in the past")
        }
        let token: AuthToken
        do { token = try AuthToken(parsing: bytes) } catch {
            throw Self.isWellFormed(bytes) ? PubkySandboxError(400, "Invalid Signature") : Self.unreadable
        }
        // Older ones are refused because of their age.
        usedTokens = usedTokens.filter { $0.value + 2 * window >= now }
        guard usedTokens.updateValue(token.timestamp, forKey: token.id) == nil else {
            throw PubkySandboxError(400, "AuthToken already used")
        }
        return token
    }

    private static let unreadable = PubkySandboxError(400, "Hit the end of buffer, expected more data")

    /// Returns true if everything of a token but its signature can be read.
    private static func isWellFormed(_ bytes: [UInt8]) -> Bool {
        do {
            var reader = ByteReader(bytes, at: 64)
            guard try reader.bytes(11) == Array("PUBKY:AUTH".utf8) + [0] else { return false }
            _ = try reader.uint64()
            _ = try PubkyKey(bytes: reader.bytes(32))
            _ = try PubkyCapability.list(reader.string())
            try reader.end()
            return true
        } catch { return false }
    }
}
