import PaymentCore
import PaymentTesting
import PayrailsSandbox
import Synchronization
import TestSupport
import Testing

@testable import PayrailsKit
@testable import PayrailsProvider

/// Protocol 5.10: the payer's stored instruments, asked of the service.
@Suite("Reloading stored instruments")
struct ReloadTests {
    private static let list: JSONValue = [
        "results": [
            [
                "id": "new", "createdAt": "2026-01-02T00:00:00Z", "status": "created", "paymentMethod": "card",
                "data": ["bin": "555555", "suffix": "4444"],
            ],
            ["id": "i4", "createdAt": "x", "status": "enabled", "paymentMethod": "card", "data": ["suffix": "4444"]],
            ["id": "off", "createdAt": "x", "status": "disabled", "paymentMethod": "card"],
            ["id": "../up", "status": "enabled", "paymentMethod": "card"], ["paymentMethod": "card"], 7,
            ["id": "i4", "status": "enabled", "paymentMethod": "card"],
            ["id": "g", "status": "enabled", "paymentMethod": "googlePay"],
        ]
    ]

    @Test("The service's list takes the place of the session's: new ones come, gone ones go")
    func listed() async throws {
        let service = ScriptedService([.read: [.ok(Self.list)]])
        let session = try PayrailsSession.scripted(service)
        #expect(session.storedInstruments(for: .card).map(\.id) == ["i1", "i4"])
        try await session.reloadInstruments()
        #expect(session.storedInstruments(for: .card).map(\.id) == ["new", "i4"])
        #expect(session.storedInstruments(for: .payPal).isEmpty)
        let request = try #require(service.requests.first)
        #expect(request.method == .get && request.url.path == "/public/payment/instruments")
        #expect(request.url.query == "filter%5BholderReference%5D=holder-1")
        #expect(request.headers["Authorization"] == "Bearer \(Canary.token)")
    }

    @Test("A list that continues elsewhere removes nothing")
    func partial() async throws {
        for (name, more) in [("nextCursor", "abc"), ("next", "https://api-pub.payrails.io/2")] as [(String, JSONValue)]
        {
            var list = Self.list
            list[name] = more
            let session = try PayrailsSession.scripted(ScriptedService([.read: [.ok(list)]]))
            try await session.reloadInstruments()
            #expect(session.storedInstruments(for: .card).map(\.id) == ["new", "i4", "i1"])
            #expect(session.storedInstruments(for: .payPal).map(\.id) == ["i2"])
        }
        var whole = Self.list
        whole["nextCursor"] = nil as JSONValue
        let session = try PayrailsSession.scripted(ScriptedService([.read: [.ok(whole)]]))
        try await session.reloadInstruments()
        #expect(session.storedInstruments(for: .payPal).isEmpty)
    }

    @Test("What cannot be paid with is not listed; without a payment everything is")
    func offered() async throws {
        var payload = Sample.payload().with(
            [["integrationType": "api", "paymentMethodCode": "payPal"]],
            at: ["execution", "initialResults", "0", "body", "data", "paymentCompositionOptions"])
        var session = try PayrailsSession.scripted(ScriptedService([.read: [.ok(Self.list)]]), payload: payload)
        try await session.reloadInstruments()
        #expect(session.storedInstruments(for: .card).isEmpty)
        payload["execution"] = nil
        session = try PayrailsSession.scripted(ScriptedService([.read: [.ok(Self.list)]]), payload: payload)
        try await session.reloadInstruments()
        #expect(session.storedInstruments(for: .card).map(\.id) == ["new", "i4"])
    }

    @Test("Without a list everything stays as it was, and the error says why")
    func unanswered() async throws {
        for answer in [
            Answer.json(Sample.envelope, 500), .ok(["results": "none"]), .ok([]), .bytes(Array("<html>".utf8), 200),
            .fail(.maybeSent, .timedOut), .json(Sample.envelope, 401),
        ] {
            let session = try PayrailsSession.scripted(ScriptedService([.read: [answer]]))
            await #expect(throws: PayrailsError.self) { try await session.reloadInstruments() }
            #expect(session.storedInstruments(for: .card).map(\.id) == ["i1", "i4"])
        }
        let nowhere = try PayrailsSession.scripted(
            ScriptedService([:]), payload: Sample.payload().removing(["vaultConfiguration"]).removing(["links"]))
        let error = await #expect(throws: PayrailsError.self) { try await nowhere.reloadInstruments() }
        #expect(error?.word.contains("an address in the session") == true)
    }

    @Test("Where the service refuses, the application's fresh data have the list")
    func refused() async throws {
        let fresh = Sample.payload(token: "fresh").with(
            [["id": "late", "status": "enabled", "data": ["suffix": "9999"]]],
            at: [
                "execution", "initialResults", "0", "body", "data", "paymentCompositionOptions", "1",
                "paymentInstruments",
            ])
        for (answer, isAsked) in [
            (Answer.json(Sample.envelope, 403), true), (.json(Sample.envelope, 404), true), (.ok([]), true),
            (.fail(.notSent, .timedOut), false),
        ] {
            let asked = Mutex(0)
            let session = try PayrailsSession.scripted(ScriptedService([.read: [answer]])) { give in
                asked.withLock { $0 += 1 }
                give(.success(Sample.initData(fresh)))
            }
            try? await session.reloadInstruments()
            #expect(asked.withLock { $0 } == (isAsked ? 1 : 0))
            #expect(session.storedInstruments(for: .card).map(\.id) == (isAsked ? ["late"] : ["i1", "i4"]))
        }
    }

    @Test("An application that fails, or never answers, leaves everything as it was")
    func noFreshData() async throws {
        struct Offline: Error {}
        let handlers: [PayrailsSession.SessionExpiredHandler] = [
            { $0(.failure(Offline())) }, { $0(.success(Payrails.InitData(version: "1", data: "-"))) },
            // Drops the question.
            { _ in },
        ]
        for handler in handlers {
            let service = ScriptedService([.read: [.json(Sample.envelope, 405)]])
            let session = try PayrailsSession.scripted(service, onSessionExpired: handler)
            for _ in 0..<2 { await #expect(throws: PayrailsError.self) { try await session.reloadInstruments() } }
            #expect(service.count(.read) == 2)
            #expect(session.storedInstruments(for: .card).map(\.id) == ["i1", "i4"])
        }
    }

    @Test(
        "No fresh data are asked for while a payment may have been made, and none of another payment taken in progress")
    func payments() async throws {
        struct Offline: Error {}
        var other = Sample.payload(token: "fresh")
        other["execution"]?["id"] = "e2"
        let asked = Mutex<[@Sendable (Result<Payrails.InitData, any Error>) -> Void]>([])
        let service = ScriptedService([.authorize: [.silence], .read: [.json(Sample.envelope, 500)]])
        let session = try PayrailsSession.scripted(service) { answer in
            let count = asked.withLock { asked in
                asked.append(answer)
                return asked.count
            }
            if count > 1 { answer(.failure(Offline())) }
        }
        let reload = Task { try await session.reloadInstruments() }
        while asked.withLock({ $0.isEmpty }) { await Task.yield() }
        let payment = Task { await session.executePayment(withStoredInstrument: session.card) }
        while service.count(.authorize) == 0 { await Task.yield() }
        // The answer to the earlier question arrives in the middle of the payment.
        asked.withLock { $0[0] }(.success(Sample.initData(other)))
        await #expect(throws: PayrailsError.self) { try await reload.value }
        #expect(session.executionId == "e1")
        await #expect(throws: PayrailsError.self) { try await session.reloadInstruments() }
        session.cancelPayment()
        #expect(await payment.value.mayHaveBeenPaid)
        await #expect(throws: PayrailsError.self) { try await session.reloadInstruments() }
        #expect(asked.withLock { $0.count } == 1 && session.executionId == "e1")
    }

    @Test("A list that was requested before a deletion restores nothing; one requested later is right")
    func deletedMeanwhile() async throws {
        let service = HeldService()
        let session = try PayrailsSession(
            Payrails.Configuration(initData: Sample.initData()), transport: service, clock: VirtualClock())
        let reload = Task { try await session.reloadInstruments() }
        await service.waitForQuestion()
        #expect(try await session.deleteInstrument(instrumentId: "i4").success)
        service.answer(Self.list)
        try await reload.value
        #expect(session.storedInstruments(for: .card).map(\.id) == ["new"])
        let second = Task { try await session.reloadInstruments() }
        await service.waitForQuestion()
        service.answer(Self.list)
        try await second.value
        #expect(session.storedInstruments(for: .card).map(\.id) == ["new", "i4"], "it is still there")
    }

    @Test("Of two questions the later one's answer counts, whichever comes last")
    func overtaken() async throws {
        let service = HeldService()
        let session = try PayrailsSession(
            Payrails.Configuration(initData: Sample.initData()), transport: service, clock: VirtualClock())
        let first = Task { try await session.reloadInstruments() }
        await service.waitForQuestion()
        let second = Task { try await session.reloadInstruments() }
        await service.waitForQuestion(count: 2)
        service.answer(Self.list, at: 1)
        try await second.value
        service.answer(["results": []])
        try await first.value
        #expect(session.storedInstruments(for: .card).map(\.id) == ["new", "i4"])
    }

    /// Deletes an instrument of the payer of `made` on another device.
    private func deleteElsewhere(_ id: String, _ made: PayrailsSandbox.Session, _ world: PayrailsWorld) async throws {
        let elsewhere = await world.sandbox.createSession(holder: made.holder)
        #expect(try await world.session(elsewhere).deleteInstrument(instrumentId: id).success)
    }

    private func save(in session: PayrailsSession, _ world: PayrailsWorld) async throws -> SaveInstrumentResponse {
        let card = try CardDetails(
            number: Canary.pan, expiryMonth: "12", expiryYear: "40", securityCode: nil,
            now: YearAndMonth(world.clock.now, timeZone: .gmt))
        #expect(card.expiryYear.reveal() == "2040")
        return try await session.tokenize(card, options: TokenizeOptions(storeInstrument: true))
    }

    @Test("In the sandbox: a card that was saved appears, one that was deleted elsewhere is gone")
    func sandbox() async throws {
        let world = PayrailsWorld()
        let (made, session) = try await world.session(.paid)
        let old = try #require(session.storedInstruments(for: .card).first)
        let saved = try await save(in: session, world)
        #expect(!session.storedInstruments(for: .card).contains { $0.id == saved.id })
        // On another device.
        try await deleteElsewhere(old.id, made, world)
        try await session.reloadInstruments()
        let cards = session.storedInstruments(for: .card)
        #expect(cards.contains { $0.id == saved.id } && !cards.contains { $0.id == old.id } && cards.count == 2)
        #expect(session.storedInstruments(for: .payPal).count == 1)
        #expect(await session.executePayment(withStoredInstrument: try #require(cards.last)).word == "success")
    }

    @MainActor
    @Test("In a checkout: deleting what is gone already removes the row, and a saved card comes with the refresh")
    func checkout() async throws {
        let world = PayrailsWorld()
        let (made, session) = try await world.session(.paid)
        let checkout = CheckoutController(session: session)
        let id = try #require(checkout.state.instruments.rows.first?.id)
        try await deleteElsewhere(id, made, world)
        let saved = try await save(in: session, world)
        checkout.perform(.askDeletion(id))
        checkout.perform(.delete(id))
        await checkout.waitUntilIdle()
        #expect(checkout.state.notice == .deleted)
        #expect(!checkout.state.instruments.rows.contains { $0.id == id })
        await checkout.instruments.waitUntilRefreshed()
        #expect(checkout.state.instruments.rows.contains { $0.id == saved.id })
        #expect(checkout.state.instruments.rows.count == 3)
    }

    @Test("Only the service's own answer means that an instrument is gone")
    func deletion() async throws {
        func notFound(_ code: String) -> JSONValue { ["errors": [["id": "x", "code": .string(code), "detail": "no"]]] }
        for (answer, isGone) in [
            (Answer.json(notFound("request.not-found"), 404), true), (.bytes([], 204), true),
            (.ok(["success": true]), true), (.ok(["success": false]), false),
            (.json(notFound("internal"), 404), false), (.bytes(Array("<html>no such page</html>".utf8), 404), false),
            (.json(notFound("request.not-found"), 400), false),
        ] {
            let session = try PayrailsSession.scripted(ScriptedService([.delete: [answer]]))
            let success = try? await session.deleteInstrument(instrumentId: "i1").success
            #expect((success ?? false) == isGone)
            #expect(session.storedInstruments(for: .card).map(\.id) == (isGone ? ["i4"] : ["i1", "i4"]))
        }
    }
}

/// A service whose answers to inquiries a test gives; it accepts everything else at once.
private final class HeldService: HTTPTransport {
    private let waiting = Mutex<[CheckedContinuation<JSONValue, Never>]>([])
    private let questions = Mutex(0)

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        guard request.method == .get else {
            return HTTPResponse(status: 200, body: JSONValue.object(["success": true]).serialized())
        }
        let answer = await withCheckedContinuation { continuation in
            waiting.withLock { $0.append(continuation) }
            questions.withLock { $0 += 1 }
        }
        return HTTPResponse(status: 200, body: answer.serialized())
    }

    /// Returns once `count` inquiries wait for an answer.
    func waitForQuestion(count: Int = 1) async {
        while waiting.withLock({ $0.count < count }) { await Task.yield() }
    }

    func answer(_ value: JSONValue, at index: Int = 0) {
        waiting.withLock { $0.remove(at: index) }.resume(returning: value)
    }
}
