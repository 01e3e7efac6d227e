import PaymentCore
import PaymentCrypto
import SandboxSupport

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
    /// No error of the service is known that withholds an answer. This one has the status for legal reasons (RFC 7725).
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

/// The rules for request bodies and their members.
enum CitconRequests {
    /// Returns the body, an object.
    static func body(_ request: HTTPRequest) throws(CitconSandboxError) -> JSONValue {
        guard request.mediaType == "application/json" else { throw .invalidHeader }
        guard let body = try? JSONValue(parsing: request.body), body.object != nil else { throw .badRequest }
        return body
    }

    /// Returns an amount in minor units: a whole number above zero in any notation. `100.0` is 100.
    static func amount(_ value: JSONValue?) throws(CitconSandboxError) -> Int64 {
        guard let amount = value?.int64, amount > 0 else { throw .badRequest }
        return amount
    }

    /// Returns a merchant's own reference.
    static func reference(_ value: JSONValue?) throws(CitconSandboxError) -> String {
        guard let reference = value?.string, !reference.isEmpty, reference.utf8.count <= 255 else { throw .badRequest }
        return reference
    }

    /// Returns the text of an optional member; nil when it is absent. A member of another type is an error.
    static func text(_ value: JSONValue?) throws(CitconSandboxError) -> String? {
        guard let value, !value.isNull else { return nil }
        guard let text = value.string else { throw .badRequest }
        return text
    }

    /// Returns an address for a payer or a notification, excluding any that runs in a page or ends a header line.
    static func address(_ value: JSONValue?) throws(CitconSandboxError) -> String? {
        guard let text = try text(value), !text.isEmpty else { return nil }
        guard let link = try? PaymentLink(text), let scheme = link.scheme,
            !["javascript", "data", "vbscript", "file", "blob"].contains(scheme)
        else { throw .badRequest }
        return text
    }

    /// Returns the kinds of clients that launch payloads are requested for.
    static func clients(_ value: JSONValue?) throws(CitconSandboxError) -> [String] {
        guard let value, !value.isNull else { return [] }
        guard let list = value.array else { throw .badRequest }
        var clients: [String] = []
        for client in list.map(\.string) {
            guard let client, ["desktop", "mobile_browser", "mobile_native"].contains(client) else {
                throw .badRequest
            }
            if !clients.contains(client) { clients.append(client) }
        }
        return clients
    }
}

/// A JSON text whose members keep their given order, as the service writes them.
enum WireJSON: Sendable {
    case value(JSONValue)
    case array([WireJSON])
    case object([(String, WireJSON)])

    static func text(_ text: String) -> WireJSON { .value(.string(text)) }

    /// The text, or `null`.
    static func text(orNull text: String?) -> WireJSON { .value(text.map(JSONValue.string) ?? .null) }

    static func number(_ number: Int64) -> WireJSON { .value(.number(JSONNumber(number))) }

    /// The number, or `null`.
    static func number(orNull number: Int64?) -> WireJSON { number.map(Self.number) ?? .value(.null) }

    /// Returns this object with another value for an existing member.
    func setting(_ name: String, _ value: WireJSON) -> WireJSON {
        guard case .object(let members) = self else { return self }
        return .object(members.map { ($0.0, $0.0 == name ? value : $0.1) })
    }

    /// Returns this object with an existing plain value changed.
    func changing(_ name: String, _ change: (JSONValue) -> JSONValue) -> WireJSON {
        guard case .object(let members) = self else { return self }
        return .object(
            members.map { member in
                guard member.0 == name, case .value(let value) = member.1 else { return member }
                return (name, .value(change(value)))
            })
    }

    /// The compact text as UTF-8.
    var bytes: [UInt8] {
        switch self {
        case .value(let value): value.serialized()
        case .array(let elements): Self.list(elements.map(\.bytes), "[", "]")
        case .object(let members):
            Self.list(members.map { JSONValue.string($0).serialized() + ":".utf8 + $1.bytes }, "{", "}")
        }
    }

    /// The compact text.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    private static func list(_ parts: [[UInt8]], _ open: String, _ close: String) -> [UInt8] {
        Array(open.utf8) + parts.joined(separator: Array(",".utf8)) + Array(close.utf8)
    }
}

extension WireJSON: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByStringLiteral,
    ExpressibleByNilLiteral, ExpressibleByIntegerLiteral
{
    init(dictionaryLiteral elements: (String, WireJSON)...) { self = .object(elements) }
    init(arrayLiteral elements: WireJSON...) { self = .array(elements) }
    init(stringLiteral value: String) { self = .text(value) }
    init(nilLiteral: ()) { self = .value(.null) }
    init(integerLiteral value: Int64) { self = .number(value) }
}
