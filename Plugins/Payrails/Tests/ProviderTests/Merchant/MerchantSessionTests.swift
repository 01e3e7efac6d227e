import Foundation
import PaymentCore
import PaymentRouting
import PaymentTesting
import PayrailsKit
import PayrailsMerchant
import PayrailsProvider
import PayrailsSandbox
import TestSupport
import Testing

/// Creation of sessions for the app, and the access that it needs.
@Suite struct MerchantSessionTests {
    @Test("The payer's side pays in the session that the merchant opened", arguments: ["dropIn", "secureFields"])
    func paysInSessions(kind: String) async throws {
        let world = try MerchantWorld(.instant)
        var order = try MerchantWorld.order()
        order.kind = .init(rawValue: kind)
        let session = try await world.client.open(order)
        let payment = try #require(session.payment)
        #expect(try await world.router.status(of: payment) == .pending(retryAfter: nil))
        #expect(receipt(try await world.pay(session))?.reference.id == payment.id)
        #expect(
            try await world.router.status(of: payment)
                == .succeeded(PaymentReceipt(reference: payment, amount: order.amount)))
    }

    @Test("The vendor's client pays in it, too")
    func vendorsClient() async throws {
        let world = try MerchantWorld()
        let session = try await world.client.open(try MerchantWorld.order())
        let payrails = try PayrailsSession(
            Payrails.Configuration(initData: session.initData), transport: SandboxTransport(world.sandbox),
            clock: world.clock)
        let card = try #require(payrails.storedInstruments(for: .card).first)
        guard case .success = await payrails.executePayment(withStoredInstrument: card) else {
            Issue.record("the payment goes through")
            return
        }
        #expect(try await world.router.status(of: try #require(session.payment)) == .pending(retryAfter: nil))
    }

    /// The service's answer of this kind: without an execution, and with an amount.
    private static let tokenization: JSONValue = [
        "token": "t", "holderReference": "ada", "amount": ["value": "99.00", "currency": "EUR"],
        "tokenization": [
            "id": "6c1d7b54-8d5f-4a12-9d0e-1f2a3b4c5d6e", "publicKey": "k",
            "links": ["tokenize": ["method": "POST", "href": "https://api-pub.payrails.io/public/x"]],
        ],
    ]

    @Test("A session for storing cards has nothing to pay", arguments: [true, false])
    func tokenizes(hasNull: Bool) async throws {
        let world = try MerchantWorld()
        editSession(of: world) { content in
            content = Self.tokenization
            if hasNull { content["execution"] = .null }
        }
        var order = try MerchantWorld.order()
        order.kind = .tokenization
        let session = try await world.client.open(order)
        #expect(session.payment == nil && session.order == order)
        #expect(!session.initData.data.isEmpty)
        // For an order with a payment, it is no session.
        let error = await failure { _ = try await world.client.open(try MerchantWorld.order()) }
        #expect(error?.code == .invalidResponse)
    }

    @Test("Asked for twice, it is one execution; another order, amount or round is another")
    func opensOnce() async throws {
        let world = try MerchantWorld()
        var order = try MerchantWorld.order()
        let first = try await world.client.open(order)
        #expect(try await world.client.open(order).payment == first.payment)
        #expect(await world.sandbox.ledger.count(of: .created) == 1)
        order.amount = try MerchantWorld.euros(9901)
        let second = try await world.client.open(order)
        order.round = 2
        let third = try await world.client.open(order)
        #expect(Set([first, second, third].map(\.payment)).count == 3)
    }

    @Test("A lost answer is got by asking again")
    func lostAnswer() async throws {
        let world = try MerchantWorld()
        world.faults.inject(.dropAfter) { $1.hasSuffix("/client/init") }
        let order = try MerchantWorld.order()
        #expect(await failure { _ = try await world.client.open(order) }?.code == .network)
        _ = try await world.client.open(order)
        #expect(await world.sandbox.ledger.count(of: .created) == 1)
        #expect(Set(world.wire.keys("init")).count == 1)
    }

    /// Changes what the service answers as the session.
    private func editSession(of world: MerchantWorld, _ edit: @escaping @Sendable (inout JSONValue) -> Void) {
        world.wire.edit { path, body in
            guard path.hasSuffix("/client/init"),
                let data = body["data"]?.string.flatMap({ Data(base64Encoded: $0) }),
                var content = try? JSONValue(parsing: Array(data))
            else { return }
            edit(&content)
            body["data"] = .string(Data(content.serialized()).base64EncodedString())
        }
    }

    /// Answers of a service that mixes up sessions, or that knows the key already.
    @Test(
        "A session of something else is not handed out",
        arguments: [
            ("amount", ["value": "99.01", "currency": "EUR"], .integrity),
            ("amount", ["value": "99.00", "currency": "USD"], .integrity), ("amount", nil, .integrity),
            ("holderReference", "mallory", .integrity), ("execution.merchantReference", "order-2", .integrity),
            ("execution.merchantReference", nil, .integrity), ("execution.id", nil, .invalidResponse),
            ("execution.id", "a/b", .invalidResponse),
            ("token", nil, .invalidResponse), ("token", "", .invalidResponse),
        ] as [(String, JSONValue?, PaymentError.Code)])
    func foreignSession(member: String, value: JSONValue?, code: PaymentError.Code) async throws {
        let world = try MerchantWorld()
        editSession(of: world) { content in
            if let inner = member.split(separator: ".").dropFirst().first {
                content["execution"]?[String(inner)] = value
            } else {
                content[member] = value
            }
        }
        let error = await failure { _ = try await world.client.open(try MerchantWorld.order()) }
        #expect(error?.code == code)
    }

    @Test("A session that names no holder is for the one that was asked for")
    func unnamedHolder() async throws {
        let world = try MerchantWorld()
        editSession(of: world) { content in
            content["holderReference"] = nil
            content["execution"]?["holderReference"] = nil
        }
        #expect(try await world.client.open(try MerchantWorld.order()).payment != nil)
    }

    @Test("What cannot be meant is not sent")
    func unfitOrders() async throws {
        let world = try MerchantWorld()
        let good = try MerchantWorld.order()
        var orders = Array(repeating: good, count: 8)
        orders[0].order = ""
        orders[1].holder = "Ada Lovelace\n"
        orders[2].amount = try MerchantWorld.euros(0)
        orders[3].amount = try Money(
            minorUnits: 1, currency: try Currency(unit: "caip19/eip155:1/slip44:60"), exponent: 18)
        orders[4].meta = "text"
        orders[5].kind = .init(rawValue: "")
        orders[6].order = "a\u{7F}"
        orders[7].amount = try Money(minorUnits: 99_000, currency: .eur, exponent: 3)
        for order in orders {
            #expect(await failure { _ = try await world.client.open(order) }?.code == .requestRefused)
        }
        #expect(world.wire.requests.isEmpty)
    }

    @Test("A session's order is sent with its notes and the merchant's workspace")
    func contents() async throws {
        let world = try MerchantWorld()
        let merchant = PayrailsMerchant(
            endpoint: .staging,
            credentials: PayrailsCredentials(clientID: "sandbox-merchant", secret: Redacted(MerchantWorld.secret)),
            captureMode: .manual, workspace: "w1", clock: world.clock)
        let order = PayrailsSessionOrder(
            order: "a b~", holder: "ada", amount: try MerchantWorld.euros(9900), meta: ["note": "x"])
        _ = try await merchant.client(over: world.wire, clock: world.clock).open(order)
        let sent = try JSONValue(parsing: try #require(world.wire.requests.last).body)
        #expect(sent["workspaceId"] == "w1" && sent["meta"] == ["note": "x"] && sent["merchantReference"] == "a b~")
    }

    // MARK: Access

    @Test("One access token serves until it ends, and is asked for with the secret alone")
    func tokens() async throws {
        let world = try MerchantWorld { $0.accessTokenLifetime = 600 }
        _ = try await world.client.open(try MerchantWorld.order("a"))
        _ = try await world.client.open(try MerchantWorld.order("b"))
        #expect(world.posts("sandbox-merchant") == 1)
        world.clock.advance(by: .seconds(601))
        _ = try await world.client.open(try MerchantWorld.order("c"))
        #expect(world.posts("sandbox-merchant") == 2)
        for request in world.wire.requests {
            let isToken = request.url.path.hasPrefix("/auth/")
            #expect((request.headers["x-api-key"] == MerchantWorld.secret) == isToken)
            #expect((request.headers["Authorization"] == nil) == isToken)
            // A step whose request for a token was answered has sent nothing yet.
            #expect(request.changesNothing == (isToken || request.method == .get))
        }
    }

    @Test("A request has twenty seconds, and an interrupted one is sent again for a quarter of an hour")
    func times() async throws {
        let world = try MerchantWorld()
        let session = try await world.client.open(try MerchantWorld.order())
        _ = try await world.router.status(of: try #require(session.payment))
        #expect(world.wire.requests.allSatisfy { $0.timeout == .seconds(20) && $0.replay == .safe })
        #expect(world.wire.requests.map { $0.headers["Content-Type"] } == [nil, "application/json", nil])
        #expect(world.merchant.descriptor.replayWindow == .seconds(900))
    }

    @Test("An access token serves for a day at most, however long the service says that it does")
    func longTokens() async throws {
        let world = try MerchantWorld { $0.accessTokenLifetime = 864_000 }
        for (seconds, count) in [(0, 1), (86_399, 1), (1, 2)] {
            world.clock.advance(by: .seconds(seconds))
            _ = try await world.client.open(try MerchantWorld.order())
            #expect(world.posts("sandbox-merchant") == count)
        }
    }

    @Test(
        "A text that no header field can hold is no access token, and is not used",
        arguments: [("!~", true), ("", false), ("a b", false), ("a\nb", false), ("a\u{7F}", false), ("é", false)])
    func unfitTokens(token: String, isFit: Bool) async throws {
        let world = try MerchantWorld()
        let answer: JSONValue = ["access_token": .string(token), "expires_in": 60]
        world.faults.inject(.status(200, body: answer.text)) { $1.hasPrefix("/auth/") }
        let error = await failure { _ = try await world.client.open(try MerchantWorld.order()) }
        // One that can be sent is refused, and replaced.
        #expect(error?.code == (isFit ? nil : .invalidResponse) && (world.posts("init") > 0) == isFit)
    }

    /// Servers with other versions may repeat each other's requests.
    @Test(
        "The key of a session follows from its order alone, and is a random UUID in form",
        arguments: [
            ("order-1", "15d90d4b-8085-4537-8528-ba328fd61dd7"),
            ("order-2", "5c7bb4e8-7623-4312-b883-6550a7cceffd"),
            ("order-3", "12709e59-67e5-4411-af7c-bf86024319e8"),
            ("order-4", "18e37b06-fd77-4611-8b5b-c726e0cc75f0"),
        ])
    func keys(order: String, key: String) async throws {
        let world = try MerchantWorld()
        _ = try await world.client.open(try MerchantWorld.order(order))
        #expect(world.wire.keys("init") == [key])
    }

    @Test("A clock that was set back costs a refused token, and no more")
    func clockSetBack() async throws {
        let world = try MerchantWorld { $0.accessTokenLifetime = 600 }
        _ = try await world.client.open(try MerchantWorld.order("a"))
        // The service's time passes: here the merchant's clock is behind it.
        let behind = OffsetClock(world.clock, by: -500)
        world.clock.advance(by: .seconds(700))
        let client = world.merchant.client(over: world.wire, clock: behind)
        _ = try await client.open(try MerchantWorld.order("b"))
        #expect(world.posts("sandbox-merchant") == 2)
    }

    @Test("A token that is refused twice is reported as such, without the secret")
    func refusedTokens() async throws {
        let world = try MerchantWorld()
        let refusal = #"{"error":"invalid_client","error_description":"canary-client-secret"}"#
        world.faults.inject(.status(401, body: refusal), times: 9) { $1.hasPrefix("/auth/") }
        let error = try #require(await failure { _ = try await world.client.open(try MerchantWorld.order()) })
        #expect(error.code == .unauthorized && error.vendorCode == "invalid_client")
        #expect(!"\(error)".contains(MerchantWorld.secret))
    }

    @Test(
        "A page with status 403 comes from a server before the service, which may miss a certificate",
        arguments: [
            (403, "<html>edge</html>", PaymentError.Code.unauthorized, true),
            (404, "<html>edge</html>", .notFound, false), (403, "", .unauthorized, false),
            (403, #"{"errors":[{"code":"request.forbidden"}]}"#, .unauthorized, false),
        ])
    func pages(status: Int, body: String, code: PaymentError.Code, isBeforeService: Bool) async throws {
        let world = try MerchantWorld()
        world.faults.inject(.status(status, body: body), times: 9)
        let error = try #require(await failure { _ = try await world.client.open(try MerchantWorld.order()) })
        #expect(error.code == code && error.message.contains("certificate") == isBeforeService, "\(error)")
    }

    @Test("The secret goes to no address in the open")
    func confidential() throws {
        #expect(throws: LinkDefect.self) { try PayrailsEndpoint(baseURL: "http://api.payrails.example") }
        #expect(try PayrailsEndpoint(baseURL: "http://127.0.0.1:9/").baseURL.authority == "127.0.0.1:9")
    }
}

/// A clock that is a number of seconds wrong.
