import CitconSandbox
import Foundation
import PaymentCore
import PaymentLoopback
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing

@testable import CitconKit
@testable import CitconProvider

extension CitconSandbox: WorldSandbox {
    static var origin: String { "https://api.sandbox.citconpay.com" }
}

/// A Citcon sandbox, for exactly the given requests, the vendor's client and routers.
typealias CitconWorld = VendorWorld<CitconSandbox, Void>

extension CitconWorld {
    init(seed: UInt64 = 4, _ configure: (inout CitconSandbox.Configuration) -> Void = { _ in }) {
        var configuration = CitconSandbox.Configuration()
        configure(&configuration)
        self.init(at: 1_789_000_000, seed: seed) { CitconSandbox(configuration, clock: $0, random: $1) }
    }

    func payer(_ behaviour: CitconSandbox.Behaviour = .pays) -> Payer {
        guard let server else { return sandbox.payer(behaviour) }
        return CitconSandbox.payer(behaviour, at: server.baseURL, over: wire)
    }

    // MARK: Requests

    func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil, bearer: String?
    ) async throws -> PayAnswer {
        try await send(method, path, body, headers: bearer.map { [("Authorization", "Bearer \($0)")] } ?? [])
    }

    func token(_ kind: String = "server") async throws -> String {
        let key = CitconSandbox.privateKey.reveal()
        let answer = try await send(.post, "/v1/access-tokens", ["token_type": .string(kind)], bearer: key)
        return try #require(answer.json["data"]?["access_token"]?.string)
    }

    /// A call with an access token: `POST` with a body, `GET` without one.
    func call(_ path: String, _ body: JSONValue? = nil, as kind: String = "server") async throws -> PayAnswer {
        try await send(body == nil ? .get : .post, "/v1/" + path, body, bearer: try await token(kind))
    }

    /// The smallest recorded request for a charge.
    static func order(_ reference: String, method: String? = "alipay", clients: [String] = []) -> JSONValue {
        var order: JSONValue = [
            "transaction": [
                "reference": .string(reference), "amount": 100, "currency": "USD", "country": "US", "note": "n",
            ],
            "urls": [
                "ipn": "https://shop.example/ipn", "success": "https://shop.example/paid",
                "fail": "https://shop.example/failed", "cancel": "https://shop.example/cancelled",
            ],
        ]
        if let method {
            order["payment"] = ["method": .string(method), "client": .array(clients.map(JSONValue.string))]
        }
        return order
    }

    func state(_ id: String) async throws -> String? {
        try await call("transactions/\(id)").json["data"]?["status"]?.string
    }

    // MARK: The payer's side

    private var baseURL: String? { server.map { $0.baseURL.origin + "/v1/" } }

    func client(
        _ behaviour: CitconSandbox.Behaviour = .pays, heard: Heard? = nil, returnTimeout: Duration? = .seconds(60)
    ) async throws -> CPayClient {
        try CPayClient(
            wire, clock: clock, launcher: payer(behaviour).citconLauncher, returnTimeout: returnTimeout, heard: heard,
            token: await sandbox.accessToken().reveal(), baseURL: baseURL)
    }

    func provider() async throws -> CitconProvider {
        try Shop.provider(await sandbox.accessToken(), baseURL: baseURL)
    }

    /// The order that belongs to a charge.
    static func order(for charge: CitconSandbox.Charge) throws -> CPayRequest {
        let link = try CitconOrderLink(PaymentLink(charge.link))
        let order = Shop.order(
            link.method, reference: link.reference, amount: Int(link.amount.minorUnits),
            currency: link.amount.currency.description, token: charge.token)
        order.transaction.country = link.country
        // Klarna's view is not started here, so a page is requested.
        if link.method == "klarna" { order.payment?.client = ["mobile_browser"] }
        return order
    }
}

extension PayAnswer {
    /// `400 4100: duplicate request`, or the status alone.
    var rejection: String {
        guard let code = json["data"]?["code"]?.string else { return "\(status)" }
        return "\(status) \(code): \(json["data"]?["message"]?.string ?? "")"
    }

    /// The names of the members of `data`, in the order of the text.
    var keys: [String] {
        guard let members = json["data"]?.object else { return [] }
        let start = text.range(of: "\"data\":{")?.upperBound ?? text.startIndex
        // A name may appear again deeper down; in these bodies its first place is that of the member itself.
        return members.keys.sorted { left, right in
            let places = [left, right].map { text.range(of: "\"\($0)\":", range: start..<text.endIndex)?.lowerBound }
            return places[0]! < places[1]!
        }
    }

    /// The launch entries: `desktop/redirect`.
    var entries: [String] {
        (json["data"]?["payment"]?["client"]?.array ?? []).map {
            "\($0["client"]?.string ?? "")/\($0["format"]?.string ?? "")"
        }
    }

    /// The content of the first launch entry.
    var content: String? { json["data"]?["payment"]?["client"]?[0]?["content"]?.string }
}
