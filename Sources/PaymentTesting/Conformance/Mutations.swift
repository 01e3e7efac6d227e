import PaymentCore
import Synchronization

/// A way to spoil an answer.
struct Mutation: Sendable {
    let name: String
    /// True if the service never sees the request: a report that nothing was done is then true.
    var isInstead = false
    let apply: @Sendable (HTTPResponse) -> HTTPResponse

    /// Statuses that leave open whether the request was carried out.
    static let openStatuses = [408, 409, 425, 429, 500, 502, 503, 504]

    /// Statuses that refuse a request, and faults.
    static let refusals = [400, 401, 403, 404, 409, 410, 422, 429, 500, 501]

    /// Returns every way to spoil `response`.
    static func all(of response: HTTPResponse) -> [Mutation] { plain + structured(response) }

    private static let plain: [Mutation] = [
        Mutation(name: "an empty body") { changed($0, body: []) },
        Mutation(name: "garbage") { changed($0, body: [0xFF, 0xFE, 0x00, 0x7B, 0xC0, 0x80]) },
        Mutation(name: "half a body") { changed($0, body: Array($0.body.prefix($0.body.count / 2))) },
        Mutation(name: "10 MB") { changed($0, body: [UInt8](repeating: 0x20, count: 10 << 20)) },
        Mutation(name: "another content type") { response in
            HTTPResponse(
                status: response.status, headers: ["Content-Type": "text/html"], body: Array("<p>paid</p>".utf8))
        },
        Mutation(name: "status 429", isInstead: true) { _ in HTTPResponse(status: 429, headers: ["Retry-After": "1"]) },
        Mutation(name: "status 500") { _ in HTTPResponse(status: 500) },
        Mutation(name: "a redirect", isInstead: true) { _ in
            HTTPResponse(status: 307, headers: ["Location": "https://elsewhere.example/"])
        },
        Mutation(name: "a repeated field") { response in
            guard let body = try? JSONValue(parsing: response.body), let key = body.object?.keys.min() else {
                return response
            }
            let prefix = "{\(JSONValue.string(key).text):null,"
            return changed(response, body: Array(prefix.utf8) + body.serialized().dropFirst())
        },
    ]

    private static func changed(_ response: HTTPResponse, body: [UInt8]) -> HTTPResponse {
        var response = response
        response.body = body
        return response
    }

    // MARK: One value of a JSON answer at a time

    private enum Place: Hashable {
        case key(String)
        case index(Int)
    }

    /// The highest number of places of one answer that are spoiled.
    private static let maximumPlaces = 60

    static func structured(_ response: HTTPResponse) -> [Mutation] {
        guard let body = try? JSONValue(parsing: response.body) else { return [] }
        var mutations: [Mutation] = []
        for path in paths(in: body, []).prefix(maximumPlaces) {
            guard let value = value(at: path[...], in: body) else { continue }
            let name = name(of: path)
            for (what, replacement) in spoilt(value) {
                mutations.append(
                    Mutation(name: "\(name) \(what)") { response in
                        guard let body = try? JSONValue(parsing: response.body) else { return response }
                        return changed(response, body: replacing(path[...], in: body, with: replacement).serialized())
                    })
            }
        }
        return mutations
    }

    /// Returns one change for each text of a JSON answer that `replacement` replaces.
    static func replacingTexts(
        in response: HTTPResponse, by replacement: (String) -> String?
    ) -> [Mutation] {
        guard let body = try? JSONValue(parsing: response.body) else { return [] }
        return paths(in: body, []).prefix(maximumPlaces).compactMap { path in
            guard case .string(let text)? = value(at: path[...], in: body), let new = replacement(text) else {
                return nil
            }
            return Mutation(name: name(of: path)) { response in
                guard let body = try? JSONValue(parsing: response.body) else { return response }
                return changed(response, body: replacing(path[...], in: body, with: .string(new)).serialized())
            }
        }
    }

    private static func name(of path: [Place]) -> String {
        path.map { if case .key(let key) = $0 { key } else { "[]" } }.joined(separator: ".")
    }

    private static func spoilt(_ value: JSONValue) -> [(String, JSONValue?)] {
        var spoilt: [(String, JSONValue?)] = [("missing", nil)]
        switch value {
        case .string(let text):
            spoilt.append(("unknown", "zz_never_heard_of"))
            if let number = Int64(text) {
                spoilt += [("+1", .string(String(number &+ 1))), ("-1", .string(String(number &- 1)))]
            }
            if text.contains("USD") || text.contains("EUR") { spoilt.append(("in another currency", "iso4217/JPY")) }
            if text.contains("/erc20:"), let last = text.last {
                spoilt.append(("in another currency", .string(text.dropLast() + (last == "0" ? "1" : "0"))))
            }
        case .number(let number):
            if let whole = number.int64 {
                spoilt += [("+1", .number(JSONNumber(whole &+ 1))), ("-1", .number(JSONNumber(whole &- 1)))]
            }
        case .bool(let value):
            spoilt.append(("reversed", .bool(!value)))
        default: break
        }
        return spoilt
    }

    private static func paths(in value: JSONValue, _ path: [Place]) -> [[Place]] {
        switch value {
        case .object(let members):
            members.keys.sorted().flatMap { key in
                [path + [.key(key)]] + paths(in: members[key] ?? .null, path + [.key(key)])
            }
        case .array(let elements):
            // The first elements stand for all.
            elements.indices.prefix(2).flatMap { paths(in: elements[$0], path + [.index($0)]) }
        default: []
        }
    }

    private static func value(at path: ArraySlice<Place>, in value: JSONValue) -> JSONValue? {
        guard let first = path.first else { return value }
        let child: JSONValue? =
            switch first {
            case .key(let key): value[key]
            case .index(let index): value[index]
            }
        return child.flatMap { Self.value(at: path.dropFirst(), in: $0) }
    }

    private static func replacing(
        _ path: ArraySlice<Place>, in value: JSONValue, with replacement: JSONValue?
    ) -> JSONValue {
        guard let first = path.first else { return replacement ?? .null }
        let rest = path.dropFirst()
        switch (first, value) {
        case (.key(let key), .object(var members)):
            members[key] = rest.isEmpty ? replacement : replacing(rest, in: members[key] ?? .null, with: replacement)
            return .object(members)
        case (.index(let index), .array(var elements)) where elements.indices.contains(index):
            elements[index] = replacing(rest, in: elements[index], with: replacement)
            return .array(elements)
        default: return value
        }
    }
}
