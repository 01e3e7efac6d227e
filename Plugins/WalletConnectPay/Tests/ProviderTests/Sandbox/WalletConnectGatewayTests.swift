import PaymentCore
import PaymentTesting
import TestSupport
import Testing
import WalletConnectPaySandbox

/// Paths, ids, and refusals of the gateway.
@Suite struct WalletConnectGatewayTests {
    typealias Request = (method: HTTPRequest.Method, path: String, body: JSONValue?, answer: String)

    static let validation = "400 params_validation: Validation error: "
    static let requests: [Request] = [
        (.get, "/", nil, "404 not_found: Not found"),
        (.get, "/options", nil, "404 not_found: Not found"),
        (.post, "", [:], "404 not_found: Not found"),
        (.post, "/status", [:], "404 not_found: Not found"),
        (.post, "/options/", ["accounts": []], "404 not_found: Not found"),
        (.post, "/refund", [:], "404 not_found: Not found"),
        (.put, "/confirm", [:], "404 not_found: Not found"),
        (.get, "/status?maxPollMs=", nil, "400 invalid_params: maxPollMs must be a non-negative integer"),
        (.get, "/status?maxPollMs=-1", nil, "400 invalid_params: maxPollMs must be a non-negative integer"),
        (.get, "/status?maxPollMs=1.5", nil, "400 invalid_params: maxPollMs must be a non-negative integer"),
        (.get, "/status?maxPollMs=0", nil, "200"),
        (.post, "/options", nil, "400 invalid_params: Content-Type must be application/json"),
        (.post, "/options", [:], validation + "accounts must be an array of CAIP-10 strings"),
        (.post, "/options", ["accounts": "x"], validation + "accounts must be an array of CAIP-10 strings"),
        (.post, "/options", ["accounts": [1]], validation + "accounts must be an array of CAIP-10 strings"),
        (.post, "/options", ["accounts": ["0x1234"]], "422 invalid_params: Invalid account"),
        (.post, "/options", ["accounts": []], "200"),
        (.post, "/fetch", ["optionId": "x"], validation + "optionId and data are required"),
        (.post, "/fetch", ["data": ""], validation + "optionId and data are required"),
        (.post, "/fetch", ["optionId": "x", "data": ""], validation + "Option not found"),
        (.post, "/confirm", [:], validation + "optionId and results are required"),
        (.post, "/confirm", ["optionId": "x"], validation + "optionId and results are required"),
        (.post, "/confirm", ["optionId": "x", "results": []], validation + "Option not found"),
        (
            .post, "/confirm", ["optionId": "x", "results": [["type": "build", "data": ["0x"]]]],
            validation + "results must hold one datum each"
        ),
        (
            .post, "/confirm", ["optionId": "x", "results": [["type": "walletRpc", "data": []]]],
            validation + "results must hold one datum each"
        ),
        (
            .post, "/confirm?maxPollMs=x", ["optionId": "x", "results": []],
            "400 invalid_params: maxPollMs must be a non-negative integer"
        ),
    ]

    @Test("Requests that do not fit are refused", arguments: requests)
    func refuses(_ request: Request) async throws {
        let (world, id) = await PayWorld.made()
        let answer = try await world.send(request.method, "/v1/gateway/payment/\(id)" + request.path, request.body)
        #expect(answer.summary == request.answer)
        #expect(await world.captures(id) == 0)
    }

    @Test(
        "Unknown paths",
        arguments: [
            "", "/v1", "/v1/gateway/payment", "/v2/gateway/payment/x", "/V1/gateway/payment/x", "/v1/refunds",
        ])
    func unknownPaths(_ path: String) async throws {
        #expect(try await PayWorld().send(.get, path).summary == "404 not_found: Not found")
    }

    @Test("Bodies that are no JSON")
    func bodiesThatAreNoJSON() async throws {
        let (world, id) = await PayWorld.made()
        for (type, body, answer) in [
            ("application/json; charset=utf-8", #"{"accounts":[]}"#, "200"),
            ("APPLICATION/JSON", #"{"accounts":[]}"#, "200"),
            ("application/json", "", "400 invalid_params: Body is not valid JSON"),
            ("application/json", #"{"accounts":[],}"#, "400 invalid_params: Body is not valid JSON"),
            ("text/plain", #"{"accounts":[]}"#, "400 invalid_params: Content-Type must be application/json"),
        ] {
            let url = try HTTPURL("https://x.test/v1/gateway/payment/\(id)/options")
            let request = HTTPRequest(
                .post, url, headers: ["Api-Key": "k", "Content-Type": type], body: Array(body.utf8))
            #expect(PayAnswer(await world.sandbox.respond(to: request)).summary == answer)
        }
    }

    @Test("Unknown payments")
    func unknownPayments() async throws {
        let world = PayWorld()
        let id = "pay_7fa2ecc101ARZ3NDEKTSV4RRFFQ69G5FAV"
        let body: JSONValue = ["optionId": "x", "results": [], "data": "", "accounts": []]
        for verb in ["", "/status"] {
            #expect(try await world.gateway(id, verb).summary == "404 payment_not_found: Payment not found")
        }
        for verb in ["/options", "/fetch", "/confirm", "/cancel"] {
            #expect(try await world.gateway(id, verb, body).summary == "404 payment_not_found: Payment not found")
        }
        #expect(await world.sandbox.ledger.entries.isEmpty)
    }

    // MARK: Ids

    @Test("Ids have the service's form")
    func idsHaveTheServicesForm() async throws {
        let world = PayWorld()
        let payments = await [world.sandbox.createPayment(), world.sandbox.createPayment()]
        // 1 789 000 000 000 ms since 1970 in ten digits of Crockford's base 32.
        let form = /pay_[0-9a-f]{2}a2ecc1(01M24BB8G0)[0-9A-HJKMNP-TV-Z]{16}/
        for payment in payments {
            #expect(payment.id.wholeMatch(of: form) != nil, "\(payment.id)")
            #expect(payment.link == "https://pay.walletconnect.com/?pid=\(payment.id)")
        }
        #expect(payments[0].id != payments[1].id)
    }

    @Test("Ids in every encoding")
    func idsInEveryEncoding() async throws {
        let (world, id) = await PayWorld.made()
        let short = PercentCoding.encode("https://pay.wct.me/\(id)")
        for segment in [
            id, id.replacing("_", with: "%5F"), id.replacing("p", with: "%70"),
            // The id of a foreign link is the encoded link, which is encoded once more in the path.
            PercentCoding.encode(short), PercentCoding.encode(PercentCoding.encode("http://PAY.wct.me/\(id)")),
        ] {
            #expect(try await world.gateway(segment, "/status").status == 200, "\(segment)")
        }
        for segment in [
            PercentCoding.encode(PercentCoding.encode("https://pay.wct.me.evil.test/\(id)")),
            PercentCoding.encode(PercentCoding.encode("https://evil.test/?pid=\(id)")), id.lowercased(), "%", "%FF", "",
        ] {
            #expect(try await world.gateway(segment, "/status").status == 404, "\(segment)")
        }
    }

    // MARK: Options

    @Test("Options follow the accounts")
    func optionsFollowTheAccounts() async throws {
        let (world, id) = await PayWorld.made()
        let lower = "eip155:8453:" + PayWorld.address.lowercased()
        for (accounts, symbols) in [
            (PayWorld.accounts, ["USDC", "USDT", "PYUSD", "ETH"]), ([], []), (["eip155:137:\(PayWorld.address)"], []),
            ([PayWorld.accounts[1]], ["ETH"]), ([PayWorld.accounts[2], PayWorld.accounts[2]], ["USDC"]),
            (["eip155:8453:0x12"], []), ([lower], ["USDC"]),
        ] {
            let options = try await world.options(id, accounts).json["options"]?.array ?? []
            #expect(options.map { $0["amount"]?["display"]?["assetSymbol"]?.string } == symbols)
            if accounts == [lower] { #expect(options[0]["account"]?.string == lower) }
        }
    }

    @Test("What an amount comes to in each token")
    func amounts() async throws {
        let world = PayWorld()
        for (cents, usdc, ether) in [
            (UInt128(0), "0", "0"), (1, "10000", "4166666666666"), (1250, "12500000", "5208333333333333"),
            (UInt128.max, "184467440737095516150000", "76861433640456465062500000000000"),
        ] {
            let id = await world.sandbox.createPayment(cents: cents).id
            #expect(try await world.option(id, "USDC")["amount"]?["value"]?.string == usdc)
            #expect(try await world.option(id, "ETH")["amount"]?["value"]?.string == ether)
        }
    }
}
