import CitconSandbox
import Foundation
import PaymentCore
import PaymentCrypto
import TestSupport
import Testing

/// Access tokens, headers and refusals of the Citcon sandbox. Sections are those of the project's notes on the
/// interface.
@Suite struct CitconAccessTests {
    private let key = CitconSandbox.privateKey.reveal()

    private func tokenAnswer(
        _ world: CitconWorld, _ authorization: String?, _ kind: JSONValue = "server"
    ) async throws -> PayAnswer {
        let headers = authorization.map { [("Authorization", $0)] } ?? []
        return try await world.send(.post, "/v1/access-tokens", ["token_type": kind], headers: headers)
    }

    // MARK: 1.3

    @Test("Gives tokens for the key, with and without \"Bearer\"", arguments: Wire.allCases)
    func givesTokensForTheKeyWithAndWithoutBearer(_ wire: Wire) async throws {
        let world = try CitconWorld().on(wire)
        let first = try await tokenAnswer(world, "Bearer \(key)")
        #expect(first.status == 200)
        #expect(first.keys == ["access_token", "token_type", "expiry", "permission"])
        let data = try #require(first.json["data"])
        #expect(data["token_type"] == "server")
        #expect(data["expiry"]?.int64 == 1_789_086_400)
        #expect(
            data["permission"] == [
                "inquiry", "charge", "vault", "consult", "encryption-config", "refund", "capture",
            ])
        // The same token, byte for byte, as long as it is valid.
        #expect(try await tokenAnswer(world, key).text == first.text)
        world.clock.advance(by: .seconds(86399))
        #expect(try await tokenAnswer(world, key).text == first.text)
        world.clock.advance(by: .seconds(1))
        #expect(try await tokenAnswer(world, key).text != first.text)
    }

    @Test("Tokens are signed tokens")
    func tokensAreSignedTokens() async throws {
        let token = try await CitconWorld().token()
        #expect(token.hasPrefix("UPI_"))
        let parts = token.dropFirst(4).split(separator: ".").map { Base64URL.decode($0) ?? [] }
        #expect(parts.count == 3)
        #expect(try JSONValue(parsing: parts[0]) == ["alg": "HS256", "typ": "JWT"])
        let payload = try JSONValue(parsing: parts[1])
        #expect(payload["iat"] == 1_789_000_000)
        #expect(payload["exp"] == 1_789_086_400)
        #expect(parts[2].count == 32)
    }

    @Test("Refuses what is not the key")
    func refusesWhatIsNotTheKey() async throws {
        let world = CitconWorld()
        for authorization in [nil, "", "Bearer ", "Bearer \(key)0", "bearer \(key)", "Basic \(key)"] {
            #expect(try await tokenAnswer(world, authorization).rejection == "401 4010: unauthorized")
        }
        #expect(try await tokenAnswer(world, key, "vault").rejection == "400 4000: bad request")
        #expect(try await tokenAnswer(world, key, 1).rejection == "400 4000: bad request")
    }

    @Test("Other keys can be configured")
    func otherKeysCanBeConfigured() async throws {
        let world = CitconWorld { $0.privateKey = Redacted("sk-uat-1") }
        #expect(try await tokenAnswer(world, "sk-uat-1").status == 200)
        #expect(try await tokenAnswer(world, key).status == 401)
    }

    // MARK: 1.4

    @Test("Expired and foreign tokens are refused")
    func expiredAndForeignTokensAreRefused() async throws {
        let world = CitconWorld()
        let token = try await world.token()
        let other = await CitconWorld { $0.merchant = "other" }.sandbox.accessToken().reveal()
        func inquire(_ bearer: String?) async throws -> String {
            try await world.send(.get, "/v1/transactions/1", bearer: bearer).rejection
        }
        #expect(try await inquire(token) == "404 4103: not found")
        for bearer in [nil, key, other, token + "A", ""] {
            #expect(try await inquire(bearer) == "401 4010: unauthorized")
        }
        world.clock.advance(by: .seconds(86400))
        #expect(try await inquire(token) == "401 4010: unauthorized")
    }

    @Test("Apps may only charge and ask")
    func appsMayOnlyChargeAndAsk() async throws {
        let (world, charge) = await CitconWorld.charged(.authorizeOnly)
        let body: JSONValue = ["id": .string(charge.id), "reference": "r", "amount": 1]
        for path in ["captures", "cancels", "refunds"] {
            #expect(try await world.call(path, body, as: "client").rejection == "401 4010: unauthorized")
        }
        #expect(try await world.call("transactions/\(charge.id)", as: "client").status == 200)
        let token = await world.sandbox.accessToken().reveal()
        #expect(try await world.send(.get, "/v1/transactions/\(charge.id)", bearer: token).status == 200)
    }

    // MARK: 1.5, 2.1, 2.9

    /// The recorded answer, 108 bytes, and the entity tag recorded with it.
    @Test("Duplicates are answered as recorded")
    func duplicatesAreAnsweredAsRecorded() async throws {
        let world = CitconWorld()
        #expect(try await world.call("charges", CitconWorld.order("r1")).status == 200)
        let answer = try await world.call("charges", CitconWorld.order("r1"))
        #expect(
            answer.text == #"{"status":"fail","app":"citcon_upi","version":"v1.0.0","#
                + #""data":{"code":"4100","message":"duplicate request"}}"#)
        #expect(answer.status == 400)
        #expect(answer.headers["ETag"] == #"W/"6c-kZd0TmHTpiZzzK0nm17i6qjKuc4""#)
        #expect(
            answer.headers.fields.map(\.name) == [
                "Content-Type", "Cache-Control", "Pragma", "Expires", "Vary", "Strict-Transport-Security",
                "Content-Security-Policy", "ETag",
            ])
        #expect(answer.headers["Content-Type"] == "application/json; charset=utf-8")
    }

    @Test("Unknown paths are not found")
    func unknownPathsAreNotFound() async throws {
        let world = CitconWorld()
        let token = try await world.token()
        for (method, path) in [
            (HTTPRequest.Method.get, "/"), (.get, "/v1"), (.get, "/v1/charges"), (.post, "/v2/charges"),
            (.post, "/v1/charges/a/b"), (.post, "/v1/vault/a"), (.put, "/v1/vault"), (.post, "/v1/consults"),
            (.put, "/v1/charges"), (.get, "/sandbox/citcon/wallet"),
        ] {
            let body: JSONValue? = method == .get ? nil : [:]
            #expect(try await world.send(method, path, body, bearer: token).rejection == "404 4103: not found")
        }
    }

    @Test("Bodies must be JSON and say so")
    func bodiesMustBeJSONAndSaySo() async throws {
        let world = CitconWorld()
        let token = try await world.token()
        func post(_ body: String, _ type: String?) async throws -> String {
            var request = HTTPRequest(
                .post, try HTTPURL("https://api.sandbox.citconpay.com/v1/charges"),
                headers: ["Authorization": "Bearer \(token)"], body: Array(body.utf8))
            request.headers["Content-Type"] = type
            return try await world.send(request).rejection
        }
        #expect(try await post("{}", nil) == "400 4102: invalid header")
        #expect(try await post("{}", "text/plain") == "400 4102: invalid header")
        for body in ["", "[]", "{", "{\"a\":1,\"a\":1}", "1"] {
            #expect(try await post(body, "application/json; charset=utf-8") == "400 4000: bad request")
        }
    }

    // MARK: 2.3, 3.2

    /// The methods of Protocol 3.1 whose gateway Protocol 3.2 states.
    static let gateways: [(String, [String])] = [
        ("wechatpay", ["wechatpay"]), ("alipay", ["alipay"]), ("upop", ["upop"]),
        (
            "toss", ["toss", "lpay", "lgpay", "samsungpay", "banktransfer", "naverpay", "payco"]
        ),
        (
            "aps",
            [
                "alipay+", "alipay_hk", "kakaopay", "dana", "gcash", "tng", "boost", "truemoney", "rabbit_line_pay",
                "linepay", "paypay", "rakutenpay",
            ]
        ),
        ("fomo", ["grabpay", "shopeepay", "atome", "paynow", "netspay"]),
        ("xendit", ["paymaya", "ubp", "bpi", "billease", "cashalo"]), ("cashapp", ["cashapppay"]),
        ("klarna", ["klarna"]), ("flexa", ["flexa"]), ("braintree", ["card", "paypal", "venmo"]),
        ("ppcp", ["paylater"]), ("ebanx", ["oxxo", "oxxopay", "spei", "mercadopago"]),
        ("hosted", ["afterpay", "affirm", "ozow", "m_pesa", "upi", "pix", "paze", "hpp"]),
    ]

    @Test("Names the gateway", arguments: gateways.flatMap { row in row.1.map { ($0, row.0) } })
    func namesTheGateway(_ method: String, _ gateway: String) async throws {
        let world = CitconWorld()
        let answer = try await world.call("config", ["payment": ["method": .string(method)]], as: "client")
        #expect(answer.status == 200)
        #expect(answer.keys == ["object", "gateway", "config", "payment"])
        #expect(answer.json["data"]?["gateway"]?.string == gateway)
        #expect(answer.json["data"]?["payment"] == ["method": .string(method)])
        #expect((answer.json["data"]?["config"]?["client_token"] != nil) == (gateway == "braintree"))
        #expect((answer.json["data"]?["config"]?["client_id"] != nil) == ["cashapp", "ppcp"].contains(gateway))
    }

    @Test("Serves each of the 47 documented methods, and four more")
    func documentedMethods() {
        let served = Set(Self.gateways.flatMap(\.1))
        #expect(CitconSandbox.documentedMethods.count == 47 && Set(CitconSandbox.documentedMethods).count == 47)
        #expect(served.subtracting(CitconSandbox.documentedMethods) == ["billease", "cashalo", "flexa", "paylater"])
        #expect(Set(CitconSandbox.documentedMethods).isSubset(of: served))
    }

    @Test("Knows no other methods")
    func knowsNoOtherMethods() async throws {
        let world = CitconWorld()
        for method in ["bkash", "WeChatPay", "google", "none"] {
            let body: JSONValue = ["payment": ["method": .string(method)]]
            #expect(try await world.call("config", body).rejection == "500 5200: gateway not support")
        }
        for body: JSONValue in [[:], ["payment": [:]], ["payment": ["method": ""]], ["payment": ["method": 1]]] {
            #expect(try await world.call("config", body).rejection == "400 4000: bad request")
        }
    }
}
