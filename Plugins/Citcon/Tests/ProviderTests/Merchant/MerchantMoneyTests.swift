import CitconMerchant
import CitconSandbox
import PaymentCore
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing

/// Captures, cancellations and refunds, through the router.
@Suite struct MerchantMoneyTests {
    private func refund(_ charge: CitconCharge, _ cents: UInt128 = 1250, _ id: String = "credit-1") throws
        -> RefundRequest
    {
        RefundRequest(of: charge.reference, amount: try Money(minorUnits: cents, currency: .usd), id: id)
    }

    /// A context whose steps run at once.
    private func context(_ world: MerchantWorld) -> ProviderContext {
        ProviderContext(
            http: world.wire, payer: Payer(), clock: world.clock, random: SeededRandomSource(seed: 8),
            secrets: NoSecrets(), steps: UnstoredSteps(), remark: { _ in })
    }

    // MARK: Status

    @Test(
        "Reports the results of charges",
        arguments: [
            (CitconSandbox.Behaviour.pays, ServiceReport?.none), (.cancels, .cancelled),
            (.vanishes, .pending(retryAfter: nil)),
        ])
    func tellsWhatBecameOfCharges(_ behaviour: CitconSandbox.Behaviour, _ report: ServiceReport?) async throws {
        let world = try MerchantWorld()
        let charge = try await world.paid("order-1", behaviour)
        #expect(try await world.router.status(of: charge.reference, as: Payer()) == report ?? world.receipt(charge))
    }

    @Test("Failed and expired charges moved no money")
    func failedAndExpiredChargesMovedNoMoney() async throws {
        let world = try MerchantWorld()
        let failed = try await world.paid("a", .fails)
        #expect(
            try await world.router.status(of: failed.reference, as: Payer()).isDeclined, "a failed charge is declined")
        let late = try await world.charge("b")
        world.clock.advance(by: .seconds(7200))
        #expect(try await world.router.status(of: late.reference, as: Payer()) == .expired)
        let unknown = PaymentReference(provider: "citcon-merchant", id: "nobody")
        #expect(await failure { _ = try await world.router.status(of: unknown, as: Payer()) }?.code == .notFound)
    }

    @Test("References that cannot be part of an address are not asked about", arguments: ["", "..", "a/b", "a?b"])
    func unfitReferences(_ reference: String) async throws {
        let world = try MerchantWorld()
        let payment = PaymentReference(provider: "citcon-merchant", id: reference)
        #expect(await failure { _ = try await world.router.status(of: payment, as: Payer()) } != nil)
        #expect(world.faults.requests.isEmpty)
    }

    @Test(
        "Another transaction has no result here",
        arguments: [("charge", "order-2"), ("refund", "order-1"), ("refund", "order-2")])
    func anotherTransactionTellsNothing(_ object: String, _ reference: String) async throws {
        let (world, charge) = try await MerchantWorld.charged()
        var other = made(reference)
        other["object"] = .string(object)
        world.answer("transactions/order-1", other)
        #expect(
            await failure { _ = try await world.router.status(of: charge.reference, as: Payer()) }?.code == .integrity)
    }

    /// Citcon recognises a repetition of none of them.
    @Test("The network may repeat nothing but questions and the request for a token")
    func theNetworkMayRepeatNothingButTheAskingForATokenAndQuestions() async throws {
        let world = try MerchantWorld()
        _ = try await world.capture(try await world.paid("a", captures: false))
        _ = try await world.router.cancel(try await world.charge("b").reference)
        _ = try await world.router.refund(try refund(try await world.paid("c")))
        for path in ["charges", "captures", "cancels", "refunds"] { #expect(world.posts(path) > 0, "\(path)") }
        #expect(world.wire.repeatable == ["/v1/access-tokens"])
        // A step whose request for a token was answered has sent nothing yet.
        #expect(world.wire.harmless == ["/v1/access-tokens"])
        #expect(world.wire.requests.allSatisfy { $0.method == .post || $0.changesNothing })
        #expect(world.wire.requests.allSatisfy { $0.timeout == .seconds(20) })
    }

    // MARK: Capturing (Protocol 2.7)

    @Test("Captures what was set aside")
    func capturesWhatWasSetAside() async throws {
        let (world, charge) = try await MerchantWorld.paid(captures: false)
        #expect(try await world.router.status(of: charge.reference, as: Payer()) == .pending(retryAfter: nil))
        for _ in 0..<2 { #expect(try await world.capture(charge) == world.captured(charge)) }
        #expect(await world.sandbox.ledger.captures(of: charge.id) == 1)
        #expect(world.posts("captures") == 1)
    }

    @Test("Captures the smallest amount")
    func capturesTheSmallestAmount() async throws {
        let (world, charge) = try await MerchantWorld.paid(captures: false)
        let cent = try Money(minorUnits: 1, currency: .usd)
        #expect(try await world.capture(charge, cent) == world.captured(charge, cent))
        let other = try MerchantWorld()
        let captured = try await other.paid(captures: false)
        show(captured, captured: 1, own: nil, in: other)
        #expect(try await other.capture(captured, cent).receipt?.amount == cent)
    }

    @Test("An old capture is not sent again, and is unknown while the service states no amount")
    func oldCaptures() async throws {
        let (world, charge) = try await MerchantWorld.paid(captures: false)
        world.faults.inject(.dropBefore) { $1 == "/v1/captures" }
        _ = try await world.capture(charge)
        world.clock.advance(by: .seconds(24 * 3600 + 1))
        show(charge, captured: 0, own: nil, in: world)
        #expect(try await world.capture(charge).isUnknown, "nothing shows how much was captured")
        #expect(world.posts("captures") == 1)
    }

    @Test("A refused capture is open while no inquiry shows the charge")
    func unseenCapture() async throws {
        let (world, charge) = try await MerchantWorld.paid(captures: false)
        world.refuse("captures", 400, "4000")
        world.faults.inject(.status(500), times: 1000, after: 1) { method, _ in method == "GET" }
        #expect(try await world.capture(charge).isUnknown, "another copy of the request may have captured it")
    }

    /// Shows a charge as captured: in all, and by this merchant's reference.
    private func show(
        _ charge: CitconCharge, captured: Int?, own: Int?, others: [Int] = [500], status: JSONValue = "succeeded",
        after skip: Int = 0, in world: MerchantWorld
    ) {
        func part(_ reference: String, _ amount: Int) -> JSONValue {
            ["object": "capture", "reference": .string(reference), "amount": .number(JSONNumber(amount))]
        }
        let parts = others.map { part("another", $0) } + (own.map { [part("capture-order-1", $0)] } ?? [])
        world.answer(
            "transactions/order-1", times: 99, after: skip,
            [
                "id": .string(charge.id), "object": "charge", "reference": "order-1", "currency": "USD",
                "status": status, "amount": 1250, "amount_captured": captured.map { .number(JSONNumber($0)) } ?? .null,
                "captures": ["data": .array(parts)],
            ])
    }

    /// What the service says of a refund.
    private func made(
        _ reference: String = "refund-7-order-1-credit-1", _ amount: JSONValue = 1250, _ currency: JSONValue = "USD",
        status: JSONValue = "succeeded", refunded: JSONValue? = nil
    ) -> JSONValue {
        var made: JSONValue = [
            "id": "9", "object": "refund", "reference": .string(reference), "amount": amount, "currency": currency,
            "status": status,
        ]
        made["amount_refunded"] = refunded
        return made
    }

    @Test("A capture without a stated amount counts only if the service accepted it", arguments: [true, false])
    func unstatedCaptures(_ isAccepted: Bool) async throws {
        let (world, charge) = try await MerchantWorld.paid(captures: false)
        if !isAccepted {
            world.refuse("captures", 400, "4000")
        }
        show(charge, captured: 0, own: nil, after: 1, in: world)
        #expect(try await world.capture(charge).receipt?.amount == (isAccepted ? charge.amount : nil))
        let request = CaptureRequest(of: charge.reference, amount: charge.amount)
        #expect(
            try await world.merchant.status(of: request, in: context(world)).isUnknown,
            "a status states no amount of this request")
    }

    @Test(
        "An earlier capture is reported over the amount that the service states in one way",
        arguments: [(0, 1250, true), (1250, nil, true), (1250, 1250, true), (1250, 500, false), (0, nil, false)]
            as [(Int, Int?, Bool)])
    func earlierCaptures(_ captured: Int, _ own: Int?, _ isClear: Bool) async throws {
        let (world, charge) = try await MerchantWorld.paid(captures: false)
        show(charge, captured: captured, own: own, in: world)
        let outcome = try await world.capture(charge)
        #expect(outcome.receipt?.amount == (isClear ? charge.amount : nil))
        #expect(outcome.receipt?.isEarlier == (isClear ? true : nil))
        #expect(world.posts("captures") == 0)
    }

    @Test("Captures only what is authorised, in the charge's currency")
    func capturesOnlyInTheChargesCurrency() async throws {
        let (world, charge) = try await MerchantWorld.paid(captures: false)
        for amount in [
            try Money(minorUnits: 1, currency: .eur), try Money(minorUnits: 0, currency: .usd),
            try Money(minorUnits: 125_000, currency: .usd, exponent: 4),
        ] {
            #expect(await failure { _ = try await world.capture(charge, amount) }?.code == .requestRefused)
        }
        let open = try await world.charge("order-2")
        #expect(await failure { _ = try await world.capture(open) }?.code == .requestRefused)
        show(charge, captured: 0, own: nil, status: "pending", in: world)
        #expect(await failure { _ = try await world.capture(charge) }?.code == .requestRefused)
        #expect(await world.journal.unfinished().isEmpty)
        #expect(world.posts("captures") == 0)
    }

    // MARK: Cancelling

    @Test("Cancels once")
    func cancelsOnce() async throws {
        let (world, charge) = try await MerchantWorld.charged()
        for _ in 0..<2 { #expect(try await world.router.cancel(charge.reference) == .cancelled) }
        #expect(await world.events(charge.id) == [.created, .cancelled])
        #expect(world.posts("cancels") == 1)
    }

    @Test("Does not cancel what is paid")
    func doesNotCancelWhatIsPaid() async throws {
        let (world, charge) = try await MerchantWorld.paid()
        #expect(try await world.router.cancel(charge.reference) == world.receipt(charge))
        #expect(world.posts("cancels") == 0)
        // The reserved money is released.
        let reserved = try await world.paid("order-2", captures: false)
        #expect(try await world.router.cancel(reserved.reference) == .cancelled)
    }

    @Test("Does not cancel what is over")
    func doesNotCancelWhatIsOver() async throws {
        let world = try MerchantWorld()
        let late = try await world.charge("a")
        world.clock.advance(by: .seconds(7200))
        #expect(try await world.router.cancel(late.reference) == .expired)
        #expect(
            try await world.router.cancel(try await world.paid("b", .fails).reference).isDeclined,
            "a failed charge is declined")
        #expect(try await world.router.cancel(try await world.paid("c", .cancels).reference) == .cancelled)
        #expect(world.posts("cancels") == 0)
    }

    // MARK: Refunding

    @Test("Refunds once, however often it is asked")
    func refundsOnceHoweverOftenItIsAsked() async throws {
        let (world, charge) = try await MerchantWorld.paid()
        let request = try refund(charge, 1000)
        let first = try await world.router.refund(request)
        #expect(first.receipt?.reference == request.reference)
        #expect(first.receipt?.amount == request.amount)
        #expect(first.receipt?.transactionID?.isEmpty == false)
        #expect(try await world.router.refund(request) == first)
        #expect(await world.refunds(charge.id).count == 1)
        #expect(try await world.router.refund(try refund(charge, 250, "credit-2")).receipt != nil)
        #expect(
            await world.events(charge.id).suffix(2) == [
                .refunded(amount: "1000 iso4217/USD"), .refunded(amount: "250 iso4217/USD"),
            ])
    }

    @Test("Refusals are outcomes")
    func refusalsAreOutcomes() async throws {
        let (world, charge) = try await MerchantWorld.paid()
        let open = try await world.charge("order-2")
        for request in [try refund(charge, 1251), try refund(open, 1, "credit-2")] {
            #expect(
                try await world.router.refund(request).isDeclined, "the service refused, so the outcome is a refusal")
        }
        world.refuse("refunds", 406, "4208")
        #expect(try await world.router.refund(try refund(charge, 5, "credit-3")).isDeclined, "a part cannot go back")
        #expect(await world.refunds(charge.id).isEmpty)
    }

    @Test("A refusal of a refund is no outcome when the service failed", arguments: ["4202", "4208"])
    func unclearRefusals(_ code: String) async throws {
        let (world, charge) = try await MerchantWorld.paid()
        world.refuse("refunds", 500, code)
        let request = try refund(charge)
        let error = await failure { _ = try await world.merchant.refund(request, in: context(world)) }
        #expect(error?.phase == .maybeSent)
    }

    /// The token expires while the charge is looked up.
    @Test("A failure to get a token leaves neither a refund nor a capture open", arguments: [true, false])
    func noToken(_ isRefund: Bool) async throws {
        let (world, charge) = try await MerchantWorld.paid(captures: isRefund)
        world.clock.advance(by: .seconds(24 * 3600 - 1))
        let wire = RecordingTransport { request throws(TransportError) in
            let answer = try await world.wire.send(request)
            if request.method == .get { world.clock.advance(by: .seconds(1)) }
            return answer
        }
        let router = try world.otherServer(over: wire, world.journal)
        world.faults.inject(.dropBefore) { $1 == "/v1/access-tokens" }
        let request = try refund(charge)
        let error = await failure {
            if isRefund {
                _ = try await router.refund(request)
            } else {
                _ = try await router.capture(CaptureRequest(of: charge.reference, amount: charge.amount))
            }
        }
        #expect(error != nil && error?.phase != .maybeSent)
        #expect(await world.journal.unfinished().isEmpty)
    }

    @Test("An accepted refund needs no refunded amount, and a listed one does")
    func statedRefunds() async throws {
        let (world, charge) = try await MerchantWorld.paid()
        world.answer("refunds", made("refund-7-order-1-credit-1", 1250, "usd"))
        let request = try refund(charge)
        #expect(try await world.router.refund(request).receipt?.amount == request.amount)
        world.faults.inject(.status(404)) { $1 == "/v1/transactions/refund-7-order-1-credit-1" }
        world.answer(
            "transactions/order-1",
            ["reference": "order-1", "refunds": ["data": [made("refund-7-order-1-credit-1", 1250, "usd")]]])
        #expect(
            try await world.merchant.status(of: request, in: context(world)).isUnknown,
            "the refunded amount is not known")
    }

    @Test(
        "Unclear refunds are sent again under their reference, and made once",
        arguments: [
            FaultInjector.Fault.dropBefore, .dropAfter, .status(500), .garbage,
            .status(508, body: #"{"status":"fail","data":{"code":"4107"}}"#),
        ])
    func unclearRefundsAreMadeOnce(_ fault: FaultInjector.Fault) async throws {
        let (world, charge) = try await MerchantWorld.paid()
        world.faults.inject(fault) { $1 == "/v1/refunds" }
        let request = try refund(charge)
        let outcome = try await world.router.refund(request)
        let arrived = await world.refunds(charge.id).count
        if arrived == 1 {
            #expect(outcome.receipt?.reference == request.reference)
        } else {
            #expect(outcome.isUnknown, "nobody can know: \(outcome)")
        }
        #expect(try await world.router.refund(request).receipt?.amount == request.amount)
        #expect(await world.refunds(charge.id).count == 1)
        #expect(await world.journal.unfinished().isEmpty)
    }

    @Test("An old refund is not sent again")
    func oldRefunds() async throws {
        let (world, charge) = try await MerchantWorld.paid()
        world.faults.inject(.dropBefore) { $1 == "/v1/refunds" }
        _ = try await world.router.refund(try refund(charge))
        world.clock.advance(by: .seconds(24 * 3600 + 1))
        #expect(try await world.router.refund(try refund(charge)).isUnknown, "nothing shows whether it was made")
        #expect(world.posts("refunds") == 1)
    }

    @Test(
        "A refund whose stated amounts differ, or that states no refunded amount, is unknown", arguments: [true, false])
    func unclearAmounts(isStated: Bool) async throws {
        let (world, charge) = try await MerchantWorld.paid()
        let other = try world.otherServer(over: SandboxTransport(world.sandbox))
        _ = try await other.refund(try refund(charge, 500))
        world.answer(
            "transactions/refund-7-order-1-credit-1", times: 99, made(refunded: isStated ? 500 : .null))
        #expect(try await world.router.refund(try refund(charge)).isUnknown, "the amount is not known")
        #expect(await world.refunds(charge.id).count == 1)
    }

    @Test("A capture of another server's that states no amount is unknown, and one over another amount is not this one")
    func capturesOfOthers() async throws {
        for part in [true, false] {
            let (world, charge) = try await MerchantWorld.paid(captures: false)
            let other = try world.otherServer(over: SandboxTransport(world.sandbox))
            let five = try Money(minorUnits: 500, currency: .usd)
            _ = try await other.capture(CaptureRequest(of: charge.reference, amount: five))
            show(charge, captured: nil, own: part ? 500 : nil, others: [], in: world)
            let outcome = try? await world.capture(charge)
            #expect(outcome.map { $0.receipt == nil } ?? part, "\(String(describing: outcome))")
        }
    }

    @Test(
        "Refunds other than the one asked for prove nothing",
        arguments: [
            ("refund-other", 1250, "USD"), ("refund-7-order-2-credit-1", 1250, "USD"),
            ("refund-7-order-1-credit-1", 125, "USD"), ("refund-7-order-1-credit-1", 1250, "EUR"),
            ("refund-7-order-1-credit-1", nil, "USD"),
        ] as [(String, JSONValue, JSONValue)])
    func otherRefundsThanAskedForProveNothing(
        _ reference: String, _ amount: JSONValue, _ currency: JSONValue
    ) async throws {
        let (world, charge) = try await MerchantWorld.paid()
        world.answer("refunds", made(reference, amount, currency))
        #expect(try await world.router.refund(try refund(charge)).isUnknown, "the answer is about something else")
        #expect(await world.refunds(charge.id).isEmpty)
    }

    /// "The reference was used before": perhaps by a copy of this very request that is not visible yet.
    @Test("A reference that was used proves nothing")
    func aReferenceThatWasUsedProvesNothing() async throws {
        let (world, charge) = try await MerchantWorld.paid()
        world.refuse("refunds", 400, "4100", times: 99)
        let request = try refund(charge)
        for _ in 0..<2 {
            #expect(try await world.router.refund(request).isUnknown, "the money may be on its way back")
        }
        _ = try await world.router.recover(as: Payer())
        #expect(await world.refunds(charge.id).isEmpty)
    }

    @Test(
        "Lost refunds are found in the list of the charge",
        arguments: [
            FaultInjector.Fault.status(404, body: "{}"),
            .status(
                200,
                body:
                    #"{"status":"success","data":{"id":"9","object":"charge","reference":"refund-7-order-1-credit-1","#
                    + #""amount":1250,"amount_refunded":1250,"currency":"USD","status":"succeeded"}}"#),
        ])
    func lostRefundsAreFoundInTheListOfTheCharge(_ search: FaultInjector.Fault) async throws {
        let (world, charge) = try await MerchantWorld.paid()
        _ = try await world.router.refund(try refund(charge, 250, "credit-0"))
        world.faults.inject(.dropAfter) { $1 == "/v1/refunds" }
        // In case the service does not search refunds by their references, or shows something else of this one.
        world.faults.inject(search, times: 100) { $1 == "/v1/transactions/refund-7-order-1-credit-1" }
        let found = try await world.router.refund(try refund(charge, 1000)).receipt
        #expect(found?.amount?.minorUnits == 1000 && found?.isEarlier == false && found?.transactionID != "9")
        #expect(world.posts("refunds") == 2)
    }

    /// Refunds of a server whose journal is lost.
    @Test("Refunds that were made before are found")
    func refundsMadeBeforeAreFound() async throws {
        let (world, charge) = try await MerchantWorld.paid()
        let first = try await world.router.refund(try refund(charge))
        let other = try world.otherServer()
        let found = try await other.refund(try refund(charge)).receipt
        #expect(found?.transactionID == first.receipt?.transactionID && found?.amount == first.receipt?.amount)
        #expect(found?.isEarlier == true && first.receipt?.isEarlier == false)
        #expect(await world.refunds(charge.id).count == 1)
        let changed = await failure { _ = try await other.refund(try refund(charge, 7)) }
        #expect(changed?.code == .integrity)
    }

    /// Two servers, each with its own journal, number their refunds alike.
    @Test("A refund of another charge under the same id is not taken for this one")
    func refundsOfOtherCharges() async throws {
        let world = try MerchantWorld()
        let charges = [try await world.paid("order-1"), try await world.paid("order-2")]
        var transactions: Set<String?> = []
        for (seed, charge) in charges.enumerated() {
            let router = try world.otherServer(seed: UInt64(seed))
            let made = try await router.refund(try refund(charge)).receipt
            #expect(made?.amount == charge.amount)
            transactions.insert(made?.transactionID)
            #expect(await world.refunds(charge.id).count == 1)
        }
        #expect(transactions.count == 2 && !transactions.contains(nil))
    }

    @Test("A refund of a payment whose reference is as long as can be is made")
    func longReferences() async throws {
        let world = try MerchantWorld()
        let charge = try await world.paid(String(repeating: "o", count: 128))
        #expect(try await world.router.refund(try refund(charge)).receipt?.amount == charge.amount)
    }

    @Test("Refunds only in the charge's currency")
    func refundsOnlyInTheChargesCurrency() async throws {
        let (world, charge) = try await MerchantWorld.paid()
        for (number, money) in [
            try Money(minorUnits: 1, currency: .eur), try Money(minorUnits: 0, currency: .usd),
            try Money(minorUnits: 125_000, currency: .usd, exponent: 4),
        ].enumerated() {
            let request = RefundRequest(of: charge.reference, amount: money, id: "credit-\(number)")
            #expect(await failure { _ = try await world.router.refund(request) }?.code == .requestRefused)
        }
        #expect(world.posts("refunds") == 0)
    }

    @Test(
        "Any text is a refund's id, and its notification names it",
        arguments: ["", "a&b", "CN 2024/117 \u{E9}", "..", "~0~YQ", String(repeating: "x", count: 129)])
    func anyID(id: String) async throws {
        let (world, charge) = try await MerchantWorld.paid()
        let request = try refund(charge, 1000, id)
        #expect(try await world.router.refund(request).receipt?.reference == request.reference)
        #expect(try await world.router.refund(request) == world.router.refund(request))
        #expect(await world.refunds(charge.id).count == 1)
        let named = try await world.lastNotification().paymentReference
        // Of a digest the service knows neither the id nor the payment.
        if id.utf8.count > 128 {
            #expect(named.isRefund && named.refundedPayment == nil)
        } else {
            #expect(named == request.reference)
        }
    }

    @Test("A refund that failed at the service leaves its id free, and its reference used")
    func failedRefund() async throws {
        let (world, charge) = try await MerchantWorld.paid()
        world.answer("refunds", made(status: "failed"))
        world.answer("transactions/refund-7-order-1-credit-1", times: 100, made(status: "failed"))
        #expect(try await world.router.refund(try refund(charge)).isDeclined, "it has failed")
        let request = try refund(charge, 1000)
        #expect(try await world.router.refund(request).receipt?.amount == request.amount)
        #expect(world.posts("refunds") == 2)
        let notification = try await world.lastNotification()
        #expect(notification.reference == "refund-7-order-1-~1~Y3JlZGl0LTE")
        #expect(notification.paymentReference == request.reference)
    }
}

extension MerchantWorld {
    /// A world with a new charge.
    static func charged() async throws -> (MerchantWorld, CitconCharge) {
        let world = try MerchantWorld()
        return (world, try await world.charge())
    }

    /// A world with a charge that the payer has completed.
    static func paid(captures: Bool? = nil) async throws -> (MerchantWorld, CitconCharge) {
        let world = try MerchantWorld()
        return (world, try await world.paid(captures: captures))
    }

    /// Another server of the merchant's, with its own journal unless one is given.
    func otherServer(
        over transport: (any HTTPTransport)? = nil, _ journal: InMemoryJournal = InMemoryJournal(), seed: UInt64 = 9
    ) throws -> PaymentRouter {
        try router(of: merchant, over: transport, journal: journal, seed: seed)
    }

    /// Lets the service refuse requests to `path`, without carrying them out.
    func refuse(_ path: String, _ status: Int, _ code: String, times: Int = 1, after skip: Int = 0) {
        let body = #"{"status":"fail","data":{"code":"\#(code)"}}"#
        faults.inject(.status(status, body: body), times: times, after: skip) { $1 == "/v1/\(path)" }
    }

    /// Lets the service answer requests to `path` with this `data`, without carrying them out.
    func answer(_ path: String, times: Int = 1, after skip: Int = 0, _ data: JSONValue) {
        let answer: JSONValue = ["status": "success", "data": data]
        faults.inject(.status(200, body: answer.text), times: times, after: skip) { $1 == "/v1/\(path)" }
    }

    func lastNotification() async throws -> CitconNotification {
        let body = try #require(await sandbox.notifications.last).body
        return try merchant.read(IncomingNotification(headers: [:], body: body))
    }
}
