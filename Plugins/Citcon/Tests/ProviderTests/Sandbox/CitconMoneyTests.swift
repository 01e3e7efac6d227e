import CitconSandbox
import PaymentCore
import PaymentTesting
import TestSupport
import Testing

/// Captures, cancellations and refunds (Protocol 2.7, 2.8).
@Suite struct CitconMoneyTests {
    private func authorized(_ world: CitconWorld) async throws -> CitconSandbox.Charge {
        let charge = await world.sandbox.createCharge(.authorizeOnly)
        #expect(try await CitconFullPayer(world: world).pay(charge.link) == .paid)
        #expect(try await world.state(charge.id) == "authorized")
        return charge
    }

    private func paid(_ world: CitconWorld) async throws -> CitconSandbox.Charge {
        let charge = await world.sandbox.createCharge(.card)
        #expect(try await CitconFullPayer(world: world).pay(charge.link) == .paid)
        return charge
    }

    private func call(
        _ world: CitconWorld, _ path: String, _ id: String, _ reference: String, _ amount: JSONValue? = nil
    ) async throws -> PayAnswer {
        var body: JSONValue = ["id": .string(id), "reference": .string(reference)]
        body["amount"] = amount
        return try await world.call(path, body)
    }

    @Test("Captures what was set aside")
    func capturesWhatWasSetAside() async throws {
        let world = CitconWorld()
        let charge = try await authorized(world)
        #expect(await world.captures(charge.id) == 0)
        #expect(try await call(world, "captures", charge.id, "c1", 1251).rejection == "400 4000: bad request")
        let answer = try await call(world, "captures", charge.id, "c1", 1000)
        #expect(answer.json["data"]?["object"] == "capture" && answer.json["data"]?["status"] == "succeeded")
        let after = try await world.call("transactions/\(charge.id)").json["data"]
        #expect(after?["status"] == "succeeded" && after?["amount_captured"] == 1000)
        #expect(after?["captures"]?["data"]?[0]?["reference"] == "c1")
        #expect(
            await world.events(charge.id) == [
                .created, .confirmRequested, .authorized(option: "paypal", amount: "1250 iso4217/USD"),
                .captured(option: "paypal", amount: "1000 iso4217/USD", account: "sandbox payer"), .settled,
            ])
        #expect(try await call(world, "captures", charge.id, "c1", 1000).rejection == "400 4100: duplicate request")
        #expect(try await call(world, "captures", charge.id, "c2", 1000).rejection == "400 4000: bad request")
        #expect(await world.captures(charge.id) == 1)
    }

    @Test("Cancels an unpaid charge")
    func cancelsWhatNobodyPaid() async throws {
        let world = CitconWorld()
        for charge in [await world.sandbox.createCharge(.alipay), try await authorized(world)] {
            let answer = try await call(world, "cancels", charge.id, "x-\(charge.reference)")
            #expect(
                answer.keys == [
                    "id", "object", "reference", "amount", "currency", "time_created", "country", "payment", "status",
                ])
            #expect(answer.text.contains(#""type":"","data":{"pan":""}},"status":"canceled"}"#))
            #expect(answer.json["data"]?["id"]?.string == charge.id)
            #expect(try await world.state(charge.id) == "canceled")
            #expect(await world.events(charge.id).last == .cancelled)
            let again = try await call(world, "cancels", charge.id, "y-\(charge.reference)")
            #expect(again.rejection == "400 4000: bad request")
        }
        let paid = try await paid(world)
        #expect(try await call(world, "cancels", paid.id, "z").rejection == "400 4000: bad request")
        #expect(try await world.state(paid.id) == "succeeded")
    }

    @Test("Refunds no more than was taken")
    func refundsNoMoreThanWasTaken() async throws {
        let world = CitconWorld()
        let charge = try await paid(world)
        let answer = try await call(world, "refunds", charge.id, "r1", 1000)
        #expect(
            answer.keys == [
                "id", "object", "reference", "amount", "amount_refunded", "currency", "country", "time_created",
                "payment", "status", "time_completed", "exchange",
            ])
        let id = try #require(answer.json["data"]?["id"]?.string)
        #expect(id != charge.id)
        #expect(try await call(world, "refunds", charge.id, "r1", 100).rejection == "400 4100: duplicate request")
        #expect(try await call(world, "refunds", charge.id, "r2", 251).rejection == "406 4202: refund failed")
        #expect(try await call(world, "refunds", charge.id, "r2", 250).status == 200)
        #expect(try await call(world, "refunds", charge.id, "r3", 1).rejection == "406 4202: refund failed")
        let after = try await world.call("transactions/\(charge.id)").json["data"]
        #expect(after?["status"] == "succeeded" && after?["amount_refunded"] == 1250)
        #expect(try await world.call("transactions/r2?type=reference").json["data"]?["object"] == "refund")
        #expect(try await world.call("transactions/\(id)").json["data"]?["reference"] == "r1")
        #expect(
            await world.events(charge.id).suffix(2) == [
                .refunded(amount: "1000 iso4217/USD"), .refunded(amount: "250 iso4217/USD"),
            ])
    }

    @Test("Refuses to refund what was not taken")
    func refusesToRefundWhatWasNotTaken() async throws {
        let world = CitconWorld()
        let open = await world.sandbox.createCharge(.alipay)
        for charge in [open, try await authorized(world)] {
            #expect(try await call(world, "refunds", charge.id, "r", 1).rejection == "406 4202: refund failed")
        }
        let paid = try await paid(world)
        #expect(try await call(world, "refunds", paid.id, "r").rejection == "400 4000: bad request")
        #expect(try await call(world, "refunds", paid.id, paid.reference, 1).rejection == "400 4100: duplicate request")
        #expect(try await call(world, "refunds", "1", "r", 1).rejection == "404 4103: not found")
        #expect(try await call(world, "refunds", paid.id, "", 1).rejection == "400 4000: bad request")
        let body: JSONValue = [
            "id": .string(paid.id), "reference": "r", "amount": 1, "transaction_reference": "other",
        ]
        #expect(try await world.call("refunds", body).rejection == "400 4000: bad request")
    }

    /// A reference in a refused request is not used up.
    @Test("References are used only by what happened")
    func referencesAreUsedOnlyByWhatHappened() async throws {
        let (world, charge) = await CitconWorld.charged(.alipay)
        #expect(try await call(world, "refunds", charge.id, "r", 1).status == 406)
        #expect(try await call(world, "cancels", charge.id, "r").status == 200)
    }
}
