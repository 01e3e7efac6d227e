import PaymentCore
import PaymentCrypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An error of the service: its code is text, and determines the HTTP status.
struct CitconSandboxError: Error, Sendable, Hashable {
    let status: Int
    let code: String
    let message: String

    static let badRequest = CitconSandboxError(status: 400, code: "4000", message: "bad request")
    static let unauthorized = CitconSandboxError(status: 401, code: "4010", message: "unauthorized")
    static let duplicate = CitconSandboxError(status: 400, code: "4100", message: "duplicate request")
    static let invalidHeader = CitconSandboxError(status: 400, code: "4102", message: "invalid header")
    static let notFound = CitconSandboxError(status: 404, code: "4103", message: "not found")
    static let gatewayTimeout = CitconSandboxError(status: 508, code: "4105", message: "gateway timeout")
    static let gatewayUnavailable = CitconSandboxError(status: 508, code: "4106", message: "gateway unavailable")
    static let gatewayError = CitconSandboxError(status: 508, code: "4107", message: "gateway error")
    static let refundFailed = CitconSandboxError(status: 406, code: "4202", message: "refund failed")
    /// No error of the service is known that withholds an answer; this one has the status for legal reasons (RFC 7725).
    static let withheld = CitconSandboxError(status: 451, code: "4000", message: "bad request")
    static let unsupportedGateway = CitconSandboxError(status: 500, code: "5200", message: "gateway not support")
}

/// Answers of the interface: an envelope in compact JSON, and the header fields that the service sends.
struct CitconEnvelope: Sendable {
    /// `v1.0.0` or an earlier one.
    let version: String

    func success(_ data: WireJSON) -> HTTPResponse {
        Self.response(200, envelope("success", data))
    }

    func failure(_ rejection: CitconSandboxError) -> HTTPResponse {
        Self.response(
            rejection.status, envelope("fail", ["code": .text(rejection.code), "message": .text(rejection.message)]))
    }

    private func envelope(_ status: String, _ data: WireJSON) -> WireJSON {
        ["status": .text(status), "app": "citcon_upi", "version": .text(version), "data": data]
    }

    private static func response(_ status: Int, _ json: WireJSON) -> HTTPResponse {
        let body = json.bytes
        return HTTPResponse(
            status: status,
            headers: [
                "Content-Type": "application/json; charset=utf-8",
                "Cache-Control": "no-cache, no-store, must-revalidate", "Pragma": "no-cache", "Expires": "0",
                "Vary": "Origin, accept-encoding",
                "Strict-Transport-Security": "max-age=15552000; includeSubDomains; preload",
                "Content-Security-Policy": "default-src 'none';", "ETag": entityTag(of: body),
            ], body: body)
    }

    /// Length in hexadecimal, then SHA-1 in base64 without its padding.
    static func entityTag(of body: [UInt8]) -> String {
        let hash = Data(Digest.sha1.hash(body)).base64EncodedString().prefix(27)
        return "W/\"\(String(body.count, radix: 16))-\(hash)\""
    }
}
