import CitconMerchant
import CitconSandbox
import PaymentCore
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing

/// Changes of a charge: its replacement and a partial capture (Protocol 2.7 and 2.12).
@Suite struct MerchantChangeTests {
    private func change(_ world: MerchantWorld, _ charge: CitconCharge) async throws -> CitconChange {
        try await world.client.change(charge.reference, to: try MerchantWorld.order("order-1b", cents: 1500))
    }

    private func usd(_ cents: UInt128) throws -> Money { try Money(minorUnits: cents, currency: .usd) }

    /// What an inquiry says of a charge.
    private func seen(_ charge: CitconCharge, _ status: JSONValue) -> JSONValue {
        [
            "id": .string(charge.id), "object": "charge", "reference": "order-1", "amount": 1250, "currency": "USD",
            "status": status,
        ]
    }

    // MARK: Another in its place

    @Test("An unpaid charge is cancelled before another takes its place")
    func replaced() async throws {
        let (world, old) = try await MerchantWorld.charged()
        let new = try #require(try await change(world, old).replaced)
        #expect(try new.amount == usd(1500) && new.token != nil && new.reference.id == "order-1b")
        #expect(await world.events(old.id) == [.created, .cancelled])
        #expect(
            world.faults.requests.filter { $0.method == "POST" }.map(\.path).suffix(2) == [
                "/v1/cancels", "/v1/charges",
            ])
        // A repeated call returns the existing charge; its token is returned once.
        let again = try #require(try await change(world, old).replaced)
        #expect(again.id == new.id && again.token == nil)
        #expect(world.posts("cancels") == 1 && world.posts("charges") == 3)
    }

    @Test("What is paid, or set aside, stays as it is", arguments: [true, false])
    func paid(_ captures: Bool) async throws {
        let world = try MerchantWorld()
        let old = try await world.paid(captures: captures)
        let outcome = try #require(try await change(world, old).unchanged)
        #expect(outcome == (captures ? world.receipt(old) : .pending(retryAfter: nil)))
        #expect(world.posts("cancels") == 0 && world.posts("charges") == 1)
    }

    @Test("What is over makes room for another without being cancelled")
    func over() async throws {
        let world = try MerchantWorld()
        let late = try await world.charge("order-2")
        world.clock.advance(by: .seconds(7200))
        let failed = try await world.paid("order-1", .fails)
        let cancelled = try await world.paid("order-3", .cancels)
        for (number, old) in [failed, cancelled, late].enumerated() {
            let order = try MerchantWorld.order("order-\(number)b", cents: 1500)
            #expect(try await world.client.change(old.reference, to: order).replaced != nil)
        }
        #expect(world.posts("cancels") == 0)
    }

    @Test("Paid at the last moment: the cancellation is refused, and there is no second charge")
    func paidMeanwhile() async throws {
        let (world, old) = try await MerchantWorld.charged()
        // The inquiry still finds it waiting.
        let browser = try #require(world.sandbox.payer().browser)
        _ = try await browser(PageRequest(url: try HTTPURL(try #require(old.pages.first).url.reveal())))
        world.answer("transactions/order-1", seen(old, "initiated"))
        let outcome = try #require(try await change(world, old).unchanged)
        #expect(outcome == world.receipt(old) && world.posts("cancels") == 1 && world.posts("charges") == 1)
    }

    @Test("A cancellation whose answer is lost, or that changes nothing, makes no room")
    func lostCancellation() async throws {
        let (world, old) = try await MerchantWorld.charged()
        world.faults.inject(.dropBefore) { $1 == "/v1/cancels" }
        #expect(await failure { _ = try await change(world, old) }?.phase == .maybeSent)
        #expect(world.posts("charges") == 1)
        // A service that accepts and does nothing.
        world.answer("cancels", ["status": "canceled"])
        #expect(try await change(world, old).unchanged?.isPending == true)
        #expect(world.posts("charges") == 1)
        world.faults.inject(.dropAfter) { $1 == "/v1/cancels" }
        #expect(try await change(world, old).replaced != nil)
        #expect(await world.events(old.id) == [.created, .cancelled])
    }

    @Test("The answer about the new charge is lost: there is one, and asking again finds it")
    func lostCharge() async throws {
        let (world, old) = try await MerchantWorld.charged()
        world.faults.inject(.dropBefore) { $1 == "/v1/charges" }
        #expect(await failure { _ = try await change(world, old) }?.phase == .maybeSent)
        world.faults.inject(.dropAfter) { $1 == "/v1/charges" }
        let new = try #require(try await change(world, old).replaced)
        #expect(try new.token == nil && new.amount == usd(1500))
        #expect(world.posts("cancels") == 1 && world.posts("charges") == 3)
    }

    @Test("What cannot be sent calls nothing off")
    func unfit() async throws {
        let (world, old) = try await MerchantWorld.charged()
        for order in [
            try MerchantWorld.order("order-1"), try MerchantWorld.order("a&b"), try MerchantWorld.order("x", cents: 0),
        ] {
            let error = await failure { _ = try await world.client.change(old.reference, to: order) }
            #expect(error?.code == .requestRefused)
        }
        #expect(world.posts("cancels") == 0 && world.posts("charges") == 1)
    }

    // MARK: A part of it

    @Test("A partial amount is reported as partial by the capture, the status and the notification")
    func part() async throws {
        let (world, charge) = try await MerchantWorld.paid(captures: false)
        let part = try usd(1000)
        let expected = ServiceReport.succeeded(
            PaymentReceipt(reference: charge.reference, amount: part, transactionID: charge.id))
        for _ in 0..<2 { #expect(try await world.capture(charge, part) == world.captured(charge, part)) }
        #expect(try await world.router.status(of: charge.reference, as: Payer()) == expected)
        let notification = try await world.lastNotification()
        try notification.check(against: charge)
        #expect(notification.report == expected && notification.amount == charge.amount)
        #expect(notification.amountCaptured == part && notification.amountRefunded == nil)
    }

    @Test("Another amount is not captured after the first, and not reported as captured")
    func otherAmount() async throws {
        let (world, charge) = try await MerchantWorld.paid(captures: false)
        _ = try await world.capture(charge, try usd(1000))
        let error = await failure { _ = try await world.capture(charge, try usd(1250)) }
        #expect(error?.code == .integrity && error?.message.contains("10.00 USD") == true)
        #expect(await world.sandbox.ledger.captures(of: charge.id) == 1 && world.posts("captures") == 1)
    }

    @Test("A capture that is late: the next one, over another amount, takes nothing more and says what was taken")
    func lateCapture() async throws {
        let (world, charge) = try await MerchantWorld.paid(captures: false)
        world.faults.inject(.dropAfter) { $1 == "/v1/captures" }
        // The status after it, and before the next: not yet.
        world.answer("transactions/order-1", times: 3, seen(charge, "authorized"))
        let part = try usd(1000)
        #expect(try await world.capture(charge, part) == world.captured(charge, part))
        let second = await failure { _ = try await world.capture(charge, try usd(500)) }
        #expect(second?.code == .integrity && second?.message.contains("10.00 USD") == true)
        #expect(await world.sandbox.ledger.captures(of: charge.id) == 1)
    }

    @Test("\"The reference was used before\" leaves a capture open")
    func usedReference() async throws {
        let (world, charge) = try await MerchantWorld.paid(captures: false)
        world.refuse("captures", 400, "4100")
        #expect(try await world.capture(charge).isUnknown, "an earlier copy may be in flight")
        let other = try await world.paid("order-2", captures: false)
        // A plain refusal for a charge that is still reserved is final.
        world.refuse("captures", 400, "4000")
        #expect(await failure { _ = try await world.capture(other) }?.phase == .answered)
    }
}

extension CitconChange {
    /// The charge that took the first one's place.
    fileprivate var replaced: CitconCharge? { if case .replaced(let charge) = self { charge } else { nil } }
    /// How it stands with the first one, which stayed.
    fileprivate var unchanged: ServiceReport? { if case .unchanged(let report) = self { report } else { nil } }
}
