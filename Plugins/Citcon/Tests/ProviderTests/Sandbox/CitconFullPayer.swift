import CitconSandbox
import PaymentCore
import TestSupport
import Testing

/// Pays charges as an app with the vendor's library does, written against the published shapes alone.
struct CitconFullPayer: Sendable {
    let world: CitconWorld
    var behaviour = CitconSandbox.Behaviour.pays

    private static let app = "com.citcon.citconpay"

    /// Pays by link, and returns the outcome.
    func pay(_ link: String) async throws -> CitconSandbox.Scenario.Outcome {
        let items = try PaymentLink(link).queryItems
        func item(_ name: String) -> String { items.values(name).first.flatMap { PercentCoding.decode($0) } ?? "" }
        let method = item("method")
        let config = try await world.call("config", ["payment": ["method": .string(method)]], as: "client")
        guard config.status == 200, let gateway = config.json["data"]?["gateway"]?.string else { return .error }
        guard let body = try await body(item, gateway, config.json["data"]?["config"] ?? nil) else {
            return .cancelled
        }
        let confirmed: PayAnswer
        do {
            confirmed = try await world.call("charges/\(item("token"))", body, as: "client")
        } catch is TransportError {
            return try await verdict(item("reference"))
        }
        if confirmed.status == 508 {
            let verdict = try await verdict(item("reference"))
            return verdict == .pending ? .error : verdict
        }
        guard confirmed.status == 200 else {
            let verdict = try? await verdict(item("reference"))
            return verdict == .expired ? .expired : .error
        }
        let data = confirmed.json["data"]
        guard data?["amount"]?.number?.text == item("amount"), data?["reference"]?.string == item("reference") else {
            // A payer is sent nowhere for another order; the service states the charge.
            let verdict = try await verdict(item("reference"))
            return verdict == .pending ? .error : verdict
        }
        if let entry = confirmed.json["data"]?["payment"]?["client"]?[0] {
            guard try await go(entry, method, item("token")) else { return .error }
        }
        return try await verdict(item("reference"))
    }

    private func body(_ item: (String) -> String, _ gateway: String, _ config: JSONValue) async throws -> JSONValue? {
        var body: JSONValue = [
            "transaction": [
                "reference": .string(item("reference")), "currency": .string(item("currency")),
                "country": .string(item("country")), "amount": .number(try #require(JSONNumber(item("amount")))),
            ],
            "payment": ["method": .string(item("method")), "client": ["mobile_native"], "request_token": false],
        ]
        switch gateway {
        case "braintree":
            body["payment"]?["indicator"] = "braintree"
            guard let nonce = try await nonce(item("method"), config) else { return nil }
            body["payment"]?["nonce"] = .string(nonce)
        case "cashapp":
            let texts = ["clientID": config["client_id"]?.string ?? "", "brandID": config["brand_id"]?.string ?? ""]
            guard let back = try await launch(texts, ["\(Self.app)://cashapp"]),
                let grant = back.queryItems.values("grant_id").first
            else { return nil }
            body["ext"] = ["gateway": ["grant": ["grant_id": .string(String(grant))]]]
        default: break
        }
        return body
    }

    private func nonce(_ method: String, _ config: JSONValue) async throws -> String? {
        if method == "card" {
            let field = DataRequest.Field(id: "nonce", name: "Card", kind: .text, isRequired: true)
            let collect = try #require(world.payer(behaviour).dataCollector)
            return try await collect(DataRequest(fields: [field]))?["nonce"]?.reveal()
        }
        let token = try #require(config["client_token"]?.string)
        let back = try await launch(["client_token": token], ["\(Self.app).payments://x-callback-url/"])
        return back?.queryItems.values("paymentMethodNonce").first.map(String.init)
    }

    /// Opens the target of a launch entry; false if it cannot be read.
    private func go(_ entry: JSONValue, _ method: String, _ token: String) async throws -> Bool {
        let content = try #require(entry["content"]?.string)
        guard entry["format"] == "json" else {
            let browser = try #require(world.payer(behaviour).browser)
            _ = try await browser(PageRequest(url: try HTTPURL(content), returnURLs: ["\(Self.app)://"]))
            return true
        }
        guard let json = try? JSONValue(parsing: Array(content.utf8)).object else { return false }
        let texts = json.compactMapValues(\.string)
        switch method {
        case "wechatpay": _ = try await launch(texts, ["\(texts["appid"] ?? "")://pay/"])
        case "alipay":
            let order = "\(texts["orderSpec"]!)&sign=\"\(texts["signedString"]!)\"&sign_type=\"RSA\""
            _ = try await launch(["order": order], ["\(Self.app)://safepay/"])
        case "upop": _ = try await launch(texts, ["\(Self.app)://uppayresult"])
        default: return try await klarna(texts, token)
        }
        return true
    }

    /// Klarna's consent is sent with a second confirmation.
    private func klarna(_ texts: [String: String], _ token: String) async throws -> Bool {
        guard let back = try await launch(texts, ["\(Self.app)://klarna"]),
            let consent = back.queryItems.values("authorization_token").first
        else { return true }
        let body: JSONValue = [
            "payment": ["method": "klarna", "client": ["mobile_native"]],
            "ext": ["gateway": ["authorization_token": .string(String(consent))]],
        ]
        return try await world.call("charges/\(token)", body, as: "client").status == 200
    }

    private func launch(_ texts: [String: String], _ returns: [String]) async throws -> PaymentLink? {
        let launcher = try #require(world.payer(behaviour).appLauncher)
        return try await launcher(AppRequest(name: "a wallet", url: nil, payload: Redacted(texts), returnURLs: returns))
    }

    private func verdict(_ reference: String) async throws -> CitconSandbox.Scenario.Outcome {
        let answer = try await world.call("transactions/\(reference)?type=reference", as: "client")
        guard answer.status == 200 else { return .error }
        switch answer.json["data"]?["status"]?.string {
        case "succeeded", "authorized": return .paid
        case "failed": return .declined
        case "canceled": return .cancelled
        case "expired": return .expired
        default: return .pending
        }
    }
}
