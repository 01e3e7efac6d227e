import PaymentCore
import PaymentRouting
import PaymentTesting
import PayrailsSandbox
import TestSupport
import Testing

@testable import PayrailsKit
@testable import PayrailsProvider

/// The protection of the router's payers extends to those of the vendor's client: both share one flow.
@Suite("The vendor's client, guarded as the router is")
struct SharedFlowTests {
    private static let declined = [Sample.created, Sample.requested, Sample.failed]
    private static let challenge: JSONValue = [
        "3ds": .string(Sample.host + "/public/redirect/merchant/payment-acceptance/e1/t0")
    ]
    private static let waiting = Answer.ok(
        Sample.status([Sample.created, Sample.requested, Sample.pending], action: "3ds", links: challenge))

    private func keys(_ service: ScriptedService, _ call: ScriptedService.Call = .authorize) -> [String?] {
        service.requests.filter { ScriptedService.call($0) == call }.map { $0.headers["x-idempotency-key"] }
    }

    // MARK: Lost answers and refusals that may be a copy's

    static let open: [Answer] =
        [409, 425, 429].map { .json(Sample.envelope, $0) } + [
            .json(Sample.envelope, 422), .json(Sample.envelope, 408), .json(Sample.envelope, 500),
            .fail(.maybeSent, .timedOut), .fail(.maybeSent, .connectionLost("gone")), .bytes(Array("<html>".utf8), 200),
        ]

    @Test("A request to pay whose fate is open is settled by the statuses", arguments: open.indices)
    func settled(_ index: Int) async throws {
        for (answer, word) in [
            (Answer.paid, "success"), (.ok(Sample.status(Self.declined)), "failure GenericRejection"),
        ] {
            let service = ScriptedService([.authorize: [Self.open[index]], .read: [.untouched, answer]])
            #expect(try await service.pay().word == word)
            #expect(service.count(.authorize) == 1)
        }
    }

    @Test("One that does not show may have been sent, and is said so", arguments: open.indices)
    func unknown(_ index: Int) async throws {
        let service = ScriptedService([.authorize: [Self.open[index]], .read: [.untouched]])
        let result = try await service.pay()
        guard case .error(.unknown(let cause as PayrailsUnderlyingError)) = result else {
            Issue.record("\(result.word)")
            return
        }
        #expect(result.mayHaveBeenPaid && cause.leavesFateOpen)
        #expect(service.count(.authorize) == 1 && service.count(.read) == ExecutionPoll.attempts)
    }

    @Test("A malformed request, or one that never left, was not paid, and no status is requested")
    func certain() async throws {
        for answer in [
            Answer.json(["errors": [["code": "request.param.missing"]]], 400), .json(Sample.envelope, 404),
            .fail(.notSent, .hostNotFound),
        ] {
            let service = ScriptedService([.authorize: [answer], .read: [.untouched]])
            let result = try await service.pay()
            #expect(!result.mayHaveBeenPaid && service.calls == [.authorize], "\(result.word)")
        }
    }

    @Test("After a lost answer the next payment asks first, and is the first one's copy where nothing shows")
    func repeated() async throws {
        let lost = Answer.fail(.maybeSent, .timedOut)
        let service = ScriptedService([
            .authorize: [lost, lost, .json(Sample.authorized, 201)], .read: [.untouched],
        ])
        let session = try PayrailsSession.scripted(service)
        for _ in 0..<3 {
            #expect(await session.executePayment(withStoredInstrument: session.card).mayHaveBeenPaid)
        }
        #expect(service.count(.authorize) == 3 && Set(keys(service)).count == 1)
        // Before the second and the third: once for the current state, once right before the request.
        #expect(service.count(.read) == 3 * ExecutionPoll.attempts + 4)
    }

    @Test("Where it was paid meanwhile, nothing is sent again, whatever the payer chooses")
    func paidMeanwhile() async throws {
        let service = ScriptedService([
            .authorize: [.fail(.maybeSent, .timedOut)],
            .read: Array(repeating: Answer.untouched, count: ExecutionPoll.attempts) + [.paid],
        ])
        let session = try PayrailsSession.scripted(service)
        #expect(await session.executePayment(withStoredInstrument: session.card).mayHaveBeenPaid)
        #expect(await session.executePayment(with: .payPal, presenter: Screen(.stays)).word == "success")
        #expect(await session.executePayment(withStoredInstrument: session.card).word == "success")
        #expect(service.count(.authorize) == 1)
    }

    @Test("After a decline of it, the next payment is a separate one")
    func declinedMeanwhile() async throws {
        let second = Self.declined + [("authorizeRequested", "57.500000001"), ("authorizeSuccessful", "59.0")]
        let old = Answer.ok(Sample.status(Self.declined))
        let service = ScriptedService([
            .authorize: [.fail(.maybeSent, .timedOut), .json(Sample.authorized, 201)],
            .read: Array(repeating: Answer.untouched, count: ExecutionPoll.attempts)
                + [old, old, old, .ok(Sample.status(second))],
        ])
        let session = try PayrailsSession.scripted(service)
        #expect(await session.executePayment(withStoredInstrument: session.card).mayHaveBeenPaid)
        #expect(await session.executePayment(withStoredInstrument: session.card).word == "success")
        #expect(Set(keys(service)).count == 2)
    }

    @Test("A question before the next payment that is not answered leaves the first one open, and nothing is sent")
    func unanswered() async throws {
        for answer in [Answer.json(Sample.envelope, 401), .json(Sample.envelope, 500), .fail(.notSent, .timedOut)] {
            let service = ScriptedService([
                .authorize: [.fail(.maybeSent, .timedOut)],
                .read: Array(repeating: Answer.untouched, count: ExecutionPoll.attempts) + [answer],
            ])
            let session = try PayrailsSession.scripted(service)
            for _ in 0..<3 {
                let result = await session.executePayment(withStoredInstrument: session.card)
                #expect(result.mayHaveBeenPaid, "\(result.word)")
            }
            #expect(service.count(.authorize) == 1)
        }
    }

    // MARK: Payments in progress

    private func payload(_ entries: [(code: String, second: String)]) -> JSONValue {
        var payload = Sample.payload()
        payload["execution"]?["status"] = Sample.status(entries)["status"]
        return payload
    }

    @Test("Init data of a payment in progress: it is resumed, not begun again")
    func begunByOthers() async throws {
        for (entries, reads, word) in [
            ([Sample.created, Sample.requested], [Answer.begun, .paid], "success"),
            ([Sample.created, Sample.requested], [.paid], "success"),
            ([Sample.created, Sample.requested, Sample.successful], [.paid], "success"),
            (
                [Sample.created, ("cancelSuccessful", "59.0")],
                [Answer.ok(Sample.status([Sample.created, ("cancelSuccessful", "59.0")]))],
                "failure the shop cancelled the payment"
            ),
        ] {
            let service = ScriptedService([.read: reads, .wait: [.paid]])
            let session = try PayrailsSession.scripted(service, payload: payload(entries))
            #expect(await session.executePayment(withStoredInstrument: session.card).word == word)
            #expect(service.count(.authorize) == 0)
        }
    }

    @Test("Its page is shown, whatever the payer chose")
    func pageOfOthers() async throws {
        let service = ScriptedService([
            .read: [Self.waiting, Self.waiting, Self.waiting, .paid], .wait: [.silence],
        ])
        let session = try PayrailsSession.scripted(
            service, payload: payload([Sample.created, Sample.requested, Sample.pending]))
        let screen = await Screen(.returns(ReturnURLs.standard.success))
        #expect(await session.executePayment(with: .payPal, presenter: screen).word == "success")
        #expect(await screen.pages.map(\.url.text) == [Self.challenge["3ds"]?.string])
        #expect(service.count(.authorize) == 0)
    }

    @Test("A request that is refused because of another device's: its page is shown, as what it is")
    func refusedForOthers() async throws {
        let theirs = Answer.ok(
            Sample.status(
                [Sample.created, Sample.requested, Sample.pending], action: "redirect", links: Sample.payPal()))
        let service = ScriptedService([
            .authorize: [.json(Sample.envelope, 409)], .read: [theirs], .wait: [.silence],
        ])
        let screen = await Screen(.returns(ReturnURLs.standard.cancel))
        let result = try await service.pay(screen)
        #expect(result.word == "cancelledByUser")
        #expect(await screen.pages.map(\.url.text) == ["https://www.paypal.com/agreements/approve"])
        #expect(service.count(.authorize) == 1)
    }

    @Test("A payer who left a page may choose another way, unless it was paid all the same")
    func afterLeaving() async throws {
        for isPaid in [true, false] {
            // Begun, beside the page, and three last looks.
            let visit = Array(repeating: Self.waiting, count: 5)
            let next = Sample.status(
                [
                    Sample.created, Sample.requested, Sample.pending, ("authorizeRequested", "58.0"),
                    ("authorizeSuccessful", "59.0"),
                ])
            let service = ScriptedService([
                .read: visit + (isPaid ? [Answer.paid] : [Self.waiting, Self.waiting, .ok(next)]), .wait: [.silence],
            ])
            let session = try PayrailsSession.scripted(service)
            let screen = await Screen(.returns(ReturnURLs.standard.cancel))
            let left = await session.executePayment(withStoredInstrument: session.card, presenter: screen)
            #expect(left.word == "cancelledByUser")
            // One inquiry more or less depends on whether the page or the service was asked first.
            while service.count(.read) < visit.count { _ = try await service.send(service.requests[1]) }
            #expect(await session.executePayment(withStoredInstrument: session.card).word == "success")
            #expect(service.count(.authorize) == (isPaid ? 1 : 2) && Set(keys(service)).count == (isPaid ? 1 : 2))
        }
    }

    @Test("In the sandbox: PayPal's page left, then a card; and a second copy of a session after it was paid")
    func sandbox() async throws {
        let world = PayrailsWorld()
        let (made, session) = try await world.session(.paid)
        let (_, card) = (made, try #require(session.storedInstruments(for: .card).first))
        let leaving = await SandboxScreen(world.sandbox, .leaves)
        #expect(await session.executePayment(with: .payPal, presenter: leaving).word == "cancelledByUser")
        #expect(await session.executePayment(withStoredInstrument: card).word == "success")
        #expect(await session.executePayment(withStoredInstrument: card).word == "success")
        #expect(await world.captures(made.id) == 1)
        let other = try world.session(made)
        #expect(await other.executePayment(withStoredInstrument: card).word == "success")
        #expect(await world.captures(made.id) == 1)
        let begun = await world.sandbox.ledger.events(of: made.id).count {
            if case .confirmRequested = $0 { true } else { false }
        }
        #expect(begun == 3, "PayPal, the card, and the copy that knew of neither")
    }

    // MARK: PayPal

    private func payPal(_ confirm: [Answer], href: String = Sample.execution + "/confirm") async throws
        -> (service: ScriptedService, result: OnPayResult)
    {
        let pending = Answer.ok(
            Sample.status(
                [Sample.requested, Sample.pending], action: "redirect", links: Sample.payPal(confirm: href)))
        let paid = Answer.ok(Sample.status([Sample.requested, Sample.pending, Sample.successful]))
        let service = ScriptedService([.read: [pending, pending, paid], .wait: [.silence], .confirm: confirm])
        let session = try PayrailsSession.scripted(service)
        let screen = await Screen(.returns(ReturnURLs.standard.success + "?token=EC-1&PayerID=P1"))
        return (service, await session.executePayment(with: .payPal, presenter: screen))
    }

    @Test("A confirmation whose answer is lost is repeated under its own key")
    func confirmedAgain() async throws {
        let lost = Answer.fail(.maybeSent, .timedOut)
        let (service, result) = try await payPal([lost, lost, .json(Sample.authorized, 202)])
        // The page may be closed before, by the service's status.
        guard service.count(.confirm) > 0 else { return }
        #expect(result.word == "success" && service.count(.confirm) == 3)
        #expect(Set(keys(service, .confirm)).count == 1)
    }

    @Test("A confirmation that is refused is settled by the statuses")
    func confirmRefused() async throws {
        for status in [400, 409, 422] {
            let (service, result) = try await payPal([.json(Sample.envelope, status)])
            #expect(result.word == "success" && service.count(.confirm) <= 1)
        }
    }

    @Test("A confirmation goes to no foreign address")
    func confirmElsewhere() async throws {
        for href in ["https://evil.example/confirm", "http://api-pub.payrails.io/confirm"] {
            let (service, result) = try await payPal([.json(Sample.authorized, 202)], href: href)
            #expect(service.count(.confirm) == 0)
            #expect(result.word == "success" || result.mayHaveBeenPaid, "\(result.word)")
        }
    }

    // MARK: Hosts

    @Test("Nothing leaves for a host that the session does not name, also where a transport would take it")
    func hosts() async throws {
        let service = ScriptedService([.delete: [.ok(["success": true])]])
        let session = try PayrailsSession.scripted(service)
        let context = session.context(session.payload)
        for address in ["https://evil.example/x", "https://payrails.io.evil.example/", "http://api-pub.payrails.io/"] {
            let request = HTTPRequest(.get, try HTTPURL(address))
            await #expect {
                try await context.http.send(request)
            } throws: {
                if case .hostNotDeclared = ($0 as? TransportError)?.reason { true } else { false }
            }
        }
        // A request that can change something leaves only within a step for it.
        await #expect(throws: TransportError.self) {
            try await context.http.send(HTTPRequest(.delete, try HTTPURL(Sample.host + "/x")))
        }
        #expect(service.requests.isEmpty)
        #expect(try await session.deleteInstrument(instrumentId: "i1").success)
    }
}
