import PaymentCore
import TestSupport

/// The facts of the service's published OpenAPI descriptions, and a check of requests and answers against them. The
/// checker is independent: it uses no code of the library.
struct APIDescription: Sendable {
    /// One call and its answer.
    struct Exchange: Sendable {
        let request: HTTPRequest
        var response: HTTPResponse
    }

    /// A published operation.
    struct Operation: Sendable {
        let json: JSONValue

        var id: String { json["id"]?.string ?? "" }
        var path: [Substring] { (json["path"]?.string ?? "").split(separator: "/") }
        /// The number of ids in the path.
        var placeCount: Int { path.filter { $0.hasPrefix("{") }.count }
    }

    static let preview = "2026-02-19.preview"

    let schemas: JSONValue
    let rules: [JSONValue]
    let operations: [Operation]
    let samples: [JSONValue]

    static func published() throws -> APIDescription {
        let json = try JSONValue(parsing: Array(try Vectors.data("walletconnect-pay-openapi-facts")))
        return APIDescription(
            schemas: json["schemas"] ?? [:], rules: json["rules"]?.array ?? [],
            operations: (json["operations"]?.array ?? []).map(Operation.init), samples: json["samples"]?.array ?? [])
    }

    // MARK: Exchanges

    /// The operation that a request calls: a literal path takes precedence over one with a place for an id.
    func operation(of request: HTTPRequest) -> Operation? {
        let path = request.url.path.split(separator: "/")
        let fitting = operations.filter { operation in
            operation.json["method"]?.string == request.method.rawValue && operation.path.count == path.count
                && zip(operation.path, path).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
        }
        return fitting.min { $0.placeCount < $1.placeCount }
    }

    /// The parts of an exchange that the description does not have.
    ///
    /// - Parameter undeclared: statuses that are known from elsewhere.
    func problems(of exchange: Exchange, undeclared: Set<Int> = []) -> [String] {
        guard let operation = operation(of: exchange.request) else {
            return ["no operation \(exchange.request.method.rawValue) \(exchange.request.url.path)"]
        }
        return (problems(of: exchange.request, operation) + problems(of: exchange, operation, undeclared)).map {
            "\(operation.id): \($0)"
        }
    }

    private func problems(of request: HTTPRequest, _ operation: Operation) -> [String] {
        var problems: [String] = []
        let version = request.headers["WCP-Version"] ?? Self.preview
        let ways = operation.json["auth"]?.array?.map { $0.array?.compactMap(\.string) ?? [] } ?? []
        if !ways.contains(where: { $0.allSatisfy { request.headers[$0] != nil } }) { problems.append("no credentials") }
        for (name, header) in operation.json["headers"]?.object ?? [:] {
            guard let value = request.headers[name] else {
                if header["required"] == true { problems.append("no header field \(name)") }
                continue
            }
            problems += self.problems(of: .string(value), header, version, name)
        }
        let items = QueryItems(Substring(request.url.query ?? ""))
        let declared = operation.json["query"]?.object ?? [:]
        for item in items {
            guard let type = declared[String(item.name)] else {
                problems.append("no query \(item.name)")
                continue
            }
            let element = type["type"] == "array" ? type["items"] ?? type : type
            problems += self.problems(ofText: item.decodedValue ?? "", element, version, "?\(item.name)")
        }
        for (index, part) in operation.path.enumerated() where part.hasPrefix("{") {
            let value = request.url.path.split(separator: "/")[index]
            let type = operation.json["pathParameters"]?[String(part.dropFirst().dropLast())] ?? [:]
            problems += self.problems(of: .string(String(value)), type, version, String(part))
        }
        guard let wanted = operation.json["request"] else { return problems }
        guard request.headers["Content-Type"] == "application/json",
            let body = try? JSONValue(parsing: request.body)
        else { return problems + ["no body"] }
        problems += self.problems(of: body, ["type": wanted["body"] ?? nil], version, "request")
        for rule in rules where rule["operation"]?.string == operation.id && rule["rule"] == "atLeastOneMember" {
            let members = rule["members"]?.array?.compactMap(\.string) ?? []
            if !members.contains(where: { body[$0] != nil }) { problems.append("request: none of \(members)") }
        }
        return problems
    }

    private func problems(of exchange: Exchange, _ operation: Operation, _ undeclared: Set<Int>) -> [String] {
        let (request, response) = (exchange.request, exchange.response)
        guard let answer = operation.json["responses"]?[String(response.status)] else {
            return undeclared.contains(response.status) ? [] : ["status \(response.status)"]
        }
        guard let body = try? JSONValue(parsing: response.body) else { return ["the answer is not JSON"] }
        let version = request.headers["WCP-Version"] ?? Self.preview
        var problems = self.problems(of: body, ["type": answer["body"] ?? nil], version, "\(response.status)")
        if let codes = answer["codes"]?.array, !codes.contains(body["code"] ?? nil) {
            problems.append("\(response.status) with code \(body["code"]?.text ?? "none")")
        }
        for name in answer["headers"]?.array?.compactMap(\.string) ?? [] where response.headers[name] == nil {
            problems.append("the answer has no header field \(name)")
        }
        return problems
    }

    // MARK: Values

    /// Checks a value of a query, which is text for every type.
    private func problems(ofText text: String, _ type: JSONValue, _ version: String, _ place: String) -> [String] {
        switch type["type"]?.string {
        case "integer":
            guard let number = JSONNumber(text) else { return ["\(place) is no number"] }
            return problems(of: .number(number), type, version, place)
        case "boolean": return ["true", "false"].contains(text) ? [] : ["\(place) is neither true nor false"]
        default: return problems(of: .string(text), type, version, place)
        }
    }

    func problems(of value: JSONValue, schema: String, version: String) -> [String] {
        problems(of: value, ["type": .string("@\(schema)")], version, schema)
    }

    private func problems(of value: JSONValue, _ type: JSONValue, _ version: String, _ place: String) -> [String] {
        if value.isNull, type["nullable"] == true { return [] }
        guard let name = type["type"]?.string else { return ["\(place) has no type in the facts"] }
        if name.hasPrefix("@") {
            let schema = String(name.dropFirst())
            guard let type = schemas[schema] else { return ["\(place) is of the unknown schema \(schema)"] }
            return problems(of: value, type, version, place) + broken(schema, value).map { "\(place): \($0)" }
        }
        switch (name, value) {
        case ("any", _), ("boolean", .bool): return []
        case ("map", .object): return []
        case ("string", .string(let text)): return texts(text, type, version, place)
        case ("integer", .number(let number)): return numbers(number, type, place, isWhole: true)
        case ("number", .number(let number)): return numbers(number, type, place, isWhole: false)
        case ("object", .object(let object)):
            return members(object, type["members"]?.object ?? [:], version, place)
        case ("array", .array(let elements)):
            let bounds = (type["minItems"]?.int64 ?? 0)...(type["maxItems"]?.int64 ?? .max)
            return (bounds.contains(Int64(elements.count)) ? [] : ["\(place) has \(elements.count) elements"])
                + elements.enumerated().flatMap { problems(of: $1, type["items"] ?? [:], version, "\(place)[\($0)]") }
        case ("tagged", .object(let object)):
            let tag = type["tag"]?.string ?? ""
            guard let variant = (object[tag]?.string).flatMap({ type["variants"]?[$0]?.object }) else {
                return ["\(place).\(tag) is \(object[tag]?.text ?? "missing")"]
            }
            return members(object, variant, version, place)
        case ("anyOf", _):
            let all = (type["of"]?.array ?? []).map { problems(of: value, $0, version, place) }
            return all.contains([]) ? [] : all.first ?? []
        default: return ["\(place) is no \(name)"]
        }
    }

    private func members(
        _ object: [String: JSONValue], _ members: [String: JSONValue], _ version: String, _ place: String
    ) -> [String] {
        members.sorted { $0.key < $1.key }.flatMap { name, type -> [String] in
            if let only = type["onlyIn"]?.string, only != version { return [] }
            guard let value = object[name] else {
                return type["required"] == true ? ["\(place).\(name) is missing"] : []
            }
            return problems(of: value, type, version, "\(place).\(name)")
        }
    }

    private func texts(_ text: String, _ type: JSONValue, _ version: String, _ place: String) -> [String] {
        var problems: [String] = []
        let length = (type["minLength"]?.int64 ?? 0)...(type["maxLength"]?.int64 ?? .max)
        if !length.contains(Int64(text.unicodeScalars.count)) { problems.append("\(place) is too long or too short") }
        if let words = type["enum"]?.array {
            let later = type["enumOnlyIn"]?.object ?? [:]
            let isElsewhere = later.contains { $0.key != version && $0.value.array?.contains(.string(text)) == true }
            if !words.contains(.string(text)) || isElsewhere { problems.append("\(place) is '\(text)'") }
        }
        if let pattern = type["pattern"]?.string, let regex = try? Regex(pattern), text.firstMatch(of: regex) == nil {
            problems.append("\(place) does not match \(pattern)")
        }
        let form: Regex<Substring>? =
            switch type["format"]?.string {
            case "email": /[^@\s]+@[^@\s]+\.[^@\s]+/
            case "uri": /[a-z]+:\/\/[^\s]+/
            case "date-time": /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/
            default: nil
            }
        if let form, text.wholeMatch(of: form) == nil { problems.append("\(place) has not its format") }
        return problems
    }

    private func numbers(_ number: JSONNumber, _ type: JSONValue, _ place: String, isWhole: Bool) -> [String] {
        guard let value = number.double, !isWhole || number.int64 != nil else { return ["\(place) is not whole"] }
        let least = type["minimum"]?.number?.double ?? -.infinity
        let most = type["maximum"]?.number?.double ?? .infinity
        return (least...most).contains(value) ? [] : ["\(place) is \(number.text)"]
    }

    /// The rules that a schema cannot express.
    private func broken(_ schema: String, _ value: JSONValue) -> [String] {
        rules.flatMap { rule -> [String] in
            let schemas = rule["schemas"]?.array ?? [rule["schema"] ?? nil]
            guard schemas.contains(.string(schema)), let condition = rule["if"]?.object?.first else { return [] }
            let holds = value[condition.key] == condition.value
            let present = (rule["members"]?.array?.compactMap(\.string) ?? []).filter { value[$0]?.isNull == false }
            switch rule["rule"]?.string {
            case "presentOnlyIf": return holds ? [] : present.map { "has \($0)" }
            case "absentOrNullIf": return holds ? present.map { "has \($0)" } : []
            default: return []
            }
        }
    }
}
