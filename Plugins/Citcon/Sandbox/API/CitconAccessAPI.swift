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
