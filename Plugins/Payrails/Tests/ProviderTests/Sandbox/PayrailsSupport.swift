import Foundation
import PaymentCore
import PaymentLoopback
import PaymentTesting
import PayrailsSandbox
import TestSupport
import Testing

@testable import PayrailsKit
@testable import PayrailsProvider

typealias PayrailsScenario = PayrailsSandbox.Scenario

extension PayrailsSandbox: WorldSandbox {
    static var origin: String { "https://api-pub.payrails.io" }
}

/// A sandbox, for exactly the given requests, the vendor's client and routers.
typealias PayrailsWorld = VendorWorld<PayrailsSandbox, Void>

extension PayrailsWorld {
    init(seed: UInt64 = 1, _ configure: (inout PayrailsSandbox.Configuration) -> Void = { _ in }) {
        var configuration = PayrailsSandbox.Configuration()
        configure(&configuration)
        self.init(seed: seed) { PayrailsSandbox(configuration, clock: $0, random: $1) }
    }

    func open(
        _ scenario: PayrailsScenario = .paid, amount: Money? = nil, holder: String? = nil
    ) async throws -> PayrailsClient {
        let session = await sandbox.createSession(
            scenario, amount: amount, holder: holder, base: server?.baseURL)
        return try PayrailsClient(self, session)
    }

    /// A merchant's call with a fresh access token.
    func merchant(
        _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil, key: String = UUID().uuidString
    ) async throws -> PayAnswer {
        let token = try await send(
            .post, "/auth/token/sandbox-merchant", headers: [("x-api-key", "sandbox-secret")])
        let access = try #require(token.json["access_token"]?.string)
        return try await send(
            method, path, body, headers: [("Authorization", "Bearer \(access)"), ("x-idempotency-key", key)])
    }

    func payer(_ behaviour: PayrailsSandbox.PayerBehaviour) -> Payer {
        guard server != nil else { return sandbox.payer(behaviour) }
        return PayrailsSandbox.payer(behaviour, transport: wire)
    }

    // MARK: The payer's side

    /// A new session as the vendor's client opens it.
    func session(_ scenario: PayrailsScenario) async throws -> (PayrailsSandbox.Session, PayrailsSession) {
        let made = await sandbox.createSession(scenario)
        return (made, try session(made))
    }

    func session(
        _ made: PayrailsSandbox.Session, over transport: (any HTTPTransport)? = nil,
        random: any RandomSource = SystemRandomSource(), onSessionExpired: Payrails.SessionExpiredHandler? = nil
    ) throws -> PayrailsSession {
        try PayrailsSession(
            Payrails.Configuration(initData: Payrails.InitData(version: made.version, data: made.data.reveal())),
            transport: transport ?? wire, clock: clock, random: random, onSessionExpired: onSessionExpired)
    }
}

extension PayAnswer {
    /// `404 request.not-found`, or the status alone.
    var failure: String {
        guard let code = json["errors"]?[0]?["code"]?.string else { return "\(status)" }
        return "\(status) \(code)"
    }
}

/// A client of one session that follows the links it receives, and records its requests.
final class PayrailsClient: @unchecked Sendable {  // Used by one task at a time.
    static let returnInfo: JSONValue = [
        "success": "https://assets.payrails.io/html/payrails-success.html",
        "cancel": "https://assets.payrails.io/html/payrails-cancel.html",
        "error": "https://assets.payrails.io/html/payrails-error.html",
    ]

    let world: PayrailsWorld
    let session: PayrailsSandbox.Session
    let payload: JSONValue
    /// The method, and the path behind the execution's address.
    private(set) var requests: [String] = []

    init(_ world: PayrailsWorld, _ session: PayrailsSandbox.Session) throws {
        self.world = world
        self.session = session
        payload = try Self.payload(session.data.reveal())
    }

    /// The payload of init data.
    static func payload(_ data: String) throws -> JSONValue {
        try JSONValue(parsing: Array(try #require(Data(base64Encoded: data))))
    }

    var token: String { payload["token"]?.string ?? "" }
    var execution: String { payload["execution"]?["links"]?["self"]?.string ?? "" }
    var amount: JSONValue { payload["amount"] ?? .null }

    private var lookup: JSONValue? { payload["execution"]?["initialResults"]?[0]?["body"] }

    func option(_ method: String) -> JSONValue? {
        lookup?["data"]?["paymentCompositionOptions"]?.array?.first { $0["paymentMethodCode"]?.string == method }
    }

    /// The first instrument that a client would offer.
    func instrument(_ method: String = "card") throws -> JSONValue {
        try #require(
            option(method)?["paymentInstruments"]?.array?.first {
                ["enabled", "created"].contains($0["status"]?.string) && $0["createdAt"] != nil
            })
    }

    func send(
        _ method: HTTPRequest.Method, _ url: String, _ body: JSONValue? = nil, key: String = UUID().uuidString
    ) async throws -> PayAnswer {
        requests.append("\(method.rawValue) \(url.replacing(execution, with: ""))")
        return try await world.send(
            method, url, body, headers: [("Authorization", "Bearer \(token)"), ("x-idempotency-key", key)])
    }

    // MARK: Paying

    func body(_ composition: JSONValue) -> JSONValue {
        var composition = composition
        composition["amount"] = amount
        if composition["integrationType"] == nil { composition["integrationType"] = "api" }
        if composition["storeInstrument"] == nil { composition["storeInstrument"] = false }
        return ["amount": amount, "returnInfo": Self.returnInfo, "paymentComposition": [composition]]
    }

    func stored(_ method: String = "card") throws -> JSONValue {
        body(["paymentInstrumentId": try instrument(method)["id"] ?? .null, "paymentMethodCode": .string(method)])
    }

    var newPayPal: JSONValue {
        body([
            "paymentMethodCode": "payPal",
            "paymentInstrumentData": ["encryptedData": nil, "vaultProviderConfigId": nil],
        ])
    }

    var redirect: JSONValue { body(["paymentMethodCode": "ideal", "integrationType": "hpp"]) }

    func authorize(_ body: JSONValue, key: String = UUID().uuidString) async throws -> PayAnswer {
        let link = try #require(lookup?["links"]?["authorize"])
        return try await send(.post, try #require(link["href"]?.string), body, key: key)
    }

    func read() async throws -> JSONValue { try await send(.get, execution).json }

    func codes() async throws -> [String] {
        (try await read())["status"]?.array?.compactMap { $0["code"]?.string } ?? []
    }

    func captures() async -> Int { await world.captures(session.id) }
}

/// The polling algorithm of the vendor's client, written from its description.
extension PayrailsClient {
    enum Polled: Equatable {
        case success
        case failed(String)
        case pending(JSONValue)
        case pollingFailed(attempts: Int)
        case finalStatusNotFound
        case waitingFailed
        case unauthorized
    }

    /// - Parameter terminalWins: true if a refusal or success outweighs a newer pending status. The vendor's does not.
    func poll(
        for targets: Set<String> = ["authorizePending", "authorizeSuccessful", "authorizeFailed"],
        terminalWins: Bool = false
    ) async throws -> Polled {
        var found: (execution: JSONValue, requested: String)?
        var attempts = 0
        while attempts < 10, found == nil {
            if attempts > 0 { try await world.clock.sleep(for: .seconds(1)) }
            attempts += 1
            let answer = try await send(.get, execution)
            guard answer.status == 200 else { break }
            if let requested = statuses(answer.json).first(where: { $0.code == "authorizeRequested" }) {
                found = (answer.json, requested.time)
            }
        }
        guard let (first, requested) = found else { return .pollingFailed(attempts: attempts) }
        if let result = result(first, requested, targets, terminalWins) { return result }
        let answer = try await wait(while: first)
        if answer.status == 401 { return .unauthorized }
        guard answer.status == 200 else { return .waitingFailed }
        return result(answer.json, requested, targets, terminalWins) ?? .finalStatusNotFound
    }

    func wait(while execution: JSONValue) async throws -> PayAnswer {
        let list = statuses(execution).map { "%22\($0.code)%22" }.joined(separator: ",")
        return try await send(.get, self.execution + "?waitWhile%5Bstatus%5D=%5B\(list)%5D")
    }

    private typealias Status = (code: String, time: String, body: JSONValue)

    /// The statuses, newest first. Times of one form sort as texts.
    private func statuses(_ execution: JSONValue) -> [Status] {
        (execution["status"]?.array ?? []).map { ($0["code"]?.string ?? "", $0["time"]?.string ?? "", $0) }
            .sorted { $0.1 > $1.1 }
    }

    private func result(
        _ execution: JSONValue, _ requested: String, _ targets: Set<String>, _ terminalWins: Bool
    ) -> Polled? {
        let all = statuses(execution)
        // Five seconds' tolerance: only the seconds of the same minute are compared, which is enough here.
        let current = all.filter { targets.contains($0.code) && !Self.isLong(before: requested, $0.time) }
        let terminal = current.first { $0.code != "authorizePending" }
        guard let status = terminalWins ? terminal ?? current.first : current.first else {
            return all.contains { $0.code == "authorizeSuccessful" } ? .success : nil
        }
        switch status.code {
        case "authorizeSuccessful": return .success
        case "authorizeFailed":
            let error = status.body["errors"]?[0]
            return .failed(error?["reason"]?["result"]?.string ?? error?["detail"]?.string ?? "Authorization failed")
        default: return .pending(execution)
        }
    }

    private static func isLong(before requested: String, _ time: String) -> Bool {
        guard let one = seconds(time), let other = seconds(requested) else { return true }
        return one < other - 5
    }

    private static func seconds(_ text: String) -> Double? {
        guard let dot = text.firstIndex(of: "."), text.hasSuffix("Z"),
            let date = ISO8601DateFormatter().date(from: text[..<dot] + "Z"),
            let fraction = Double("0" + text[dot...].dropLast())
        else { return nil }
        return date.timeIntervalSince1970 + fraction
    }

    /// Pays with `body` as a careful client would.
    func pay(_ body: JSONValue, _ payer: Payer) async throws -> PayrailsScenario.Outcome {
        let answer = try await authorize(body)
        guard (200..<300).contains(answer.status) else { return .refused }
        guard answer.json["name"] == "authorize" else { return .unknown }
        return try await outcome(try await poll(terminalWins: true), payer)
    }

    private func outcome(_ polled: Polled, _ payer: Payer, acted: Bool = false) async throws -> PayrailsScenario.Outcome
    {
        switch polled {
        case .success: return .paid
        case .failed: return .declined
        case .pollingFailed, .finalStatusNotFound, .waitingFailed, .unauthorized: return .unknown
        case .pending(let execution) where execution["actionRequired"] != nil && !acted:
            return try await act(execution, payer)
        case .pending(let execution):
            let later = try await wait(while: execution).json
            return result(later, "", ["authorizeSuccessful", "authorizeFailed"], true) == .success
                ? .paid : .pending
        }
    }

    private func act(_ execution: JSONValue, _ payer: Payer) async throws -> PayrailsScenario.Outcome {
        let links = execution["links"]
        let confirm = links?["confirm"]
        let page = try #require((links?["3ds"] ?? confirm?["action"]?["redirectUrl"] ?? links?["redirect"])?.string)
        let urls = Self.returnInfo.object?.values.compactMap(\.string) ?? []
        let request = PageRequest(url: try HTTPURL(page), returnURLs: urls)
        let link = try await payer.browser?(request)
        if let confirm, let link, link.text.hasPrefix(urls.first { $0.contains("success") } ?? "-") {
            let items = QueryItems(link.query ?? "")
            let answer = try await send(
                .post, try #require(confirm["href"]?.string),
                [
                    "data": [
                        "orderId": .string(String(items.values("token").first ?? "")),
                        "payerId": .string(String(items.values("PayerID").first ?? "")),
                        "tokenId": confirm["action"]?["parameters"]?["tokenId"] ?? .null,
                    ]
                ])
            guard answer.status == 202 else { return .unknown }
        }
        return try await outcome(
            try await poll(for: ["authorizeSuccessful", "authorizeFailed"], terminalWins: true), payer, acted: true)
    }
}
