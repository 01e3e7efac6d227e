import PaymentCore
import SandboxSupport

/// What requests must look like before anything is done with them.
enum CitconRequests {
    /// The body, an object.
    static func body(_ request: HTTPRequest) throws(CitconSandboxError) -> JSONValue {
        guard request.mediaType == "application/json" else { throw .invalidHeader }
        guard let body = try? JSONValue(parsing: request.body), body.object != nil else { throw .badRequest }
        return body
    }

    /// An amount in minor units: a whole number above zero, however it is written. `100.0` is 100.
    static func amount(_ value: JSONValue?) throws(CitconSandboxError) -> Int64 {
        guard let amount = value?.int64, amount > 0 else { throw .badRequest }
        return amount
    }

    /// A merchant's own reference.
    static func reference(_ value: JSONValue?) throws(CitconSandboxError) -> String {
        guard let reference = value?.string, !reference.isEmpty, reference.utf8.count <= 255 else { throw .badRequest }
        return reference
    }

    /// The text of an optional member. What is there must be a text.
    static func text(_ value: JSONValue?) throws(CitconSandboxError) -> String? {
        guard let value, !value.isNull else { return nil }
        guard let text = value.string else { throw .badRequest }
        return text
    }

    /// Somewhere to send a payer or a notification to: nothing that runs in a page or ends a header line.
    static func address(_ value: JSONValue?) throws(CitconSandboxError) -> String? {
        guard let text = try text(value), !text.isEmpty else { return nil }
        guard let link = try? PaymentLink(text), let scheme = link.scheme,
            !["javascript", "data", "vbscript", "file", "blob"].contains(scheme)
        else { throw .badRequest }
        return text
    }

    /// The kinds of clients that launch payloads are wanted for.
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
