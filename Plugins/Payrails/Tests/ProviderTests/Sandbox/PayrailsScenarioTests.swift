import Foundation
import PaymentCore
import PaymentTesting
import PayrailsSandbox
import TestSupport
import Testing

/// Every scenario, with a payer that completes every page.
@Suite struct PayrailsScenarioTests {
    @Test("Ends as announced", arguments: Wire.allCases, PayrailsScenario.allCases)
    func endsAsAnnounced(_ wire: Wire, _ scenario: PayrailsScenario) async throws {
        let world = try PayrailsWorld().on(wire)
        let client = try await world.open(scenario)
        let body = scenario.method == .payPal ? client.newPayPal : try client.stored()
        #expect(try await client.pay(body, world.payer(.completes)) == scenario.expectedOutcome)
        // A payment that was not cancelled when the client stopped asking is captured in the end.
        world.clock.advance(by: .seconds(3600))
        let isNever = [.neverRequested, .neverSettles, .confirmUnauthorized, .foreignReturn].contains(scenario)
        let isTaken = [.paid, .unknown].contains(scenario.expectedOutcome) && !isNever
        #expect(await client.captures() == (isTaken ? 1 : 0))
        #expect(await world.sandbox.ledger.confirmRequests(of: client.session.id) == 1)
    }

    @Test("Names are distinct and short")
    func wordsAreDistinctAndShort() {
        let all = PayrailsScenario.allCases
        #expect(Set(all.map(\.summary)).count == all.count)
        #expect(Set(all.map(\.rawValue)).count == all.count && Set(all).count == all.count)
        #expect(all.allSatisfy { PayrailsScenario(rawValue: $0.rawValue) == $0 && "\($0)" == $0.rawValue })
        #expect(PayrailsScenario(rawValue: "no such scenario") == nil)
        #expect(all.allSatisfy { !$0.summary.isEmpty && $0.summary.count <= 60 })
        #expect(all.allSatisfy { $0.rawValue.wholeMatch(of: /[a-z]+(-[a-z]+)*/) != nil })
        #expect(Set(all.map(\.expectedOutcome)).count == PayrailsScenario.Outcome.allCases.count)
    }

    // MARK: Sessions

    @Test("Links hold the session")
    func linksHoldTheSession() async throws {
        let world = PayrailsWorld()
        for scenario in PayrailsScenario.allCases {
            let session = await world.sandbox.createSession(scenario)
            #expect(session.scenario == scenario)
            let link = try PaymentLink(session.link)
            #expect(link.scheme == "payrails")
            let query = try #require(session.link.split(separator: "?").last)
            let items = QueryItems(query)
            #expect(items.values("version").first == "1.0.0")
            let data = try #require(items.values("data").first)
            #expect(data.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == 0x2D || $0 == 0x5F })
            let standard = data.replacing("-", with: "+").replacing("_", with: "/")
            let padded = standard + String(repeating: "=", count: (4 - standard.count % 4) % 4)
            #expect(padded == session.data.reveal())
            #expect("\(session)".contains(session.data.reveal()) == false)
        }
    }

    /// Everything that the vendor's model requires.
    @Test("The payload has what clients require")
    func payloadHasWhatClientsRequire() async throws {
        let client = try await PayrailsWorld().open(
            amount: try Money(minorUnits: 1050, currency: .usd), holder: "shopper")
        let payload = client.payload
        #expect(payload["amount"] == ["value": "10.50", "currency": "USD"])
        #expect(payload["holderReference"] == "shopper")
        let execution = try #require(payload["execution"])
        for name in ["id", "merchantReference", "holderReference", "holderId", "createdAt"] {
            #expect(execution[name]?.string?.isEmpty == false, "\(name)")
        }
        #expect(execution["workflow"]?["version"]?.number?.double == 56)
        #expect(execution["status"]?.array?.map { $0["code"] } == ["created"])
        let time = try #require(execution["status"]?[0]?["time"]?.string)
        #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z/) != nil)
        #expect(time.hasPrefix("2027-01-15T"))
        let result = try #require(execution["initialResults"]?[0])
        #expect(result["httpCode"]?.int64 == 200)
        #expect(result["body"]?["name"] == "lookup")
        let key = try #require(payload["vaultConfiguration"]?["encryptionPublicKey"]?.string)
        #expect(Data(base64Encoded: key)?.count == 294)
        let accounts = client.option("payPal")?["paymentInstruments"]?.array ?? []
        #expect(accounts.count == 1 && accounts[0]["data"]?["email"] == "ada@example.com")
        #expect(client.option("card")?["paymentInstruments"]?.array?.count == 2)
        #expect(client.option("applePay")?["config"]?["parameters"]?["countryCode"] == "AT")
        #expect(client.option("ideal")?["clientConfig"]?["flow"] == "redirect")
    }

    @Test("Unusual payloads")
    func unusualPayloads() async throws {
        let world = PayrailsWorld()
        let disabled = try await world.open(.instrumentDisabled).option("card")?["paymentInstruments"]?.array
        #expect(disabled?.compactMap { $0["status"]?.string } == ["disabled", "created"])
        let malformed = try await world.open(.malformedInstrument).option("card")?["paymentInstruments"]?.array
        #expect(malformed?.filter { $0["createdAt"] == nil }.count == 1)
        let zero = try await world.open(.zeroTimes)
        #expect(zero.payload["execution"]?["createdAt"] == "0001-01-01T00:00:00Z")
        #expect(try await zero.authorize(try zero.stored()).json["executedAt"] == "0001-01-01T00:00:00Z")
    }

    // MARK: Tokens

    @Test("Tokens end and are renewed")
    func tokensEndAndAreRenewed() async throws {
        let world = PayrailsWorld { $0.tokenLifetime = 60 }
        let client = try await world.open()
        #expect(try await client.send(.get, client.execution).status == 200)
        world.clock.advance(by: .seconds(60))
        #expect(try await client.send(.get, client.execution).failure == "401 request.unauthorized")
        let renewed = try PayrailsClient(world, try #require(await world.sandbox.renewSession(client.session.id)))
        #expect(renewed.token != client.token)
        #expect(try await renewed.send(.get, renewed.execution).status == 200)
        #expect(await world.sandbox.renewSession("nothing") == nil)
        await world.sandbox.expireSession(client.session.id)
        #expect(try await renewed.send(.get, renewed.execution).failure == "401 request.unauthorized")
    }

    @Test("Strangers get nothing", arguments: ["", "Bearer ", "Bearer x", "Basic eA=="])
    func strangersGetNothing(_ authorization: String) async throws {
        let (world, client) = try await PayrailsWorld.opened()
        let other = try await world.open()
        for value in [authorization, "Bearer \(other.token)"] {
            let answer = try await world.send(.get, client.execution, headers: [("Authorization", value)])
            #expect(answer.failure == "401 request.unauthorized")
        }
        let unknown = client.execution.replacing(client.session.id, with: other.session.id + "0")
        #expect(try await client.send(.get, unknown).failure == "404 request.not-found")
        #expect(try await client.send(.put, client.execution).failure == "405 request.method-not-allowed")
        #expect(try await client.send(.get, world.origin + "/public/nothing").failure == "404 request.not-found")
    }

    // MARK: When troubles strike

    /// The inquiries before the request to pay are not part of the scenario.
    @Test(
        "Only the first query after paying fails",
        arguments: [(PayrailsScenario.expiresWhilePolling, 401), (.pollingFails, 500)])
    func onlyTheFirstQueryAfterPayingFails(_ scenario: PayrailsScenario, _ status: Int) async throws {
        let client = try await PayrailsWorld().open(scenario)
        for _ in 0..<2 { #expect(try await client.send(.get, client.execution).status == 200) }
        #expect(try await client.authorize(try client.stored()).status == 201)
        #expect(try await client.send(.get, client.execution).status == status)
        #expect(try await client.send(.get, client.execution).status == (status == 401 ? 401 : 200))
        #expect(await client.captures() == 1)
    }

    @Test(
        "What is in progress is not begun again",
        arguments: [PayrailsScenario.neverRequested, .neverSettles, .pending, .slowSettlement, .requestedLate])
    func whatIsUnderWayIsNotBegunAgain(_ scenario: PayrailsScenario) async throws {
        let client = try await PayrailsWorld().open(scenario)
        #expect(try await client.authorize(try client.stored()).status == 201)
        #expect(try await client.authorize(try client.stored()).failure == "409 workflow.action.not-allowed")
    }

    // MARK: Unpaid orders

    @Test(
        "Abandoned orders are cancelled",
        arguments: [PayrailsScenario.paid, .neverSettles, .challenge, .slowSettlement])
    func abandonedOrdersAreCalledOff(_ scenario: PayrailsScenario) async throws {
        let world = PayrailsWorld { $0.abandonedAfter = .seconds(500) }
        let client = try await world.open(scenario)
        let isPaid = scenario == .paid
        if scenario != .paid { _ = try await client.authorize(try client.stored()) }
        world.clock.advance(by: .seconds(499))
        let before = try await client.send(.get, client.execution).json["status"]?.array ?? []
        #expect(!before.contains { $0["code"] == "cancelSuccessful" })
        if isPaid { _ = try await client.authorize(try client.stored()) }
        world.clock.advance(by: .seconds(3000))
        let renewed = try PayrailsClient(world, try #require(await world.sandbox.renewSession(client.session.id)))
        let after = try await renewed.send(.get, renewed.execution).json["status"]?.array ?? []
        #expect(after.contains { $0["code"] == "cancelSuccessful" } == !isPaid)
        #expect(try await renewed.authorize(try renewed.stored()).failure == "409 workflow.action.not-allowed")
        #expect(await client.captures() == (isPaid ? 1 : 0))
    }

    // MARK: Waiting

    @Test("Waits for one status or for a list")
    func waitsForOneStatusOrForAList() async throws {
        let world = PayrailsWorld()
        for query in [
            "waitWhile[status]=authorizeRequested", "waitWhile[status]=[%22created%22,%22authorizeRequested%22]",
        ] {
            let client = try await world.open(.paidWhileWaiting)
            _ = try await client.authorize(try client.stored())
            let escaped = query.replacing("[", with: "%5B").replacing("]", with: "%5D")
            let answer = try await client.send(.get, client.execution + "?" + escaped)
            #expect(answer.json["status"]?.array?.contains { $0["code"] == "authorizeSuccessful" } == true)
        }
        let client = try await world.open(.paidWhileWaiting)
        let start = world.clock.now
        _ = try await client.send(.get, client.execution + "?waitWhile%5Bstatus%5D=authorizePending")
        #expect(world.clock.now == start)
        let bad = try await client.send(.get, client.execution + "?waitWhile%5Bstatus%5D=%5B1")
        #expect(bad.failure == "422 request.param.invalid")
    }
}

extension UInt8 {
    fileprivate var isASCIILetterOrDigit: Bool { (0x30...0x39).contains(self) || (0x41...0x5A).contains(self & 0xDF) }
}

extension PayrailsWorld {
    /// A world with a session and its client.
    static func opened(_ scenario: PayrailsScenario = .paid) async throws -> (PayrailsWorld, PayrailsClient) {
        let world = PayrailsWorld()
        return (world, try await world.open(scenario))
    }
}
