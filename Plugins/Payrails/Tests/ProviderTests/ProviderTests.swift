import PaymentCore
import PaymentRouting
import PaymentTesting
import PayrailsSandbox
import Synchronization
import TestSupport
import Testing

@testable import PayrailsKit
@testable import PayrailsProvider

/// An application's secrets, in memory.
struct Secrets: SecretStore {
    let values: [String: String]

    func secret(_ name: String) async throws -> Redacted<String>? { values[name].map(Redacted.init) }
}

extension PayrailsWorld {
    /// A world with a session.
    static func made(
        _ scenario: PayrailsSandbox.Scenario = .paid
    ) async -> (PayrailsWorld, PayrailsSandbox.Session) {
        let world = PayrailsWorld()
        return (world, await world.sandbox.createSession(scenario))
    }

    func router(
        _ journal: InMemoryJournal = InMemoryJournal(), transport: (any HTTPTransport)? = nil,
        secrets: [String: String] = [:], log: PaymentLog = .silent
    ) throws -> PaymentRouter {
        try router(
            of: PayrailsProvider(), over: transport, journal: journal, secrets: Secrets(values: secrets), log: log)
    }

    /// A payer that chooses the option whose id begins with `option`.
    func payer(
        _ option: String, _ behaviour: PayrailsSandbox.PayerBehaviour = .completes, card: [String: String]? = nil
    ) -> Payer {
        var payer = sandbox.payer(behaviour)
        payer.chooser = { quote in quote.options.first { $0.id.hasPrefix(option) }?.id }
        if let card { payer.dataCollector = { _ in card.mapValues { Redacted($0) } } }
        return payer
    }
}

@Suite("Payrails through the router")
struct ProviderTests {
    private static let card = [
        "card_number": "4111 1111 1111 1111", "expiry_month": "12", "expiry_year": "2040",
        "security_code": Canary.securityCode,
    ]

    private static func word(_ outcome: PaymentOutcome) -> String {
        switch outcome {
        case .succeeded: "paid"
        case .declined(let reason): reason.message
        case .cancelled: "cancelled"
        case .expired: "expired"
        case .pending: "pending"
        case .unknown: "unknown"
        }
    }

    @Test("A quote lists what this payer can use")
    func quote() async throws {
        let (world, made) = await PayrailsWorld.made()
        let router = try world.router()
        guard case .matched(let route) = router.route(made.link) else {
            Issue.record("not matched")
            return
        }
        #expect(route.match == LinkMatch(.payment(made.id), holdsSecret: true) && made.link.utf8.count < 8192)
        let quote = try await router.quote(route, as: Payer())
        #expect(quote.amount == (try Money(decimal: "99.00", currency: .eur)) && quote.outcome == nil)
        let kinds = quote.options.map { $0.id.prefix { $0 != ":" } }
        #expect(kinds == ["stored", "stored", "stored", "card", "payPal", "redirect"])
        #expect(
            quote.options.map(\.title).prefix(5) == [
                "Card ending in 1111", "Card ending in 4444", "Saved PayPal account", "New card", "PayPal",
            ])
        #expect(quote.options.map(\.unmet) == [[], [], [], [.data], [.page], [.page]])
        #expect(!shown(quote).contains("ada@example.com"))
    }

    @Test(
        "Every scenario comes to an end that the service's books confirm", arguments: PayrailsSandbox.Scenario.allCases)
    func scenario(scenario: PayrailsSandbox.Scenario) async throws {
        let (world, made) = await PayrailsWorld.made(scenario)
        let payer = world.payer(scenario.method == .payPal ? "payPal" : "stored")
        let outcome: PaymentOutcome
        do { outcome = try await world.router().pay(made.link, as: payer) } catch let error as PaymentError {
            #expect(scenario.expectedOutcome == .refused, "\(error)")
            #expect(await world.captures(made.id) == 0 && error.phase != .maybeSent)
            return
        }
        let captures = await world.captures(made.id)
        switch outcome {
        case .succeeded: #expect(captures == 1 && scenario.expectedOutcome != .declined)
        case .declined: #expect(captures == 0 && scenario.expectedOutcome == .declined)
        case .pending, .unknown: #expect([.pending, .unknown].contains(scenario.expectedOutcome), "\(outcome)")
        case .cancelled, .expired: Issue.record("\(outcome)")
        }
        if scenario.expectedOutcome == .paid { #expect(Self.word(outcome) == "paid") }
    }

    @Test("Cards, accounts and redirects, by every kind of payer")
    func ways() async throws {
        for (scenario, option, behaviour, word, captures) in [
            (PayrailsSandbox.Scenario.paid, "card", PayrailsSandbox.PayerBehaviour.completes, "paid", 1),
            (.paid, "payPal", .completes, "paid", 1), (.paid, "payPal", .cancels, "pending", 0),
            (.paid, "redirect", .completes, "paid", 1), (.paid, "redirect", .leaves, "pending", 0),
            (.paid, "redirect", .fails, "the payment was declined: PayerAuthenticationFailed", 0),
            (.challenge, "stored", .completes, "paid", 1), (.challenge, "stored", .leaves, "pending", 0),
            (.challenge, "card", .completes, "paid", 1),
            (.challenge, "stored", .cancels, "the payment was declined: PayerCanceled", 0),
        ] {
            let (world, made) = await PayrailsWorld.made(scenario)
            let outcome = try await world.router().pay(
                made.link, as: world.payer(option, behaviour, card: Self.card))
            #expect(Self.word(outcome) == word, "\(scenario) \(option) \(behaviour)")
            #expect(await world.captures(made.id) == captures)
        }
    }

    @Test("A payer who left the page gets it again when the payment is resumed, and pays once")
    func goingOn() async throws {
        for option in ["payPal", "redirect"] {
            let (world, made) = await PayrailsWorld.made()
            let router = try world.router()
            #expect(Self.word(try await router.pay(made.link, as: world.payer(option, .leaves))) == "pending")
            #expect(Self.word(try await router.pay(made.link, as: world.payer(option, .completes))) == "paid")
            #expect(Self.word(try await router.pay(made.link, as: world.payer(option, .completes))) == "paid")
            #expect(await world.captures(made.id) == 1)
        }
    }

    @Test("A card that is not acceptable, or not entered, is never sent")
    func noCard() async throws {
        let (world, made) = await PayrailsWorld.made()
        let router = try world.router()
        let bad = Self.card.merging(["card_number": "4111111111111112"]) { $1 }
        let error = await #expect(throws: PaymentError.self) {
            try await router.pay(made.link, as: world.payer("card", card: bad))
        }
        #expect(error?.code == .payer && error?.phase == .beforeSend)
        #expect(error?.message == "the card is not valid: Enter a valid card number")
        var payer = world.payer("card")
        payer.dataCollector = { _ in nil }
        #expect(Self.word(try await router.pay(made.link, as: payer)) == "cancelled")
        let events = await world.sandbox.ledger.events(of: made.id)
        #expect(!events.contains { if case .confirmRequested = $0 { true } else { false } })
    }

    @Test("Without its link a payment is settled from the application's secrets, or says what is missing")
    func withoutLink() async throws {
        let (world, made) = await PayrailsWorld.made(.slowSettlement)
        let journal = InMemoryJournal()
        let outcome = try await world.router(journal).pay(made.link, as: world.payer("stored"))
        #expect(Self.word(outcome) == "unknown")
        let reference = PaymentReference(provider: PayrailsProvider.id, id: made.id)
        let attempt = try #require(await journal.unfinished().first?.attempt)
        let error = await #expect(throws: PaymentError.self) {
            try await world.router(journal).status(of: reference)
        }
        #expect(error?.code == .unauthorized && error?.message.contains("'payrails.session.\(made.id)'") == true)
        world.clock.advance(by: .seconds(700))
        // The message of resuming names the missing input.
        let unknown = try #require(
            try await world.router(journal).resume(attempt.id, as: Payer()).unknownOutcome, "not unknown")
        #expect(unknown.message == error?.message)
        let secrets = ["payrails.session.\(made.id)": made.link]
        let knowing = try world.router(journal, secrets: secrets)
        #expect(Self.word(try await knowing.status(of: reference)) == "paid")
        #expect(Self.word(try await knowing.resume(attempt.id, as: Payer())) == "paid")
        let other = await world.sandbox.createSession()
        let wrong = try world.router(journal, secrets: ["payrails.session.\(made.id)": other.link])
        #expect(await failure { _ = try await wrong.status(of: reference) }?.code == .integrity)
    }

    @Test("A token that ends between paying and the first question: unknown, and paid with the renewed session")
    func expiredWhilePolling() async throws {
        let (world, made) = await PayrailsWorld.made(.expiresWhilePolling)
        let journal = InMemoryJournal()
        let first = try await world.router(journal).pay(made.link, as: world.payer("stored"))
        #expect(Self.word(first) == "unknown")
        #expect(await world.captures(made.id) == 1)
        let renewed = try #require(await world.sandbox.renewSession(made.id))
        #expect(Self.word(try await world.router(journal).pay(renewed.link, as: world.payer("stored"))) == "paid")
        #expect(await world.captures(made.id) == 1)
    }

    @Test("A return URL completes what the service confirms, and nothing else")
    func returning() async throws {
        let (world, made) = await PayrailsWorld.made()
        let journal = InMemoryJournal()
        let router = try world.router(journal, secrets: ["payrails.session.\(made.id)": made.link])
        let returned = Mutex<String?>(nil)
        let browser = try #require(world.payer("payPal", .completes).browser)
        var payer = world.payer("payPal", .leaves)
        payer.browser = { page in
            // The application ends while the payer is away; the answer arrives only as a link.
            let link = try await browser(page)
            returned.withLock { $0 = link?.text }
            return nil
        }
        #expect(Self.word(try await router.pay(made.link, as: payer)) == "pending")
        #expect(Self.word(try #require(try await router.handle(ReturnURLs.standard.success))) == "pending")
        #expect(await world.captures(made.id) == 0)
        let url = try #require(returned.withLock { $0 })
        #expect(Self.word(try #require(try await router.handle(url))) == "paid")
        #expect(await world.captures(made.id) == 1)
        #expect(try await router.handle(url) == nil)
        let blind = try world.router(journal)
        #expect(try await blind.handle(url) == nil)
    }

    @Test("A return URL without the session at hand leaves the payment open")
    func returningBlind() async throws {
        let (world, made) = await PayrailsWorld.made()
        let router = try world.router()
        #expect(Self.word(try await router.pay(made.link, as: world.payer("payPal", .leaves))) == "pending")
        let outcome = try #require(try await router.handle(ReturnURLs.standard.success + "?token=a&PayerID=b"))
        #expect(Self.word(outcome) == "unknown")
        #expect(Self.word(try await router.pay(made.link, as: world.payer("payPal"))) == "paid")
    }

    @Test("A lost answer to the request to pay is settled, not repeated")
    func lostAnswer() async throws {
        let (world, made) = await PayrailsWorld.made()
        world.faults.inject(.dropAfter, times: .max) { $1.hasSuffix("/authorize") }
        let outcome = try await world.router().pay(made.link, as: world.payer("stored"))
        #expect(Self.word(outcome) == "paid")
        #expect(await world.captures(made.id) == 1)
        #expect(world.faults.requests.count { $0.path.hasSuffix("/authorize") } == 1)
    }

    @Test("Neither token, card, address nor name is written anywhere")
    func secrets() async throws {
        let (world, made) = await PayrailsWorld.made(.challenge)
        let session = try SessionPayload(Payrails.InitData(version: made.version, data: made.data.reveal()))
        let journal = InMemoryJournal()
        let messages = Mutex<[String]>([])
        let router = try world.router(journal, log: PaymentLog { event in messages.withLock { $0.append("\(event)") } })
        let outcome = try await router.pay(made.link, as: world.payer("card", card: Self.card))
        let reference = PaymentReference(provider: PayrailsProvider.id, id: made.id)
        let histories = await journal.histories(of: reference)
        var written = messages.withLock { $0.joined() } + "\(outcome)"
        for history in histories {
            written += try JSONValue.encode(history.attempt).text + JSONValue.encode(history.entries).text
        }
        #expect(written.contains("authorize"))
        for secret in [
            session.token.reveal(), Canary.pan, "4111 1111 1111 1111", "ada@example.com", made.data.reveal(),
        ] {
            #expect(!written.contains(secret))
        }
        #expect(!written.contains("\"\(Canary.securityCode)\""))
    }
}
