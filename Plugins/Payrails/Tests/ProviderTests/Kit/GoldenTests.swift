import PaymentCore
import PayrailsKit
import PayrailsProvider
import TestSupport
import Testing

/// The recorded behaviour of the vendor's client (Protocol 2.9), row by row. Some rows differ on purpose and state it.
@Suite("Recorded behaviour")
struct GoldenTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let script: [ScriptedService.Call: [Answer]]
        let calls: [ScriptedService.Call]
        let slept: Double
        let word: String

        var testDescription: String { name }

        init(
            _ name: String, read: [Answer] = [], wait: [Answer] = [], authorize: Answer? = nil,
            _ calls: [ScriptedService.Call], slept: Double = 0, _ word: String
        ) {
            self.name = name
            var script: [ScriptedService.Call: [Answer]] = [.read: read, .wait: wait]
            if let authorize { script[.authorize] = [authorize] }
            self.script = script
            self.calls = [.authorize] + calls
            self.slept = slept
            self.word = word
        }
    }

    private static func ok(_ entries: (code: String, second: String)...) -> Answer { .ok(Sample.status(entries)) }
    private static let begun = ok(Sample.created, Sample.requested)
    private static let nothing = ok(Sample.created)
    private static let fault = Answer.json(Sample.envelope, 500)

    private static let refusedLate =
        "error longPollingFailed Not authorised: the session's token was refused or has expired; start a new session."

    static let rows = [
        Row(
            "paid at the first look", read: [ok(Sample.created, Sample.requested, Sample.pending, Sample.successful)],
            [.read], "success"),
        Row(
            "declined at the first look", read: [ok(Sample.failed, Sample.created, Sample.requested)], [.read],
            "failure GenericRejection"),
        Row(
            "declined with a later pending: declined here, pending at the vendor's",
            read: [ok(Sample.pending, Sample.failed, Sample.created, Sample.requested)], [.read],
            "failure GenericRejection"),
        Row(
            "pending with nothing to do: asked once more here",
            read: [ok(Sample.created, Sample.requested, Sample.pending)],
            wait: [ok(Sample.created, Sample.requested, Sample.pending)], [.read, .wait], "error pending"),
        Row(
            "pending with nothing to do, paid a moment later: pending at the vendor's",
            read: [ok(Sample.created, Sample.requested, Sample.pending)],
            wait: [ok(Sample.created, Sample.requested, Sample.pending, Sample.successful)], [.read, .wait], "success"),
        Row(
            "a success stamped 42 s before the request", read: [ok(Sample.requested, ("authorizeSuccessful", "10.0"))],
            [.read], "success"),
        Row(
            "begun after two looks", read: [nothing, nothing, ok(Sample.created, Sample.requested, Sample.successful)],
            [.read, .read, .read], slept: 2, "success"),
        Row(
            "never begun", read: [nothing], Array(repeating: .read, count: 10), slept: 9,
            "error pollingFailed no 'authorizeRequested' after 10 attempts"),
        Row(
            "paid while waiting", read: [begun], wait: [ok(Sample.created, Sample.requested, Sample.successful)],
            [.read, .wait], "success"),
        Row(
            "nothing while waiting", read: [begun], wait: [begun], [.read, .wait],
            "error finalStatusNotFoundAfterLongPoll"),
        Row(
            "token refused while waiting: the payment may have been made, which the vendor's hides",
            read: [begun], wait: [.json(Sample.envelope, 401)], [.read, .wait], refusedLate),
        Row(
            "fault while waiting", read: [begun], wait: [fault], [.read, .wait],
            "error longPollingFailed the service answered 500 (workflow.action.not-allowed, OperationNotAllowed)"),
        Row(
            "token refused at the first look: polling failed at the vendor's", read: [.json(Sample.envelope, 401)],
            [.read], refusedLate),
        Row(
            "fault at the first look", read: [fault], [.read],
            "error pollingFailed no 'authorizeRequested' after 1 attempts; The payment failed: the service answered 500 "
                + "(workflow.action.not-allowed, OperationNotAllowed)"),
        Row(
            "token refused at once", authorize: .json(Sample.envelope, 401), [],
            "authorizationFailed AUTHENTICATION_ERROR"),
        Row(
            "refused, perhaps as the copy of another request: the statuses are asked here",
            authorize: .json(Sample.envelope, 422), [.read],
            "error unknown the service answered 422 (workflow.action.not-allowed, OperationNotAllowed)"),
    ]

    @Test("Row of the table", arguments: rows)
    func row(row: Row) async throws {
        let service = ScriptedService(row.script)
        let clock = VirtualClock()
        let session = try PayrailsSession.scripted(service, clock: clock)
        let result = await session.executePayment(withStoredInstrument: session.card)
        #expect(result.word == row.word)
        #expect(service.calls == row.calls)
        #expect(clock.slept == .seconds(row.slept))
        #expect(!session.isPaymentInProgress)
    }

    @Test("The question that is held names the codes newest first, replaces the query and waits five minutes")
    func wait() async throws {
        let service = ScriptedService([
            .authorize: [
                .ok(["name": "authorize", "actionId": "a", "links": ["execution": .string(Sample.execution + "?x=1")]])
            ],
            .read: [Self.ok(Sample.created, Sample.requested, Sample.pending)], .wait: [Self.begun],
        ])
        let session = try PayrailsSession.scripted(service)
        _ = await session.executePayment(withStoredInstrument: session.card)
        #expect(service.requests[1].url.text == Sample.execution + "?x=1")
        #expect(
            service.requests[2].url.text == Sample.execution
                + "?waitWhile%5Bstatus%5D=%5B%22authorizePending%22,%22authorizeRequested%22,%22created%22%5D")
        #expect(service.requests.map(\.timeout) == [.seconds(120), .seconds(120), .seconds(300), .seconds(300)])
    }

    @Test("The header fields of every call (Protocol 2.1)")
    func headers() async throws {
        let service = ScriptedService([.read: [Self.ok(Sample.requested, Sample.successful)]])
        let session = try PayrailsSession.scripted(service)
        _ = await session.executePayment(withStoredInstrument: session.card)
        var keys: Set<String> = []
        for request in service.requests {
            #expect(request.headers["Authorization"] == "Bearer \(Canary.token)")
            #expect(request.headers["Content-Type"] == "application/json")
            #expect(request.headers["x-client-type"] == "ios-sdk" && request.headers["x-client-version"] == "0")
            #expect(request.headers["Cache-Control"] == "no-cache, no-store, must-revalidate")
            #expect(request.headers["Pragma"] == "no-cache" && request.headers["Expires"] == "0")
            let key = try #require(request.headers["x-idempotency-key"])
            #expect(key.count == 36 && key == key.uppercased())
            keys.insert(key)
        }
        #expect(keys.count == service.requests.count)
    }

    @Test("Confirming with PayPal is tried three times, even when the token is refused")
    func confirm() async throws {
        let links: JSONValue = [
            "confirm": [
                "method": "POST", "href": .string(Sample.execution + "/confirm"),
                "action": [
                    "redirectUrl": "https://www.paypal.com/agreements/approve?ba_token=BA-1",
                    "parameters": ["orderId": "EC-1", "tokenId": "BA-1"],
                ],
            ]
        ]
        let pending = Answer.ok(
            Sample.status([Sample.requested, Sample.pending], action: "redirect", links: links))
        let service = ScriptedService([
            .read: [pending], .wait: [.silence], .confirm: [.json(Sample.envelope, 401)],
        ])
        let clock = VirtualClock()
        let session = try PayrailsSession.scripted(service, clock: clock)
        let screen = await Screen(.returns(ReturnURLs.standard.success + "?token=EC-1&ba_token=BA-1&PayerID=P1"))
        let result = await session.executePayment(with: .payPal, presenter: screen)
        #expect(result.word == Self.refusedLate && result.mayHaveBeenPaid)
        #expect(service.count(.confirm) == 3 && clock.slept == .seconds(3))
        let confirms = service.requests.filter { ScriptedService.call($0) == .confirm }
        // The vendor's client uses another key each time, by which no service can recognise a copy.
        #expect(Set(confirms.map { $0.headers["x-idempotency-key"] }).count == 1)
        #expect(
            confirms[0].body == Array(#"{"data":{"orderId":"EC-1","payerId":"P1","tokenId":"BA-1"}}"#.utf8))
        #expect(await screen.pages.map(\.url.text) == ["https://www.paypal.com/agreements/approve?ba_token=BA-1"])
    }

    @Test("Deleting")
    func delete() async throws {
        let service = ScriptedService([
            .delete: [.ok(["success": true]), .json([:], 204), .json(Sample.envelope, 404), .ok([:])]
        ])
        let session = try PayrailsSession.scripted(service)
        #expect(session.storedInstruments(for: .card).map(\.id) == ["i1", "i4"])
        #expect(try await session.deleteInstrument(instrumentId: "i1").success)
        #expect(session.storedInstruments(for: .card).map(\.id) == ["i4"])
        #expect(try await session.deleteInstrument(instrumentId: "i 4").success)
        let missing = await #expect(throws: PayrailsError.self) {
            try await session.deleteInstrument(instrumentId: "i9")
        }
        #expect(
            missing?.word == "unknown the service answered 404 (workflow.action.not-allowed, OperationNotAllowed)")
        let odd = await #expect(throws: PayrailsError.self) { try await session.deleteInstrument(instrumentId: "i9") }
        #expect(odd?.word == "unknown the service's answer cannot be understood: 'success' is missing")
        await #expect(throws: PayrailsError.self) { try await session.deleteInstrument(instrumentId: "..") }
        #expect(
            service.requests.map(\.url.path) == [
                "/public/payment/instruments/i1", "/public/payment/instruments/i%204",
                "/public/payment/instruments/i9", "/public/payment/instruments/i9",
            ])
        #expect(service.requests.allSatisfy { $0.body.isEmpty })
    }
}
