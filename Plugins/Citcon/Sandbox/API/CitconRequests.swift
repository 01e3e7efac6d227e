import PaymentCore
import SandboxSupport

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
