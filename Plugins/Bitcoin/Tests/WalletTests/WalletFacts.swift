import BitcoinSandbox
import PaymentCore
import TestSupport

/// One kind of wallet's published interface: the facts in `Tests/Vectors/wallets`, and what breaches them.
struct WalletFacts: Sendable {
    /// A call that the interface has.
    struct Operation: Sendable {
        let json: JSONValue

        var name: String { "\(json["method"]?.string ?? "") \(json["path"]?.string ?? "")" }
        var path: [Substring] { (json["path"]?.string ?? "").split(separator: "/") }
        var placeCount: Int { path.count { $0.hasPrefix("{") } }

        func answer(_ status: Int) -> JSONValue? {
            json["answers"]?[String(status)] ?? json["answers"]?["default"]
        }
    }

    let operations: [Operation]
    private let json: JSONValue
    private let key: String
    private let schema: JSONSchema

    init(_ face: SimulatedNode.Face) throws {
        let name = face == .coreLightning ? "core-lightning" : face.rawValue
        json = try JSONValue(parsing: Array(try Vectors.file("wallets/\(name).json")))
        operations = (json["operations"]?.array ?? []).map(Operation.init)
        key = json["key"]?.string ?? ""
        schema = JSONSchema(root: json)
    }

    /// The operation that a request calls: a literal path takes precedence over one with places.
    func operation(of request: HTTPRequest) -> Operation? {
        let path = request.url.path.split(separator: "/")
        return operations.filter { operation in
            operation.json["method"]?.string == request.method.rawValue && operation.path.count == path.count
                && zip(operation.path, path).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
        }
        .min { $0.placeCount < $1.placeCount }
    }

    /// The values that a type has, or the member of a type.
    func values(of type: String, _ member: String? = nil) -> [JSONValue] {
        let type = json["$defs"]?[type]
        return (member.map { type?["properties"]?[$0] } ?? type)?["enum"]?.array ?? []
    }

    // MARK: Requests

    /// Returns what a request has that the interface does not, and what it lacks.
    func breaches(of request: HTTPRequest) -> [String] {
        guard let operation = operation(of: request) else {
            return ["no call \(request.method.rawValue) \(request.url.path)"]
        }
        var breaches: [String?] = [request.headers[key] == nil ? "no \(key)" : nil]
        let query: JSONValue = [
            "type": "object", "properties": operation.json["query"] ?? [:], "additionalProperties": false,
        ]
        breaches.append(breach(in: items(request.url.query ?? ""), by: query, "query"))
        for (place, part) in zip(operation.path, request.url.path.split(separator: "/")) where place.hasPrefix("{") {
            let type = operation.json["places"]?[String(place.dropFirst().dropLast())] ?? false
            let text = PercentCoding.decode(part, plusIsSpace: false) ?? ""
            breaches.append(breach(in: .string(text), by: type, String(place)))
        }
        breaches.append(breach(ofBody: request, operation.json["body"]))
        return breaches.compactMap { $0.map { "\(operation.name): \($0)" } }
    }

    private func breach(ofBody request: HTTPRequest, _ body: JSONValue?) -> String? {
        let type = request.headers["Content-Type"]
        if let schema = body?["json"] {
            guard type == "application/json", let json = try? JSONValue(parsing: request.body) else {
                return "the body is not JSON"
            }
            return breach(in: json, by: schema, "body")
        }
        if let schema = body?["form"] {
            guard type == "application/x-www-form-urlencoded" else { return "the body is no form" }
            return breach(in: items(String(decoding: request.body, as: UTF8.self)), by: schema, "body")
        }
        return request.body.isEmpty ? nil : "has a body"
    }

    /// The items of a query or form; null where a name comes twice or is broken.
    private func items(_ text: String) -> JSONValue {
        var items: [String: JSONValue] = [:]
        for item in QueryItems(Substring(text)) {
            guard let value = item.decodedValue, items.updateValue(.string(value), forKey: String(item.name)) == nil
            else { return .null }
        }
        return .object(items)
    }

    // MARK: Answers

    /// Returns what a wallet's answer has that the interface does not, and what it lacks.
    func breaches(of response: HTTPResponse, to request: HTTPRequest) -> [String] {
        guard let operation = operation(of: request) else { return breaches(of: request) }
        return breaches(of: response, operation.answer(response.status)).map {
            "\(operation.name) answers \(response.status): \($0)"
        }
    }

    private func breaches(of response: HTTPResponse, _ answer: JSONValue?) -> [String] {
        let text = String(decoding: response.body, as: UTF8.self)
        if let pattern = answer?["text"]?.string {
            guard let regex = try? Regex(pattern), text.contains(regex) else { return ["'\(text)'"] }
            return []
        }
        guard let schema = answer?["json"] ?? answer?["lines"] else { return ["no such status"] }
        let parts = parts(response, answer)
        if parts.isEmpty { return ["nothing"] }
        return parts.compactMap { part in
            part.map { breach(in: $0, by: schema, "answer") } ?? "'\(text)' is not JSON"
        }
    }

    /// The JSON of an answer, or of each of its lines; nil for what is none.
    private func parts(_ response: HTTPResponse, _ answer: JSONValue?) -> [JSONValue?] {
        answer?["lines"] == nil
            ? [try? JSONValue(parsing: response.body)]
            : response.body.split(separator: UInt8(ascii: "\n")).map { try? JSONValue(parsing: $0) }
    }

    /// Returns an answer with what the interface promises, and nothing else.
    func promised(_ response: HTTPResponse, to request: HTTPRequest) -> HTTPResponse {
        let answer = operation(of: request)?.answer(response.status)
        guard let type = answer?["json"] ?? answer?["lines"] else { return response }
        var promised = response
        promised.body = Array(
            parts(response, answer).map { part in
                part.map { schema.promised(of: $0, by: type).serialized() } ?? []
            }
            .joined(separator: [UInt8(ascii: "\n")]))
        return promised
    }

    private func breach(in json: JSONValue, by type: JSONValue, _ place: String) -> String? {
        schema.breach(in: json, by: type).map { "\(place) \($0)" }
    }
}
