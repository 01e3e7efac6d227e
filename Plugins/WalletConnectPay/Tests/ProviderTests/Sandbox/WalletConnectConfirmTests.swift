import PaymentCore
import PaymentTesting
import PaymentWallet
import TestSupport
import Testing
import WalletConnectPaySandbox

/// Confirmation: the accepted requests, the effects that happen once, and held requests.
@Suite struct WalletConnectConfirmTests {
    @Test("Captures what was signed")
    func capturesWhatWasSigned() async throws {
        let world = PayWorld()
        for symbol in ["USDC", "USDT", "PYUSD", "ETH"] {
            let id = await world.sandbox.createPayment().id
            let option = try await world.option(id, symbol)
            let results = try await world.calls(id, option).map { try PayWorld.answer($0) }
            let answer = try await world.confirm(id, PayWorld.confirmation(option, results))
            #expect(answer.json["status"] == "succeeded")
            #expect(answer.json["info"]?["optionAmount"] == option["amount"])
            let amount = "\(option["amount"]?["value"]?.string ?? "") \(option["amount"]?["unit"]?.string ?? "")"
            #expect(
                await world.events(id) == [
                    .created, .confirmRequested,
                    .captured(
                        option: option["id"]?.string ?? "", amount: amount, account: option["account"]?.string ?? ""),
                    .settled,
                ])
        }
    }

    @Test("Repeating is harmless")
    func repeatingIsHarmless() async throws {
        let (world, id) = await PayWorld.made(.paidAfterPolling)
        let body = try await world.signed(id)
        let other = try await world.signed(id, "USDT")
        for _ in 0..<3 { #expect(try await world.confirm(id, body).json["status"] == "processing") }
        #expect(
            try await world.confirm(id, other).summary == "400 invalid_state: Payment is being paid with another option"
        )
        for _ in 0..<2 { _ = try await world.gateway(id, "/status") }
        #expect(try await world.confirm(id, body).json["status"] == "succeeded")
        #expect(await world.captures(id) == 1)
        #expect(await world.sandbox.ledger.confirmRequests(of: id) == 5)
        #expect(await world.events(id).count { $0 == .settled } == 1)
    }

    @Test("At the same moment is still once")
    func atOnceIsStillOnce() async throws {
        let (world, id) = await PayWorld.made(.paidAfterPolling)
        let bodies = [try await world.signed(id), try await world.signed(id, "USDT")]
        await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<32 { group.addTask { _ = try await world.confirm(id, bodies[index % 2]) } }
        }
        #expect(await world.captures(id) == 1)
    }

    @Test("Refuses what the account did not sign")
    func refusesWhatTheAccountDidNotSign() async throws {
        let (world, id) = await PayWorld.made()
        let option = try await world.option(id, "USDC")
        let call = try #require(try await world.calls(id, option).first)
        let good = try PayWorld.answer(call)
        let foreign = try PayWorld.answer(call, DevelopmentWallet(seed: 4))
        let elsewhere = try PayWorld.answer(try #require(try await world.calls(id, world.option(id, "USDC")).first))
        let short = JSONValue.string(String(good.string?.dropLast(2) ?? ""))
        for result in [foreign, elsewhere, short, "", "0x", ["r": "0x1"], nil] as [JSONValue] {
            let answer = try await world.confirm(id, PayWorld.confirmation(option, [result]))
            #expect(answer.summary == "422 invalid_params: Invalid signature")
        }
        let none = try await world.confirm(id, PayWorld.confirmation(option, []))
        #expect(none.summary == "400 params_validation: Next result not present")
        let two = try await world.confirm(id, PayWorld.confirmation(option, [good, good]))
        #expect(two.summary == "400 params_validation: Validation error: Too many results")
        #expect(await world.captures(id) == 0)
        #expect(try await world.confirm(id, PayWorld.confirmation(option, [good])).json["status"] == "succeeded")
    }

    @Test("An option of another payment is unknown")
    func anOptionOfAnotherPaymentIsUnknown() async throws {
        let world = PayWorld()
        let (first, second) = await (world.sandbox.createPayment().id, world.sandbox.createPayment().id)
        let answer = try await world.confirm(second, try await world.signed(first))
        #expect(answer.summary == "400 params_validation: Validation error: Option not found")
    }

    // MARK: Time

    @Test("A payment expires")
    func expires() async throws {
        let (world, id) = await PayWorld.made()
        let body = try await world.signed(id)
        world.clock.advance(by: .seconds(899))
        #expect(try await world.gateway(id, "/status").json["status"] == "requires_action")
        world.clock.advance(by: .seconds(1))
        #expect(try await world.confirm(id, body).summary == "410 payment_expired: Payment expired")
        let option: JSONValue = ["id": body["optionId"] ?? nil]
        #expect(try await world.fetch(id, option).summary == "410 payment_expired: Payment expired")
        let cancelled = try await world.send(.post, "/v1/gateway/payment/\(id)/cancel")
        #expect(cancelled.summary == "400 invalid_state: Payment cannot be cancelled")
        #expect(await world.events(id) == [.created, .expired, .confirmRequested])
    }

    @Test("A confirmed payment does not expire")
    func aConfirmedPaymentDoesNotExpire() async throws {
        let (world, id) = await PayWorld.made(.paidAfterPolling)
        _ = try await world.confirm(id, try await world.signed(id))
        world.clock.advance(by: .seconds(10_000))
        _ = try await world.gateway(id, "/status")
        #expect(try await world.gateway(id, "/status").json["status"] == "succeeded")
    }

    @Test("Prices that move expire")
    func pricesThatMoveExpire() async throws {
        let (world, id) = await PayWorld.made()
        let ether = try await world.signed(id, "ETH")
        let dollars = try await world.signed(id, "USDC")
        world.clock.advance(by: .seconds(300))
        #expect(try await world.confirm(id, ether).summary == "400 quote_expired: Quote expired")
        #expect(
            try await world.fetch(id, ["id": ether["optionId"] ?? nil]).summary == "400 quote_expired: Quote expired")
        #expect(try await world.confirm(id, dollars).json["status"] == "succeeded")
    }

    @Test("Nothing works after the end", arguments: ["/cancel", "/confirm", "/fetch"])
    func nothingWorksAfterTheEnd(_ verb: String) async throws {
        let (world, id) = await PayWorld.made()
        let body = try await world.signed(id)
        let other = try await world.signed(id)
        _ = try await world.confirm(id, body)
        let answer = try await world.gateway(
            id, verb, verb == "/fetch" ? ["optionId": body["optionId"] ?? nil, "data": ""] : other)
        #expect(answer.json["code"] == "invalid_state")
        #expect(await world.captures(id) == 1)
    }

    // MARK: Held requests

    @Test("Holds until the limit it is given")
    func holdsUntilTheLimitItIsGiven() async throws {
        let (world, id) = await PayWorld.made()
        let answer = try await world.gateway(id, "/status?maxPollMs=2500")
        #expect(answer.json["status"] == "requires_action")
        #expect(world.clock.naps == [.milliseconds(1000), .milliseconds(1000), .milliseconds(500)])
    }

    @Test("Holds no longer than its own limit")
    func holdsNoLongerThanItsOwnLimit() async throws {
        let world = PayWorld { $0.longestHoldMs = 3000 }
        let id = await world.sandbox.createPayment().id
        _ = try await world.gateway(id, "/status?maxPollMs=9223372036854775807")
        #expect(world.clock.naps.reduce(.zero, +) == .seconds(3))
    }

    @Test("Holds until it settles", arguments: ["confirm", "status", "merchant"])
    func holdsUntilItSettles(_ who: String) async throws {
        let world = PayWorld { $0.settlementPolls = 4 }
        let id = await world.sandbox.createPayment(.paidAfterPolling).id
        let body = try await world.signed(id)
        var answer = try await world.confirm(id, body, query: who == "confirm" ? "?maxPollMs=60000" : "")
        if who == "status" { answer = try await world.gateway(id, "/status?maxPollMs=60000") }
        if who == "merchant" {
            answer = try await world.send(
                .get, "/v1/payments/\(id)/status?maxPollMs=60000", headers: [PayWorld.merchantKey, PayWorld.merchant])
        }
        #expect(answer.json["status"] == "succeeded")
        #expect(world.clock.naps.count == (who == "confirm" ? 4 : 3))
    }

    @Test("Final states are not held")
    func finalStatesAreNotHeld() async throws {
        let (world, id) = await PayWorld.made(.alreadyPaid)
        #expect(try await world.gateway(id, "/status?maxPollMs=60000").json["isFinal"] == true)
        #expect(world.clock.naps.isEmpty)
    }

    /// Another caller's action ends the wait.
    @Test("Holds until another caller acts")
    func holdsUntilSomebodyElseActs() async throws {
        let clock = TestClock()
        let sandbox = WalletConnectPaySandbox(clock: clock)
        let id = await sandbox.createPayment().id
        func request(_ method: HTTPRequest.Method, _ path: String) throws -> HTTPRequest {
            HTTPRequest(
                method, try HTTPURL("https://x.test/v1/gateway/payment/\(id)" + path), headers: ["Api-Key": "k"])
        }
        let (ask, cancel) = (try request(.get, "/status?maxPollMs=20000"), try request(.post, "/cancel"))
        async let held = sandbox.respond(to: ask)
        await clock.sleepers(1)
        #expect(await sandbox.respond(to: cancel).status == 200)
        clock.advance(by: .seconds(1))
        #expect(PayAnswer(await held).json["status"] == "cancelled")
    }
}
