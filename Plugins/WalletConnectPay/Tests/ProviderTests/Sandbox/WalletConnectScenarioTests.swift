import Foundation
import PaymentCore
import PaymentTesting
import TestSupport
import Testing
import WalletConnectPaySandbox

/// Every scenario, with a payer that handles all of them.
@Suite struct WalletConnectScenarioTests {
    @Test("Ends as announced", arguments: Wire.allCases, Scenario.allCases)
    func endsAsAnnounced(_ wire: Wire, _ scenario: Scenario) async throws {
        let world = try PayWorld().on(wire)
        let payment = await world.sandbox.createPayment(scenario)
        #expect(payment.scenario == scenario)
        #expect(try await FullPayer(world: world).pay(payment.id) == scenario.expectedOutcome)
        let isTaken =
            [.paid, .pending, .unknown].contains(scenario.expectedOutcome)
            && ![.alreadyPaid, .routeExpired].contains(scenario)
        let isGivenBack = await world.events(payment.id).contains(.failed)
        #expect(await world.captures(payment.id) == (isTaken || isGivenBack ? 1 : 0))
    }

    @Test("Names are distinct and short")
    func wordsAreDistinctAndShort() {
        let all = Scenario.allCases
        #expect(Set(all.map(\.summary)).count == all.count)
        #expect(Set(all.map(\.rawValue)).count == all.count && Set(all).count == all.count)
        #expect(all.allSatisfy { Scenario(rawValue: $0.rawValue) == $0 && "\($0)" == $0.rawValue })
        #expect(Scenario(rawValue: "no such scenario") == nil)
        #expect(all.allSatisfy { !$0.summary.isEmpty && $0.summary.count <= 60 })
        #expect(all.allSatisfy { $0.rawValue.wholeMatch(of: /[a-z]+(-[a-z]+)*/) != nil })
        // Together they cause every outcome.
        #expect(Set(all.map(\.expectedOutcome)).count == Scenario.Outcome.allCases.count)
    }

    // MARK: Refusals

    @Test(
        "Refuses to confirm",
        arguments: [
            (Scenario.sanctionedAtConfirm, "451 sanctioned_user: Payer is not allowed to pay"),
            (.routeExpired, "409 invalid_state: Route expired"),
            (.expiresWhilePaying, "410 payment_expired: Payment expired"),
            (.cancelledByUser, "400 invalid_state: Payment is cancelled"),
            (.quoteExpired, "400 quote_expired: Quote expired"),
        ])
    func refusesToConfirm(_ scenario: Scenario, _ answer: String) async throws {
        let (world, id) = await PayWorld.made(scenario)
        let body = try await world.signed(id)
        for _ in 0..<2 { #expect(try await world.confirm(id, body).summary == answer) }
        #expect(await world.captures(id) == 0)
    }

    @Test("Sanctioned payers see no option")
    func sanctionedPayersSeeNoOption() async throws {
        let (world, id) = await PayWorld.made(.sanctionedPayer)
        #expect(try await world.options(id).summary == "451 sanctioned_user: Payer is not allowed to pay")
        #expect(try await world.gateway(id, "/status").json["status"] == "requires_action")
    }

    @Test("Short quotes last as long as configured")
    func shortQuotesLastAsLongAsConfigured() async throws {
        let world = PayWorld { $0.shortQuoteLifetime = 5 }
        let id = await world.sandbox.createPayment(.quoteExpired).id
        let body = try await world.signed(id)
        #expect(try await world.option(id, "USDC")["expiresAt"]?.int64 == 1_789_000_005)
        world.clock.advance(by: .seconds(5))
        #expect(try await world.confirm(id, body).summary == "400 quote_expired: Quote expired")
        #expect(try await world.confirm(id, try await world.signed(id)).json["status"] == "succeeded")
    }

    @Test("Refuses the first requests of each kind")
    func refusesTheFirstRequestsOfEachKind() async throws {
        let world = PayWorld {
            $0.rateLimitedRequests = 3
            $0.retryAfter = 7
        }
        let id = await world.sandbox.createPayment(.rateLimited).id
        for _ in 0..<3 {
            let answers = [try await world.options(id), try await world.gateway(id, "/status")]
            #expect(answers.map(\.summary) == Array(repeating: "429 rate_limited: Too many requests", count: 2))
            #expect(answers.map { $0.headers["Retry-After"] } == ["7", "7"])
        }
        #expect(try await world.options(id).status == 200)
        #expect(try await world.gateway(id, "/status").status == 200)
        let other = await world.sandbox.createPayment()
        #expect(try await world.options(other.id).headers["Retry-After"] == nil)
    }

    @Test("Fails once")
    func failsOnce() async throws {
        let (world, id) = await PayWorld.made(.serverErrorOnce)
        #expect(try await world.options(id).summary == "500 internal_error: Internal error")
        #expect(try await world.options(id).status == 200)
    }

    // MARK: Endings

    @Test("Says why it refused, but only to questions")
    func saysWhyItRefusedOnlyToQueries() async throws {
        let world = PayWorld { $0.settlementPolls = 0 }
        let id = await world.sandbox.createPayment(.declinedForCompliance).id
        let confirmed = try await world.confirm(id, try await world.signed(id)).json
        #expect(confirmed == ["status": "failed", "isFinal": true, "pollInMs": nil, "info": nil])
        #expect(try await world.gateway(id, "/status").json["failureCode"] == "declined_user")
        #expect(await world.events(id).last == .failed)
    }

    @Test("An unknown status is final and unfamiliar")
    func unknownStatusIsFinalAndUnfamiliar() async throws {
        let world = PayWorld { $0.settlementPolls = 0 }
        let id = await world.sandbox.createPayment(.unknownStatus).id
        let answer = try await world.confirm(id, try await world.signed(id)).json
        #expect(answer["isFinal"] == true)
        let known = ["requires_action", "processing", "succeeded", "failed", "expired", "cancelled"]
        #expect(!known.contains(try #require(answer["status"]?.string)))
    }

    @Test("A slow settlement ends at last")
    func slowSettlementEndsAtLast() async throws {
        let world = PayWorld { $0.slowSettlement = 120 }
        let id = await world.sandbox.createPayment(.slowSettlement).id
        _ = try await world.confirm(id, try await world.signed(id))
        for _ in 0..<59 {
            world.clock.advance(by: .seconds(2))
            #expect(try await world.gateway(id, "/status").json["status"] == "processing")
        }
        world.clock.advance(by: .seconds(2))
        #expect(try await world.gateway(id, "/status").json["status"] == "succeeded")
    }

    @Test("Reports paid payments to late listeners")
    func tellsLatecomersWhatWasPaid() async throws {
        let world = PayWorld()
        let paid = await world.sandbox.createPayment(.alreadyPaid).id
        let own = await world.sandbox.createPayment().id
        _ = try await world.confirm(own, try await world.signed(own))
        for id in [paid, own] {
            let result = try await world.options(id).json["resultInfo"]
            #expect(result == (try await world.gateway(id, "/status").json["info"]))
            #expect(result?["optionAmount"]?["value"] == "12500000")
        }
        let open = await world.sandbox.createPayment().id
        #expect(try await world.options(open).json.object?.keys.contains("resultInfo") == false)
    }

    // MARK: Actions

    @Test("An unknown action stays unknown")
    func unknownActionStaysUnknown() async throws {
        let (world, id) = await PayWorld.made(.unknownAction)
        let option = try await world.option(id, "USDC")
        #expect(option["actions"]?.array?.map { $0["type"] } == ["showHologram"])
        #expect(try await world.fetch(id, option).json["actions"] == option["actions"])
        for results in [[], ["0x"]] as [[JSONValue]] {
            #expect(try await world.confirm(id, PayWorld.confirmation(option, results)).status >= 400)
        }
    }

    @Test("The approval comes first")
    func approvalComesFirst() async throws {
        let (world, id) = await PayWorld.made(.approvalAndPermit)
        let option = try await world.option(id, "USDT")
        let results = try await world.calls(id, option).map { try PayWorld.answer($0) }
        for (wrong, message) in [
            ([results[1]], "400 params_validation: Next result not present"),
            ([results[1], results[0]], "422 invalid_params: Invalid signature"),
            (["0x12", results[1]], "422 invalid_params: Invalid signature"),
        ] as [([JSONValue], String)] {
            #expect(try await world.confirm(id, PayWorld.confirmation(option, wrong)).summary == message)
        }
        #expect(try await world.confirm(id, PayWorld.confirmation(option, results)).json["status"] == "succeeded")
    }

    @Test("Solana wants the whole transaction signed")
    func solanaWantsTheWholeTransactionSigned() async throws {
        let (world, id) = await PayWorld.made(.solana)
        let option = try await world.option(id, "SOL", [FullPayer.solanaAccount])
        let call = try #require(try await world.calls(id, option).first)
        #expect(call["chain_id"] == "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp")
        let unsigned = try #require(
            (call["params"]?[0]?["transaction"]?.string).flatMap { Data(base64Encoded: $0) }.map(Array.init))
        let signed = [1] + [UInt8](repeating: 9, count: 64) + unsigned[65...]
        for wrong in [unsigned, Array(signed.dropLast()), signed + [0], [UInt8](repeating: 9, count: 64)] {
            let body = PayWorld.confirmation(option, [.string(Data(wrong).base64EncodedString())])
            #expect(try await world.confirm(id, body).summary == "422 invalid_params: Invalid signature")
        }
        let body = PayWorld.confirmation(option, [.string(Data(signed).base64EncodedString())])
        #expect(try await world.confirm(id, body).json["status"] == "succeeded")
        #expect(try await world.options(id, ["solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:0OIl"]).status == 200)
    }

    /// The signature may be an object or its text, as the vendor's newer and older clients send it.
    @Test("Tron takes objects and texts", arguments: [true, false])
    func tronTakesObjectsAndTexts(_ asObject: Bool) async throws {
        let (world, id) = await PayWorld.made(.tron)
        let option = try await world.option(id, "USDT", [FullPayer.tronAccount])
        let call = try #require(try await world.calls(id, option).first)
        let good = try FullPayer.tronAnswer(call)
        var foreign = good
        foreign["signature"] = [.string(String(repeating: "1", count: 130))]
        for (answer, status) in [(foreign, 422), (good, 200)] {
            let result = asObject ? answer : .string(answer.text)
            #expect(try await world.confirm(id, PayWorld.confirmation(option, [result])).status == status)
        }
    }

    @Test("Tron addresses begin with their version")
    func tronAddressesBeginWithTheirVersion() async throws {
        let (world, id) = await PayWorld.made(.tron)
        let option = try await world.option(id, "USDT", [FullPayer.tronAccount(version: 0x42)])
        let answer = try FullPayer.tronAnswer(try #require(try await world.calls(id, option).first))
        #expect(try await world.confirm(id, PayWorld.confirmation(option, [answer])).status == 422)
    }
}

extension PayWorld {
    /// A world with a payment.
    static func made(_ scenario: Scenario = .paidAtOnce) async -> (PayWorld, id: String) {
        let world = PayWorld()
        return (world, await world.sandbox.createPayment(scenario).id)
    }
}
