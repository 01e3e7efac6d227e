import PaymentCore
import PaymentRouting
import PaymentTesting
import PayrailsSandbox
import Synchronization
import TestSupport
import Testing

@testable import PayrailsKit
@testable import PayrailsProvider

/// A scan of everything that leaves the provider for secrets: messages, stored data, errors, dumps and requests.
@Suite("Nothing secret gets out")
struct LeakTests {
    /// An American Express card: its code has four digits, so that it does not match by chance.
    private static let card = [
        "card_number": "3782 822463 10005", "expiry_month": "12", "expiry_year": "2040", "security_code": "7391",
        "cardholder_name": "Ada Canary",
    ]

    /// Card numbers in `text`: 12 to 19 digits, separated by at most one space or hyphen, with the check digit of
    /// ISO/IEC 7812-1. UUIDs are skipped, since some look like one by chance.
    private static func cardNumbers(in text: String) -> [String] {
        text.replacing(/[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}/, with: "").matches(
            of: /[0-9](?:[ -]?[0-9]){11,18}/
        ).map { $0.output.filter(\.isNumber) }
            .filter { CardValidation.passesLuhn($0) }
    }

    /// The secrets of a payment that `text` contains.
    private static func leaks(in text: String, token: String) -> [String] {
        var leaks = cardNumbers(in: text).map { _ in "a card number" }
        if text.contains(/(?:^|[^0-9A-Za-z_.-])7391(?![0-9A-Za-z_.-])/) { leaks.append("a security code") }
        if text.contains(token) { leaks.append("the token") }
        if text.contains("Ada Canary") { leaks.append("a name") }
        if text.contains("ada@example.com") { leaks.append("an address") }
        return leaks
    }

    @Test("The scanner finds what is there")
    func scanner() {
        #expect(Self.cardNumbers(in: "x 4111 1111 1111 1111, 378282246310005 4242424242424241").count == 2)
        let all = "378282246310005 \"7391\" tok Ada Canary ada@example.com"
        #expect(Self.leaks(in: all, token: "tok").count == 5)
        #expect(Self.leaks(in: "a7391 e2-7391-4 27391", token: "tok").isEmpty)
    }

    @Test(
        "Through the router: log, outcome, error, quote, journal, requests, answers, notifications",
        arguments: [
            PayrailsSandbox.Scenario.paid, .declined, .challenge, .pending, .neverSettles, .garbledAnswer,
            .expiresWhilePolling, .expiredSession, .refused, .pollingFails, .waitingFails,
        ])
    func router(scenario: PayrailsSandbox.Scenario) async throws {
        for (option, behaviour) in [
            ("card", PayrailsSandbox.PayerBehaviour.completes), ("card", .leaves), ("stored", .completes),
            ("payPal", .completes), ("redirect", .fails),
        ] {
            let (world, made) = await PayrailsWorld.made(scenario)
            let session = try SessionPayload(Payrails.InitData(version: made.version, data: made.data.reveal()))
            let written = Mutex("")
            func write(_ text: String) { written.withLock { $0 += text + "\n" } }
            let transport = WatchedTransport(base: SandboxTransport(world.sandbox)) { text in
                written.withLock { $0 += text + "\n" }
            }
            let journal = InMemoryJournal()
            let router = try world.router(
                journal, transport: transport, log: PaymentLog { event in written.withLock { $0 += "\(event)\n" } })
            guard case .matched(let route) = router.route(made.link) else { return }
            let payer = world.payer(option, behaviour, card: Self.card)
            if let quote = try? await router.quote(route, as: payer) { write(shown(quote)) }
            do { write(shown(try await router.pay(made.link, as: payer))) } catch { write(shown(error)) }
            let reference = PaymentReference(provider: PayrailsProvider.id, id: made.id)
            do { write(shown(try await router.status(of: reference))) } catch { write(shown(error)) }
            for history in await journal.histories(of: reference) {
                write(try JSONValue.encode(history.attempt).text + JSONValue.encode(history.entries).text)
                write(shown(history))
            }
            for notification in await world.sandbox.notifications {
                write("\(notification.headers)" + String(decoding: notification.body, as: UTF8.self))
            }
            write(shown(await world.sandbox.ledger))
            let text = written.withLock { $0 }
            #expect(text.contains(made.id), "something was written")
            #expect(Self.leaks(in: text, token: session.token.reveal()).isEmpty, "\(option) \(behaviour)")
        }
    }

    @Test("Through the vendor's client: results, errors, instruments, what is stored")
    func session() async throws {
        let world = PayrailsWorld()
        let card = try CardDetails(
            number: "378282246310005", expiryMonth: "12", expiryYear: "2040", securityCode: "7391",
            holderName: "Ada Canary", now: YearAndMonth(year: 2027, month: 1))
        for scenario in [PayrailsSandbox.Scenario.paid, .declined, .garbledAnswer, .expiredSession, .refused] {
            let made = await world.sandbox.createSession(scenario)
            let written = Mutex("")
            let session = try PayrailsSession(
                Payrails.Configuration(initData: Payrails.InitData(version: made.version, data: made.data.reveal())),
                transport: WatchedTransport(base: SandboxTransport(world.sandbox), writesAnswers: false) { text in
                    written.withLock { $0 += text }
                }, clock: world.clock, random: SeededRandomSource(seed: 5))
            var text = shown(await session.executePayment(withCard: card, saveInstrument: true))
            do { text += shown(try await session.tokenize(card)) } catch { text += shown(error) }
            do { text += shown(try await session.deleteInstrument(instrumentId: "none")) } catch {
                text += shown(error)
            }
            text += shown(session.storedInstruments(for: .payPal)) + shown(session.payload)
            text += written.withLock { $0 }
            #expect(text.contains("encryptedData"), "something was sent")
            #expect(Self.leaks(in: text, token: session.payload.token.reveal()).isEmpty, "\(scenario)")
        }
    }
}

/// Records all requests and answers, except the one header for the token.
private struct WatchedTransport: HTTPTransport {
    let base: any HTTPTransport
    /// True if answers are recorded; the answer to a stored card names its holder.
    var writesAnswers = true
    let write: @Sendable (String) -> Void

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        var told = request
        told.headers["Authorization"] = nil
        write("\(told.method.rawValue) \(told.url.text) \(told.headers) " + String(decoding: told.body, as: UTF8.self))
        let response = try await base.send(request)
        if writesAnswers { write("\(response.status) " + String(decoding: response.body, as: UTF8.self)) }
        return response
    }
}
