import Foundation
import PaymentCore
import PaymentCrypto
import PaymentLoopback
import PaymentRouting
import PaymentTesting
import SandboxSupport
import Synchronization
import TestSupport
import Testing

@testable import PayrouteCommands

/// An answer of `payroute serve`, after it was compared with the description.
struct ServeAnswer: Sendable {
    let status: Int
    let headers: HTTPHeaders
    let body: [UInt8]
    let json: JSONValue
}

/// `payroute serve` before a ``Shop``.
final class ServedShop: Served {
    let shop: Shop
    let api: ServeAPI
    let gateway: LoopbackServer
    let folder: ScratchFolder

    /// Serves from the files in `folder`, as the line `words` says.
    ///
    /// - Parameter records: The store of the payments, in place of a file.
    init(
        _ words: [String] = ["--wallet", "1"], in folder: ScratchFolder = ScratchFolder(), shop: Shop = Shop(),
        tokens: ServeTokens? = nil, records: (any RecordStore)? = nil
    ) async throws {
        (self.folder, self.shop) = (folder, shop)
        gateway = try LoopbackServer(shop)
        let arguments = try Self.arguments(words, folder, gateway.baseURL)
        api = try await ServeCommand.api(arguments, Self.console, tokens: tokens, records: records)
    }

    deinit { gateway.stop() }

    /// Serves from `folder` once the server before has gone, which its tasks may outlive for a moment.
    static func reopened(
        _ words: [String] = ["--wallet", "1"], in folder: ScratchFolder, shop: Shop
    ) async throws -> ServedShop {
        let begun = ContinuousClock.now
        while true {
            do { return try await ServedShop(words, in: folder, shop: shop) } catch JournalError.locked {
                try #require(ContinuousClock.now - begun < .seconds(20), "the file stays locked")
                await Task.yield()
            }
        }
    }

    static func arguments(
        _ words: [String], _ folder: ScratchFolder, _ gateway: HTTPURL
    ) throws -> ParsedArguments {
        let line = words + ["--journal", folder.file("journal"), "--sandbox", gateway.text]
        return try ParsedArguments(line, for: ServeCommand.syntax)
    }

    static var console: Console {
        let file = ScratchFile()
        return Console(
            vendors: SandboxVendors([ShopVendor()]), output: file.descriptor, diagnostics: file.descriptor,
            input: file.descriptor, environment: { _ in nil })
    }
}

extension ServeTable {
    /// Opens a store, which is new if none is given.
    static func opened(
        _ records: any RecordStore = InMemoryRecords(), clock: any PaymentClock = SystemPaymentClock()
    ) async throws -> ServeTable {
        try await ServeTable(records, called: "served", clock: clock)
    }
}

/// A store in memory that fails where a test says so.
final class FaultyRecords: RecordStore {
    struct NoSpace: Error {}

    let base = InMemoryRecords()
    /// Returns true for a write that fails; nil for the renewal of a lease.
    let fails = Mutex<@Sendable (RecordWrite?) -> Bool>({ _ in false })

    func transact(
        _ ranges: [RecordRange], under lease: RecordLease?, at now: Date,
        _ decide: @escaping @Sendable ([[StoredRecord]]) throws -> [RecordWrite]
    ) async throws {
        let fails = fails.withLock(\.self)
        try await base.transact(ranges, under: lease, at: now) { found in
            let writes = try decide(found)
            if writes.contains(where: fails) { throw NoSpace() }
            return writes
        }
    }

    func renew(_ lease: RecordLease, at now: Date) async throws {
        if fails.withLock({ $0(nil) }) { throw NoSpace() }
        try await base.renew(lease, at: now)
    }

    func records(_ ranges: [RecordRange]) async throws -> [[StoredRecord]] { await base.records(ranges) }
    func records(_ query: RecordQuery) async throws -> [StoredRecord] { await base.records(query) }
    func acquire(_ lease: RecordLease, at now: Date) async throws -> Bool {
        if fails.withLock({ $0(nil) }) { throw NoSpace() }
        return await base.acquire(lease, at: now)
    }
    func release(_ lease: RecordLease) async throws { await base.release(lease) }
}

/// A server that is called. Each answer is compared with the description that it serves.
protocol Served: Sendable {
    var api: ServeAPI { get }
    /// The header of calls that name no other.
    var authorization: String? { get }
}

extension ServeAPI: Served {
    var api: ServeAPI { self }
}

/// A server whose tenant is Ann.
extension ServeInterface: Served {
    static let tokens = "ann \(Hex.encode(Digest.sha256.hash(Array("ann".utf8)))) read,pay"
    var authorization: String? { "Bearer ann" }
}

/// An error: the answer is a stream.
private struct NoResponse: Error {}

extension Served {
    var authorization: String? { nil }

    /// Calls the interface.
    @discardableResult
    func call(
        _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil, _ headers: HTTPHeaders = [:]
    ) async throws -> ServeAnswer {
        try await send(method, path, body?.serialized() ?? [], headers)
    }

    @discardableResult
    func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: [UInt8], _ headers: HTTPHeaders = [:]
    ) async throws -> ServeAnswer {
        let url = try HTTPURL("http://127.0.0.1:1" + path)
        var headers = headers
        if let authorization, headers["Authorization"] == nil { headers["Authorization"] = authorization }
        guard
            case .response(let response) = await api.answer(
                to: HTTPRequest(method, url, headers: headers, body: body))
        else { throw NoResponse() }
        let isJSON = response.headers["Content-Type"] == "application/json"
        let json = isJSON ? try JSONValue(parsing: response.body) : .null
        let breach = try Description.shared.breach(
            method, path.split(separator: "?").first.map(String.init) ?? path, response.status,
            isJSON ? .some(json) : .none)
        #expect(breach == nil, "\(method.rawValue) \(path) \(response.status): \(breach ?? "")")
        #expect(response.status < 500 || response.status == 502 || response.status == 503)
        return ServeAnswer(status: response.status, headers: response.headers, body: response.body, json: json)
    }

    /// Begins a payment.
    func begin(
        _ body: JSONValue, key: String = UUID().uuidString, _ headers: HTTPHeaders = [:]
    ) async throws -> ServeAnswer {
        var headers = headers
        headers["Idempotency-Key"] = key
        return try await call(.post, "/v1/payments", body, headers)
    }

    /// Waits until a payment no longer runs, and returns it.
    func settled(_ id: String, _ headers: HTTPHeaders = [:]) async throws -> JSONValue {
        let begun = ContinuousClock.now
        let payment = try await call(.get, "/v1/payments/\(id)?wait=60", nil, headers).json
        #expect(ContinuousClock.now - begun < .seconds(60), "the wait does not end with the run")
        return payment
    }

    /// Begins a payment, and waits until it no longer runs.
    func pay(_ body: JSONValue, key: String = UUID().uuidString) async throws -> JSONValue {
        try await settled(try #require(try await begin(body, key: key).json["id"]?.string))
    }

    /// Answers what a payment asks for, and waits until it no longer runs.
    func answer(_ payment: JSONValue, _ body: JSONValue) async throws -> JSONValue {
        let id = try #require(payment["id"]?.string)
        let action = try #require(payment["action"]?["id"]?.string)
        let answer = try await call(.post, "/v1/payments/\(id)/actions/\(action)", body)
        #expect(answer.status == 202, "\(answer.json.text)")
        return try await settled(id)
    }
}

/// Waits until a condition holds, and fails after a minute.
func eventually(_ words: Comment, _ condition: () async throws -> Bool) async throws {
    let begun = ContinuousClock.now
    while try await !condition() {
        try #require(ContinuousClock.now - begun < .seconds(60), words)
        await Task.yield()
    }
}

/// The served description, as what answers are compared with.
struct Description: Sendable {
    static let shared = Description()

    private let root: JSONValue
    private let definitions: JSONValue

    private init() {
        do { root = try JSONValue(parsing: ServeDescription.text) } catch { preconditionFailure("\(error)") }
        definitions = .object(root["components"]?["schemas"]?.object ?? [:])
    }

    /// The methods and paths that it has: `GET /health`.
    var operations: Set<String> {
        Set(
            (root["paths"]?.object ?? [:]).flatMap { path, item in
                (item.object ?? [:]).keys.filter { $0 != "parameters" }.map { "\($0.uppercased()) \(path)" }
            })
    }

    /// Returns what an answer breaks; nil for nothing.
    func breach(_ method: HTTPRequest.Method, _ path: String, _ status: Int, _ json: JSONValue?) throws -> String? {
        let parts = path.split(separator: "/")
        let item = root["paths"]?.object?.first { template, _ in
            let own = template.split(separator: "/")
            return own.count == parts.count && zip(own, parts).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
        }?.value
        let responses = item?[method.rawValue.lowercased()]?["responses"]
        let content: JSONValue?
        if let response = responses?[String(status)] {
            content = response["content"]?["application/json"]?["schema"]
        } else {
            // Of a path, method or caller that is refused, too.
            guard status >= 400 else { return "the status is not described" }
            content = ["$ref": "#/components/schemas/Error"]
        }
        guard let content, let json else { return content == nil && json == nil ? nil : "is not of the described type" }
        var schema = content
        schema["$defs"] = definitions
        return JSONSchema(root: schema).breach(in: json)
    }
}
