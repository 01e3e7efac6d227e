import PaymentCore
import PaymentCrypto

/// The access tokens that a sandbox has issued.
struct CitconTokens: Sendable {
    /// The kind of a token, which determines its use.
    enum Kind: String, Sendable {
        case server, client

        /// The permissions, in the order in which the service lists them.
        var permissions: [String] {
            switch self {
            case .server: ["inquiry", "charge", "vault", "consult", "encryption-config", "refund", "capture"]
            case .client: ["inquiry", "charge"]
            }
        }
    }

    struct Token: Sendable {
        let text: String
        let kind: Kind
        /// Unix seconds.
        let expiry: Int64
    }

    private var current: [Kind: Token] = [:]
    private var issued: [String: Token] = [:]

    /// Returns the valid token of this kind, or a new one.
    mutating func token(_ kind: Kind, now: Int64, lifetime: Int64, random: any RandomSource) -> Token {
        if let token = current[kind], token.expiry > now { return token }
        let token = Token(
            text: Self.make(kind, now: now, expiry: now + lifetime, random: random), kind: kind, expiry: now + lifetime)
        current[kind] = token
        issued[token.text] = token
        return token
    }

    /// Checks the credentials of a request.
    func check(
        _ headers: HTTPHeaders, for permission: String, now: Int64
    ) throws(CitconSandboxError) {
        guard let field = headers["Authorization"], field.hasPrefix("Bearer "),
            let token = issued[String(field.dropFirst(7))], token.expiry > now,
            token.kind.permissions.contains(permission)
        else { throw .unauthorized }
    }

    /// Checks the credentials of a request for which tokens of either kind suffice.
    func check(_ headers: HTTPHeaders, now: Int64) throws(CitconSandboxError) {
        try check(headers, for: "charge", now: now)
    }

    /// Creates a signed token (RFC 7519) behind the service's prefix. Only the sandbox reads its content.
    private static func make(_ kind: Kind, now: Int64, expiry: Int64, random: any RandomSource) -> String {
        let header: WireJSON = ["alg": "HS256", "typ": "JWT"]
        let payload: WireJSON = ["id": .text("sandbox-\(kind.rawValue)"), "iat": .number(now), "exp": .number(expiry)]
        let signed = Base64URL.encode(header.bytes) + "." + Base64URL.encode(payload.bytes)
        let signature = Digest.sha256.authenticate(Array(signed.utf8), key: Array(random.hex(32).utf8))
        return "UPI_" + signed + "." + Base64URL.encode(signature)
    }
}
