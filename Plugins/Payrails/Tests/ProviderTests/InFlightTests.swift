import PaymentCore
import PaymentRouting
import PaymentTesting
import PayrailsSandbox
import Synchronization
import TestSupport
import Testing

@testable import PayrailsKit
@testable import PayrailsProvider

/// Payments that began elsewhere: in another process without this one's journal, or with a request whose first copy
/// arrived.
@Suite("Payments that are already in progress")
struct InFlightTests {
    private static func authorizations(_ world: PayrailsWorld, _ id: String) async -> Int {
        await world.sandbox.ledger.events(of: id).count { if case .confirmRequested = $0 { true } else { false } }
    }

    @Test(
        "Paying again without the journal says what the service says, and does not begin a second payment",
        arguments: [
            PayrailsSandbox.Scenario.pending, .slowSettlement, .neverSettles, .pendingThenPaid, .paidWhileWaiting,
            .paid,
        ])
    func again(scenario: PayrailsSandbox.Scenario) async throws {
        let (world, made) = await PayrailsWorld.made(scenario)
        let first = try await world.router().pay(made.link, as: world.payer("stored"))
        let second = try await world.router().pay(made.link, as: world.payer("card"))
        #expect(await Self.authorizations(world, made.id) == 1)
        switch (scenario.expectedOutcome, first, second) {
        case (.paid, .succeeded, .succeeded): break
        case (.pending, .pending, .pending), (.unknown, .unknown, .pending): break
        default: Issue.record("\(scenario): \(first), then \(second)")
        }
        guard scenario == .slowSettlement else { return }
        world.clock.advance(by: .seconds(700))
        let third = try await world.router().pay(made.link, as: world.payer("stored"))
        #expect(third == .succeeded(PaymentReceipt(reference: reference(made.id))))
        #expect(await world.captures(made.id) == 1)
    }

    @Test("A request that the service took and does not show is not called a failure when the next one is refused")
    func neverShown() async throws {
        let (world, made) = await PayrailsWorld.made(.neverRequested)
        for _ in 0..<2 {
            #expect(try await world.router().pay(made.link, as: world.payer("stored")).isUnknown, "not unknown")
        }
        #expect(await world.captures(made.id) == 0)
    }

    @Test("A payment that waits for its payer is resumed, on its page")
    func page() async throws {
        for (scenario, option) in [
            (PayrailsSandbox.Scenario.challenge, "stored"), (.paid, "payPal"), (.paid, "redirect"),
        ] {
            let (world, made) = await PayrailsWorld.made(scenario)
            let left = try await world.router().pay(made.link, as: world.payer(option, .leaves))
            #expect(left == .pending(retryAfter: nil))
            let router = try world.router()
            guard case .matched(let route) = router.route(made.link) else { return }
            let blind = try await router.quote(route, as: Payer())
            #expect(blind.options.isEmpty && blind.outcome == .pending(retryAfter: nil))
            let quote = try await router.quote(route, as: world.payer("page"))
            #expect(quote.options.map(\.id) == ["page"] && quote.outcome == nil)
            let outcome = try await router.pay(made.link, as: world.payer("page"))
            #expect(outcome == .succeeded(PaymentReceipt(reference: reference(made.id))), "\(option)")
            #expect(await Self.authorizations(world, made.id) == 1)
            #expect(await world.captures(made.id) == 1)
        }
    }

    @Test(
        "A request that arrives twice is settled by its status, whatever the second copy is answered",
        arguments: [
            (409, "workflow.action.not-allowed"), (409, nil), (400, "workflow.action.failed"), (400, nil),
            (422, "workflow.rule.failed"),
        ] as [(Int, String?)])
    func twice(status: Int, code: String?) async throws {
        let (world, made) = await PayrailsWorld.made(.paidWhileWaiting)
        let journal = InMemoryJournal()
        // The answer to the second copy is made up.
        let doubling = RecordingTransport { request throws(TransportError) in
            let response = try await world.wire.send(request)
            guard request.url.path.hasSuffix("/authorize") else { return response }
            let body: JSONValue = code.map { ["errors": [["code": .string($0)]]] } ?? [:]
            return HTTPResponse(status: status, body: body.serialized())
        }
        let outcome = try await world.router(journal, transport: doubling).pay(made.link, as: world.payer("stored"))
        #expect(outcome == .succeeded(PaymentReceipt(reference: reference(made.id))))
        let history = try #require(await journal.histories(of: reference(made.id)).first)
        let failed = history.entries.contains { if case .stepFailed = $0.event { true } else { false } }
        #expect(!failed, "recorded as without effect")
    }

    @Test("A refusal of something that is in progress stays open, is never sent again, and ends when the service says")
    func conflict() async throws {
        let shows = Mutex(false)
        let service = ScriptedService([
            .authorize: [.json(Sample.envelope, 409)], .read: [.ok(Sample.status([Sample.created]))],
        ])
        let transport = RecordingTransport(over: service) { request in
            guard shows.withLock({ $0 }), request.method == .get else { return nil }
            return HTTPResponse(
                status: 200,
                body: Sample.status([Sample.created, Sample.requested, Sample.successful]).serialized())
        }
        let journal = InMemoryJournal()
        let router = try Sample.router(transport, journal)
        for _ in 0..<2 {
            #expect(try await router.pay(Self.link, as: .careless).isUnknown, "not unknown")
        }
        #expect(await journal.histories(of: reference("e1")).map(\.mayHaveMovedMoney) == [true])
        shows.withLock { $0 = true }
        #expect(
            try await router.pay(Self.link, as: .careless) == .succeeded(PaymentReceipt(reference: reference("e1"))))
        #expect(service.count(.authorize) == 1)
    }

    @Test("A request whose form is wrong is refused at once: its copies are, too")
    func form() async throws {
        let service = ScriptedService([
            .authorize: [.json(["errors": [["code": "request.param.missing"]]], 400)],
            .read: [.ok(Sample.status([Sample.created]))],
        ])
        let router = try Sample.router(service)
        let error = await #expect(throws: PaymentError.self) { try await router.pay(Self.link, as: .careless) }
        #expect(error?.code == .requestRefused && error?.phase == .answered)
        #expect(error?.vendorCode == "request.param.missing")
    }

    @Test(
        "What an error of the service says of money",
        arguments: [
            (400, "request.malformed", false), (400, "request.conflict", true), (400, "workflow.action.failed", true),
            (401, nil, false), (403, nil, false), (404, "request.not-found", false), (408, nil, true),
            (409, "workflow.action.not-allowed", true), (409, nil, true), (422, "request.param.invalid", false),
            (422, nil, true), (429, nil, true), (500, nil, true), (503, "service.unavailable", true), (302, nil, true),
        ] as [(Int, String?, Bool)])
    func classification(status: Int, code: String?, isOpen: Bool) {
        let fault = PayrailsServiceError(status: status, code: code)
        let vendor: PayrailsError =
            [401, 403].contains(status) ? .authenticationError : .unknown(error: PayrailsUnderlyingError.service(fault))
        #expect(vendor.leavesFateOpen == isOpen)
        #expect((PaymentError(vendor, isMutation: true).phase == .maybeSent) == isOpen)
        #expect(PaymentError(vendor, isMutation: false).phase != .maybeSent)
    }

    @Test("What the service says of when to ask again reaches the router", arguments: [429, 503, 422])
    func retryAfter(status: Int) {
        let fault = PayrailsAPI.fault(HTTPResponse(status: status, headers: ["Retry-After": "7"]))
        let error = PaymentError(.unknown(error: PayrailsUnderlyingError.service(fault)), isMutation: false)
        #expect(error.retry == (status == 422 ? .never : .after(.seconds(7))))
    }

    // MARK: After a decline

    private static let second = ("authorizeRequested", "57.500000001")
    private static let declined = [Sample.created, Sample.requested, Sample.failed]

    @Test("After a decline another attempt is made, and the decline before it is not taken for its ending")
    func afterDecline() async throws {
        let old = Answer.ok(Sample.status(Self.declined))
        let service = ScriptedService([
            // Quote, look, preparation, and two questions before the new attempt shows.
            .read: [old, old, old, old, old, .ok(Sample.status(Self.declined + [Self.second]))],
            .wait: [.ok(Sample.status(Self.declined + [Self.second, Sample.successful]))],
        ])
        let router = try Sample.router(service)
        #expect(
            try await router.pay(Self.link, as: .careless) == .succeeded(PaymentReceipt(reference: reference("e1"))))
        #expect(service.count(.authorize) == 1)
    }

    @Test("After a decline, an attempt that does not show is unknown, not declined")
    func unseenAfterDecline() async throws {
        let service = ScriptedService([
            .authorize: [.fail(.maybeSent, .timedOut)], .read: [.ok(Sample.status(Self.declined))],
        ])
        let router = try Sample.router(service)
        for _ in 0..<2 {
            #expect(try await router.pay(Self.link, as: .careless).isUnknown, "not unknown")
        }
        #expect(service.count(.authorize) == 1)
    }

    @Test("The vendor's client, too, distinguishes the second payment's ending from the first one's")
    func sessionAfterDecline() async throws {
        let first = Answer.ok(Sample.status(Self.declined))
        let service = ScriptedService([
            .read: [first, first, .ok(Sample.status(Self.declined + [Self.second, Sample.successful]))]
        ])
        let session = try PayrailsSession.scripted(service)
        #expect(await session.executePayment(withStoredInstrument: session.card).word == "failure GenericRejection")
        #expect(await session.executePayment(withStoredInstrument: session.card).word == "success")
        // A session that is created after the decline reads it from its init data.
        var payload = Sample.payload()
        payload["execution"]?["status"] = Sample.status(Self.declined)["status"]
        let later = ScriptedService([
            .read: [first, .ok(Sample.status(Self.declined + [Self.second, Sample.successful]))]
        ])
        let renewed = try PayrailsSession.scripted(later, payload: payload)
        #expect(await renewed.executePayment(withStoredInstrument: renewed.card).word == "success")
    }

    // MARK: Cancelled

    @Test("An order that the shop has deleted is cancelled, also for waiting callers")
    func calledOff() async throws {
        let world = PayrailsWorld { $0.abandonedAfter = .seconds(1200) }
        for scenario in [PayrailsSandbox.Scenario.pending, .neverRequested, .challenge] {
            let made = await world.sandbox.createSession(scenario)
            let router = try world.router()
            let outcome = try await router.pay(made.link, as: world.payer("stored", .leaves))
            #expect(!outcome.isFinal)
            world.clock.advance(by: .seconds(1300))
            #expect(try await router.pay(made.link, as: world.payer("stored")) == .cancelled)
            #expect(try await world.router().pay(made.link, as: world.payer("stored")) == .cancelled)
            #expect(await world.captures(made.id) == 0)
        }
    }

    // MARK: Helpers

    private static let link = Sample.link

    private func reference(_ id: String) -> PaymentReference { PaymentReference(provider: PayrailsProvider.id, id: id) }
}

/// The final status of a payment's history (Protocol 2.3 and 2.5).
@Suite("Histories of statuses")
struct StatusHistoryTests {
    private typealias Verdict = StatusHistory.Verdict

    private func history(_ entries: [(code: String, second: String)]) throws -> StatusHistory {
        StatusHistory(try Sample.status(entries).decode(ExecutionBody.self).status)
    }

    @Test("A success that was released again is cancelled; a payment begun after that is not")
    func released() throws {
        let released = [
            Sample.created, Sample.requested, ("authorizeSuccessful", "54.0"), ("cancelSuccessful", "55.0"),
        ]
        #expect(try history(released).status == .cancelled)
        #expect(try history([Sample.created, ("cancelSuccessful", "55.0")]).status == .cancelled)
        #expect(try history(released + [("authorizeRequested", "56.0")]).verdict(knowsPending: true) != .cancelled)
    }

    @Test("Five seconds of tolerance are for the first attempt; the next one begins where it says")
    func tolerance() throws {
        let early = [Sample.requested, ("authorizeFailed", "50.0")]
        #expect(try history(early).verdict(knowsPending: true) == .failed("GenericRejection"))
        let next = [Sample.requested, Sample.failed, ("authorizeRequested", "57.0")]
        #expect(try history(next).verdict(knowsPending: true) == .open)
        #expect(try history(next).status == .inFlight)
    }

    @Test("A success by a slow clock beats a pending")
    func slowClock() throws {
        let paid = try history([Sample.created, Sample.requested, Sample.pending, ("authorizeSuccessful", "10.0")])
        #expect(paid.verdict(knowsPending: true) == .success && paid.verdict(knowsPending: false) == .success)
    }

    @Test("A payment that was paid after a decline is paid, whatever the clock says that wrote the decline")
    func paidAfterDecline() throws {
        for decline in ["55.5", "57.5", "59.9"] {
            let paid = try history([
                Sample.created, Sample.requested, ("authorizeFailed", decline), ("authorizeRequested", "57.5"),
                Sample.pending, ("authorizeSuccessful", "57.5"),
            ])
            #expect(paid.status == .paid, "\(decline)")
            #expect(paid.verdict(knowsPending: false) == .success)
            #expect(paid.verdict(knowsPending: true, since: .init(requests: 1, failures: 1)) == .success)
        }
        // Released, and declined after that: the earlier payment is gone.
        let released = try history([
            Sample.created, Sample.requested, ("authorizeSuccessful", "54.0"), ("cancelSuccessful", "55.0"),
            ("authorizeRequested", "56.0"), ("authorizeFailed", "57.0"),
        ])
        #expect(released.status == .ready)
    }

    @Test("Where a payment stands for a user who wants to pay it")
    func status() throws {
        #expect(try history([Sample.created]).status == .ready)
        #expect(try history([]).status == .ready)
        #expect(try history([Sample.created, Sample.requested]).status == .inFlight)
        #expect(try history([Sample.created, Sample.requested, Sample.pending]).status == .inFlight)
        #expect(try history([Sample.requested, Sample.failed, Sample.pending]).status == .ready)
        #expect(try history([Sample.requested, Sample.successful]).status == .paid)
    }
}
