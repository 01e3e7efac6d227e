import PaymentCore
import PaymentTesting

/// The fictional custodian itself: it sends every requested payment, once for each key.
actor Custodian: SandboxService {
    /// The payments that were sent, by their names.
    private(set) var sent: [String: (amount: String, key: String)] = [:]

    func respond(to request: HTTPRequest) -> HTTPResponse {
        let path = request.url.path.split(separator: "/").map(String.init)
        let body = (try? JSONValue(parsing: request.body)) ?? .null
        switch (request.method, path.count) {
        case (.get, 2):
            let name = PercentCoding.decode(path[1]) ?? ""
            return answer(name, sent[name] == nil ? "none" : "sent")
        case (.post, 1):
            guard let name = body["name"]?.string, let amount = body["amount"]?.string,
                let key = request.headers["Idempotency-Key"], sent[name]?.key ?? key == key
            else { return HTTPResponse(status: 422) }
            sent[name] = (amount, key)
            return answer(name, "sent")
        default: return HTTPResponse(status: 404)
        }
    }

    private func answer(_ name: String, _ state: String) -> HTTPResponse {
        let body: JSONValue = ["name": .string(name), "state": .string(state)]
        return HTTPResponse(status: 200, headers: ["Content-Type": "application/json"], body: body.serialized())
    }
}
