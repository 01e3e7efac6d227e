import PaymentCore
import PaymentRouting
import PaymentTesting
import PayrailsMerchant
import PayrailsSandbox
import TestSupport
import Testing

/// The status of payments, and captures and cancellations of reserved money (Protocol 3 and 4).
@Suite struct MerchantCaptureTests {
    // MARK: Status

    @Test(
        "An authorised payment is paid where the workflow captures with the authorisation, and nowhere else",
        arguments: [(PayrailsCaptureMode.instant, true), (.delayed, false), (.manual, false)])
    func authorised(mode: PayrailsCaptureMode, isPaid: Bool) async throws {
        let world = try MerchantWorld(mode)
        let payment = try await world.paid()
        #expect((receipt(try await world.router.status(of: payment)) != nil) == isPaid)
        if mode == .delayed {
            world.clock.advance(by: .seconds(61))
        } else if mode == .manual {
            _ = try await world.capture(payment)
        }
        #expect(receipt(try await world.router.status(of: payment)) != nil)
        // Statuses do not state how much the merchant itself has captured; the payment's record does.
        #expect(receipt(try await world.router.status(of: payment))?.amount == (try MerchantWorld.euros(9900)))
        #expect(await world.events(payment.id).count { $0 == .settled } == 1)
    }

    @Test("A captured amount in another currency than the payment's is not reported")
    func foreignCurrency() async throws {
        let (world, payment) = try await MerchantWorld.captured()
        world.wire.edit { path, body in
            guard path.hasSuffix("/payment/payments"), var record = body["results"]?.array?.first else { return }
            record["capturedAmount"] = ["value": "99.00", "currency": "USD"]
            body["results"] = [record]
        }
        let receipt = try #require(receipt(try await world.router.status(of: payment)))
        #expect(receipt.amount == nil)
    }

    @Test(
        "Reports the results of payments",
        arguments: [
            ("declined", true), ("declined-then-pending", true), ("pending", false), ("never-settles", false),
        ])
    func outcomes(scenario: String, isDeclined declined: Bool) async throws {
        let world = try MerchantWorld(.instant)
        let payment = try await world.paid("order-1", scenario: scenario)
        let outcome = try await world.router.status(of: payment)
        #expect(isDeclined(outcome) == declined)
        #expect(declined || outcome == .pending(retryAfter: nil))
    }

    @Test("An unknown payment is not found, and a strange id is not sent")
    func unknownPayments() async throws {
        let world = try MerchantWorld()
        let nobody = PaymentReference(provider: PayrailsMerchant.id, id: "nobody")
        #expect(await failure { _ = try await world.router.status(of: nobody) }?.code == .notFound)
        let count = world.wire.requests.count
        let strange = PaymentReference(provider: PayrailsMerchant.id, id: "../../auth")
        #expect(await failure { _ = try await world.router.status(of: strange) }?.code == .requestRefused)
        #expect(world.wire.requests.count == count)
    }

    @Test("A payment that cannot be read has no result")
    func unreadable() async throws {
        let (world, payment) = try await MerchantWorld.paid(.instant)
        let edits: [(PaymentError.Code, RecordingTransport.Edit)] = [
            (.integrity, { $1["id"] = "another-execution" }), (.invalidResponse, { $1["id"] = nil }),
            (.invalidResponse, { $1["status"] = nil }), (.invalidResponse, { $1["status"] = "authorizeSuccessful" }),
            // The omitted status could be the last one.
            (.invalidResponse, { $1["status"] = .array(($1["status"]?.array ?? []) + [["code": "cancelSuccessful"]]) }),
        ]
        for (code, edit) in edits {
            world.wire.edit(edit)
            #expect(await failure { _ = try await world.router.status(of: payment) }?.code == code)
        }
    }

    @Test(
        "The statuses decide, in the order of their times",
        arguments: [
            ([], ""), (["authorizeRequested"], ""), (["authorizeRequested", "authorizePending"], ""),
            (["authorizeRequested", "authorizeSuccessful"], "authorised"),
            (["authorizeRequested", "authorizeFailed"], "declined"),
            // Some providers authorise and capture in one step.
            (["captureRequested", "captureSuccessful"], "paid"),
            (["authorizeRequested", "authorizeFailed", "captureSuccessful"], "paid"),
            (["captureSuccessful", "cancelSuccessful"], "cancelled"),
            (["captureSuccessful", "cancelSuccessful", "authorizeRequested"], ""),
            (["captureSuccessful", "cancelSuccessful", "authorizeRequested", "authorizeFailed"], "declined"),
            (["captureSuccessful", "cancelRequested", "cancelSuccessful", "cancelRequested"], "cancelled"),
            (["captureSuccessful", "cancelRequested"], "cancelling"),
        ])
    func statuses(codes: [String], meaning: String) async throws {
        let (world, payment) = try await MerchantWorld.paid()
        let list = codes.enumerated().map { index, code -> JSONValue in
            ["code": .string(code), "time": .string("2027-01-15T09:00:0\(index)Z")]
        }
        world.wire.edit { _, body in if body["status"] != nil { body["status"] = .array(list) } }
        let outcome = try await world.router.status(of: payment)
        switch meaning {
        case "paid": #expect(receipt(outcome) != nil)
        case "cancelled": #expect(outcome == .cancelled)
        case "declined": #expect(isDeclined(outcome))
        default: #expect(outcome == .pending(retryAfter: nil))
        }
        // Money that is not authorised is not captured.
        let error = await failure { _ = try await world.capture(payment) }
        #expect((error == nil) == (meaning == "authorised"), "\(String(describing: error))")
    }

    // MARK: Capturing

    @Test("Captures all of it, or a part, once")
    func captures() async throws {
        let world = try MerchantWorld()
        let payment = try await world.paid("a")
        let all = try await world.capture(payment)
        #expect(receipt(all)?.amount == (try MerchantWorld.euros(9900)))
        #expect(try await world.capture(payment) == all)
        #expect(world.posts("capture") == 1)
        let other = try await world.paid("b")
        let part = try await world.capture(other, 5000)
        #expect(receipt(part)?.amount == (try MerchantWorld.euros(5000)))
        let body = try JSONValue(parsing: try #require(world.wire.requests.last { $0.method == .post }).body)
        #expect(body == ["amount": ["value": "50.00", "currency": "EUR"]])
        #expect(await world.events(other.id).count { $0 == .settled } == 1)
    }

    @Test("Captures nothing that cannot be meant")
    func unfitCaptures() async throws {
        let (world, payment) = try await MerchantWorld.paid()
        let dollars = try Money(minorUnits: 100, currency: .usd)
        for amount in [dollars, try MerchantWorld.euros(0), try MerchantWorld.euros(9901)] {
            let request = CaptureRequest(of: payment, amount: amount)
            #expect(await failure { _ = try await world.router.capture(request) }?.code == .requestRefused)
        }
        let open = try #require(try await world.client.open(try MerchantWorld.order("b")).payment)
        #expect(await failure { _ = try await world.capture(open) }?.code == .requestRefused)
        #expect(await world.journal.unfinished().isEmpty)
        #expect(world.posts("capture") == 0)
    }

    @Test("A lost capture is settled by asking, under one key")
    func lostCaptures() async throws {
        let (world, payment) = try await MerchantWorld.paid()
        world.faults.inject(.dropBefore) { $1.hasSuffix("/capture") }
        #expect(isUnknown(try await world.capture(payment)))
        let part = await failure { _ = try await world.capture(payment, 5000) }
        #expect(part?.code == .integrity && part?.message.contains("99.00 EUR") == true)
        world.faults.inject(.dropAfter) { $1.hasSuffix("/capture") }
        // The payment's record shows that this amount was captured.
        #expect(receipt(try await world.capture(payment))?.amount == (try MerchantWorld.euros(9900)))
        #expect(receipt(try await world.capture(payment))?.amount == (try MerchantWorld.euros(9900)))
        #expect(Set(world.wire.keys("capture")).count == 1)
        #expect(await world.events(payment.id).count { $0 == .settled } == 1)
    }

    @Test("A capture that fails is reported, and may be requested again under another key")
    func failedCaptures() async throws {
        let (world, payment) = try await MerchantWorld.paid()
        await world.sandbox.failNext("capture")
        let outcome = try await world.capture(payment)
        #expect(isDeclined(outcome) && "\(outcome)".contains("GenericRejection"))
        #expect(try await world.router.status(of: payment) == .pending(retryAfter: nil))
        #expect(receipt(try await world.capture(payment, 5000))?.amount == (try MerchantWorld.euros(5000)))
        #expect(Set(world.wire.keys("capture")).count == 2)
    }

    @Test("A capture that takes long is pending for a minute, and ends when it is requested again")
    func slowCapture() async throws {
        let (world, payment) = try await MerchantWorld.paid()
        await world.sandbox.showActions(after: .zero, lasting: .seconds(30))
        #expect(try await world.capture(payment) == .pending(retryAfter: .seconds(60)))
        #expect(world.queries(around: "capture").last == 5)
        world.clock.advance(by: .seconds(60))
        #expect(receipt(try await world.capture(payment)) != nil && world.posts("capture") == 1)
    }

    @Test("A cancellation that was seen in progress is pending when the later queries fail")
    func failingQueries() async throws {
        let (world, payment) = try await MerchantWorld.paid()
        await world.sandbox.showActions(after: .zero, lasting: .seconds(30))
        // Before the request, and once after it.
        world.faults.inject(.status(500), times: 99, after: 2) { $0 == "GET" && $1.contains("/executions/") }
        #expect(try await world.router.cancel(payment) == .pending(retryAfter: nil))
        #expect(world.queries(around: "cancel") == [1, 5])
    }

    @Test("An id that is not one segment of an address is not asked about", arguments: ["e1/lookup", "..", "e%2f1"])
    func unsafeID(id: String) async throws {
        let world = try MerchantWorld()
        let payment = PaymentReference(provider: PayrailsMerchant.id, id: id)
        #expect(await failure { _ = try await world.router.status(of: payment) }?.code == .requestRefused)
        #expect(world.wire.requests.isEmpty)
    }

    @Test("An amount with more decimals than its currency is not captured")
    func decimals() async throws {
        let (world, payment) = try await MerchantWorld.paid()
        let amount = try Money(minorUnits: 1000, currency: .eur, exponent: 3)
        let error = await failure { _ = try await world.router.capture(CaptureRequest(of: payment, amount: amount)) }
        #expect(error?.code == .requestRefused && world.posts("capture") == 0)
    }

    @Test(
        "A capture that is not sent again is known by the amount in the payment's record",
        arguments: [(5000, true), (8000, false)])
    func lateCapture(cents: UInt128, isThisOne: Bool) async throws {
        let (world, payment) = try await MerchantWorld.paid()
        world.faults.inject(.dropBefore) { $1.hasSuffix("/capture") }
        #expect(isUnknown(try await world.capture(payment, 5000)))
        await world.sandbox.capture(try #require(await world.sandbox.renewSession(payment.id)), units: cents)
        world.clock.advance(by: .seconds(3600))
        let outcome = try await world.capture(payment, 5000)
        #expect((receipt(outcome) != nil) == isThisOne && isUnknown(outcome) != isThisOne, "\(outcome)")
        let request = CaptureRequest(of: payment, amount: try MerchantWorld.euros(5000))
        let report = try await world.merchant.status(of: request, in: world.context)
        #expect((receipt(report) != nil) == isThisOne && isUnknown(report) != isThisOne, "\(report)")
        #expect(world.posts("capture") == 1)
    }

    @Test("A capture of another execution's proves nothing")
    func foreignCapture() async throws {
        let (world, payment) = try await MerchantWorld.paid()
        world.faults.inject(
            .status(
                202,
                body: #"{"name":"capture","actionId":"a","executedAt":"2027-01-15T08:00:00Z","links":"#
                    + #"{"execution":"https://api.payrails.io/merchant/workflows/w/executions/another"}}"#)
        ) { $1.hasSuffix("/capture") }
        #expect(isUnknown(try await world.capture(payment)))
        #expect(await world.journal.unfinished().map(\.mayHaveMovedMoney) == [true])
    }

    // MARK: Cancelling

    @Test("Cancels a reservation once")
    func cancels() async throws {
        let (world, payment) = try await MerchantWorld.paid()
        for _ in 0..<2 { #expect(try await world.router.cancel(payment) == .cancelled) }
        #expect(await world.events(payment.id).last == .cancelled)
        #expect(world.posts("cancel") == 1)
    }

    /// The service refunds a captured payment on a request to cancel: a paid payment must never get there.
    @Test("What is paid is never asked to be cancelled", arguments: PayrailsCaptureMode.allCases)
    func paidIsNotCancelled(mode: PayrailsCaptureMode) async throws {
        let world = try MerchantWorld(mode)
        let payment = try await mode == .manual ? world.captured() : world.paid()
        world.clock.advance(by: .seconds(61))
        #expect(receipt(try await world.router.cancel(payment)) != nil)
        #expect(world.posts("cancel") == 0)
        #expect(await world.refunds(payment.id).isEmpty)
    }

    @Test("An unpaid payment cannot be cancelled as paid")
    func unpaidIsNotCancelled() async throws {
        let world = try MerchantWorld()
        let payment = try #require(try await world.client.open(try MerchantWorld.order()).payment)
        let error = try #require(await failure { _ = try await world.router.cancel(payment) })
        #expect(error.code == .requestRefused && error.phase != .maybeSent)
        #expect(world.posts("cancel") == 0)
    }

    @Test(
        "A declined payment is cancelled only if the service allows it",
        arguments: [["method": "POST"], .null, nil] as [JSONValue?])
    func declinedIsCancelled(link: JSONValue?) async throws {
        let world = try MerchantWorld()
        let isAllowed = link?.object != nil
        let payment = try await world.paid("order-1", scenario: "declined")
        world.wire.edit { _, body in if body["status"] != nil { body["links"]?["cancel"] = link } }
        let outcome = try? await world.router.cancel(payment)
        #expect((world.posts("cancel") > 0) == isAllowed)
        #expect(isAllowed || outcome.map(isDeclined) == true)
    }

    @Test("A lost cancellation is settled by asking")
    func lostCancellations() async throws {
        let world = try MerchantWorld()
        let payment = try await world.paid("a")
        world.faults.inject(.dropBefore) { $1.hasSuffix("/cancel") }
        #expect(await failure { _ = try await world.router.cancel(payment) }?.phase == .maybeSent)
        world.faults.inject(.dropAfter) { $1.hasSuffix("/cancel") }
        let error = await failure { _ = try await world.router.cancel(payment) }
        #expect(error == nil || error?.phase == .maybeSent)
        world.clock.advance(by: .seconds(1))
        #expect(try await world.router.cancel(payment) == .cancelled)
        #expect(Set(world.wire.keys("cancel")).count == 1)
        #expect(await world.events(payment.id).count { $0 == .cancelled } == 1)
    }
}
