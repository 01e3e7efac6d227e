import PaymentCore
import PaymentCrypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Access tokens, and the configuration that an app reads before it pays.
extension CitconSandbox {
    func accessToken(_ request: HTTPRequest) throws(CitconSandboxError) -> HTTPResponse {
        var key = request.headers["Authorization"] ?? ""
        // One live integration sends the key without a prefix.
        if key.hasPrefix("Bearer ") { key = String(key.dropFirst(7)) }
        guard ConstantTime.equal(key.utf8, configuration.privateKey.reveal().utf8) else { throw .unauthorized }
        let body = try CitconRequests.body(request)
        guard let kind = body["token_type"]?.string.flatMap(CitconTokens.Kind.init) else { throw .badRequest }
        let token = token(kind)
        return envelope.success([
            "access_token": .text(token.text), "token_type": .text(kind.rawValue),
            "expiry": .number(configuration.layer.stamp(token.expiry)),
            "permission": .array(kind.permissions.map(WireJSON.text)),
        ])
    }

    /// The merchant's client id at PayPal.
    static let payPalClient = "PPCP-CI_SANDBOX"

    func config(_ request: HTTPRequest) throws(CitconSandboxError) -> HTTPResponse {
        try tokens.check(request.headers, for: "charge", now: now)
        let body = try CitconRequests.body(request)
        guard let method = body["payment"]?["method"]?.string, !method.isEmpty else { throw .badRequest }
        guard let gateway = CitconGateway(method: method) else { throw .unsupportedGateway }
        let clientToken = Data(WireJSON.text("braintree-" + random.hex(32)).bytes).base64EncodedString()
        if gateway == .braintree { clientTokens.insert(clientToken) }
        let keys: WireJSON =
            switch gateway {
            case .braintree:
                [
                    "publishable_key": .text("sandbox_" + random.hex(24)),
                    "client_token": .text(clientToken),
                ]
            case .cashapp:
                [
                    "client_id": .text("CAS-CI_SANDBOX"), "merchant_id": .text("MMI_" + random.hex(20)),
                    "brand_id": .text("BRAND_" + random.hex(20)),
                ]
            case .ppcp: ["client_id": .text(Self.payPalClient)]
            default: [:]
            }
        return envelope.success([
            "object": "config", "gateway": .text(gateway.rawValue), "config": keys,
            "payment": ["method": .text(method)],
        ])
    }
}

/// The access tokens that a sandbox has issued.
struct CitconTokens: Sendable {
    /// The kind of a token, which determines its use.
    enum Kind: String, Sendable {
        case server, client

        /// The permissions, in the service's order.
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

    /// Checks the credentials of a request that accepts tokens of either kind.
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
