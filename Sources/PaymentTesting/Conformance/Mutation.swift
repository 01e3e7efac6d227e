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

// MARK: - Distorted answers

/// Answers that consistently name another refund, payment or amount than the requested one.
final class Distortion: Sendable {
    private let changes = Mutex(0)
    private let replace: @Sendable (JSONValue) -> JSONValue?

    private init(_ replace: @escaping @Sendable (JSONValue) -> JSONValue?) { self.replace = replace }

    /// True if any answer was changed.
    var hasChanged: Bool { changes.withLock { $0 > 0 } }

    /// Returns every way in which answers can be about something else than `refund`, with a name.
    static func all(of refund: RefundRequest) -> [(String, Distortion)] {
        let amount = refund.amount
        let other = try? amount.with(minorUnits: amount.minorUnits + 1)
        return [
            ("another amount", Distortion { value in other.flatMap { Self.amount($0, instead: amount, of: value) } }),
            ("another currency", Distortion { Self.currency(instead: amount.currency, in: $0) }),
            ("another payment", Distortion { Self.text("another-payment", instead: refund.payment.id, in: $0) }),
        ]
            + (refund.id.isEmpty
                ? [] : [("another refund", Distortion { Self.text("another-refund", instead: refund.id, in: $0) })])
    }

    func apply(to response: HTTPResponse) -> HTTPResponse {
        guard let body = try? JSONValue(parsing: response.body) else { return response }
        var response = response
        response.body = walk(body).serialized()
        return response
    }

    private func walk(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let members): return .object(members.mapValues(walk))
        case .array(let elements): return .array(elements.map(walk))
        default:
            guard let replaced = replace(value) else { return value }
            changes.withLock { $0 += 1 }
            return replaced
        }
    }

    private static func text(_ other: String, instead of: String, in value: JSONValue) -> JSONValue? {
        guard case .string(let text) = value, text.contains(of) else { return nil }
        return .string(text.replacing(of, with: other))
    }

    /// Replaces a currency's code, alone or behind its kind.
    private static func currency(instead currency: Currency, in value: JSONValue) -> JSONValue? {
        guard case .string(let text) = value else { return nil }
        let code = currency.description
        let last = text.split(separator: "/").last.map(String.init)
        guard last?.uppercased() == code.uppercased() else { return nil }
        return .string(text.dropLast(code.utf8.count) + (code == "JPY" ? "EUR" : "JPY"))
    }

    /// Replaces an amount, in minor units or as a decimal, as a number or as text.
    private static func amount(_ other: Money, instead amount: Money, of value: JSONValue) -> JSONValue? {
        switch value {
        case .string(amount.minorUnitText): return .string(other.minorUnitText)
        case .string(amount.decimalText): return .string(other.decimalText)
        case .number(let number) where number.text == amount.minorUnitText:
            return JSONNumber(other.minorUnitText).map { .number($0) }
        case .number(let number) where number.text == amount.decimalText:
            return JSONNumber(other.decimalText).map { .number($0) }
        default: return nil
        }
    }
}

// MARK: - Forged notifications

/// Ways to alter a genuine notification.
enum Forgery {
    /// Returns all altered notifications, each with its name.
    static func all(of genuine: IncomingNotification) -> [(String, IncomingNotification)] {
        let response = HTTPResponse(status: 200, headers: genuine.headers, body: genuine.body)
        var all = Mutation.structured(response).map { mutation in
            (mutation.name, IncomingNotification(headers: genuine.headers, body: mutation.apply(response).body))
        }
        func add(_ name: String, _ body: [UInt8]) {
            all.append((name, IncomingNotification(headers: genuine.headers, body: body)))
        }
        add("an empty body", [])
        add("garbage", [0xFF, 0xFE, 0x00, 0x7B])
        add("half a body", Array(genuine.body.prefix(genuine.body.count / 2)))
        add("10 MB", [UInt8](repeating: 0x20, count: 10 << 20))
        for place in stride(from: 0, to: genuine.body.count, by: max(1, genuine.body.count / 60)) {
            var body = genuine.body
            body[place] ^= 0x01
            add("byte \(place) changed", body)
        }
        for field in genuine.headers.fields {
            var headers = genuine.headers
            headers[field.name] = nil
            all.append(("without \(field.name)", IncomingNotification(headers: headers, body: genuine.body)))
            headers[field.name] = String(field.value.reversed())
            guard headers[field.name] != field.value else { continue }
            all.append(("another \(field.name)", IncomingNotification(headers: headers, body: genuine.body)))
        }
        return all
    }
}

/// Carries one value out of a world.
final class Captured<Value: Sendable>: Sendable {
    private let state = Mutex<Value?>(nil)
    var value: Value? { state.withLock { $0 } }
    func set(_ value: Value) { state.withLock { $0 = value } }
}

// MARK: - Network

/// A network that changes answers, or runs an action around a request.
struct SpoilingTransport: HTTPTransport {
    let base: any HTTPTransport
    let observation: Observation
    /// The answer to spoil.
    var spoiling: (index: Int, mutation: Mutation)?
    /// Changes every answer from the one of this number on.
    var distortion: (from: Int, change: @Sendable (HTTPResponse) -> HTTPResponse)?
    /// Answers every request from the one of this number on, without carrying it out.
    var refusal: (from: Int, answer: HTTPResponse)?
    /// The number of a request that arrives twice; only the second answer comes back.
    var doubled: Int?
    /// An action of another party before the request of this number reaches the service, or after it did and before its
    /// answer comes back.
    var meanwhile: (index: Int, isAfter: Bool, act: @Sendable () async -> Void)?

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let index = observation.responses.count
        if let refusal, index >= refusal.from, observation.refuses {
            observation.note(refusal.answer)
            return refusal.answer
        }
        let mutation = spoiling.flatMap { $0.index == index ? $0.mutation : nil }
        if doubled == index { _ = try await base.send(request) }
        if let meanwhile, meanwhile.index == index, !meanwhile.isAfter { await meanwhile.act() }
        var response = mutation?.isInstead == true ? HTTPResponse(status: 200) : try await base.send(request)
        if let meanwhile, meanwhile.index == index, meanwhile.isAfter { await meanwhile.act() }
        observation.note(response)
        if let mutation { response = mutation.apply(response) }
        if let distortion, index >= distortion.from { response = distortion.change(response) }
        guard response.body.count <= request.responseLimit else {
            throw TransportError(
                .maybeSent, .responseTooLarge(limit: request.responseLimit), origin: request.url.origin)
        }
        return response
    }
}
