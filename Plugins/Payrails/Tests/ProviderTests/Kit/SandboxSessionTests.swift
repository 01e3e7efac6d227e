import Foundation
import PaymentCore
import PaymentTesting
import PayrailsSandbox
import TestSupport
import Testing

@testable import PayrailsKit
@testable import PayrailsProvider

/// A screen in front of a simulated payer.
@MainActor
final class SandboxScreen: PaymentPresenter {
    private let browser: Payer.Browser?

    init(_ sandbox: PayrailsSandbox, _ behaviour: PayrailsSandbox.PayerBehaviour) {
        browser = sandbox.payer(behaviour).browser
    }

    func presentPayment(_ page: PageRequest) async throws -> PaymentLink? { try await browser?(page) }
}

@Suite("Sessions in the sandbox")
struct SandboxSessionTests {
    @Test(
        "Every scenario ends as it says, and never in a wrong certainty", arguments: PayrailsSandbox.Scenario.allCases)
    func scenario(scenario: PayrailsSandbox.Scenario) async throws {
        let world = PayrailsWorld()
        let (made, session) = try await world.session(scenario)
        let screen = await SandboxScreen(world.sandbox, .completes)
        let result: OnPayResult
        if scenario.method == .payPal {
            result = await session.executePayment(with: .payPal, presenter: screen)
        } else {
            let card = try #require(session.storedInstruments(for: .card).first)
            result = await session.executePayment(withStoredInstrument: card, presenter: screen)
        }
        let captures = await world.captures(made.id)
        switch scenario.expectedOutcome {
        case .paid: #expect(result.word == "success" && captures == 1)
        case .declined: #expect(result.word.hasPrefix("failure ") && captures == 0)
        case .pending: #expect(result.isPending)
        // An unreadable answer: the statuses decide.
        case .unknown where scenario == .garbledAnswer: #expect(result.word == "success" && captures == 1)
        case .unknown: #expect(result.word.hasPrefix("error ") && result.mayHaveBeenPaid)
        case .refused:
            if scenario == .instrumentGone || scenario == .refused {
                #expect(result.word.hasPrefix("error unknown the service answered"))
            } else {
                #expect(result.word == "authorizationFailed AUTHENTICATION_ERROR")
            }
            #expect(captures == 0 && !result.mayHaveBeenPaid)
        }
        #expect(captures <= 1)
    }

    @Test("A new card is read by the sandbox, kept when the payer wants it, and never in clear")
    func newCard() async throws {
        for saves in [false, true] {
            let world = PayrailsWorld()
            let (made, session) = try await world.session(.paid)
            let card = try CardDetails(
                number: Canary.pan, expiryMonth: "12", expiryYear: "2040", securityCode: Canary.securityCode,
                holderName: "Ada Example", now: YearAndMonth(world.clock.now, timeZone: .gmt))
            let result = await session.executePayment(withCard: card, saveInstrument: saves)
            #expect(result.word == "success")
            #expect(await world.captures(made.id) == 1)
            #expect(await world.sandbox.storedInstruments(of: made.holder).count == (saves ? 4 : 3))
        }
    }

    @Test("A card that no bank takes is declined with its reason")
    func badCard() async throws {
        let world = PayrailsWorld()
        let (_, session) = try await world.session(.paid)
        // Valid by the client's calendar, expired by the sandbox's.
        let card = try CardDetails(
            number: Canary.pan, expiryMonth: "01", expiryYear: "2020", securityCode: Canary.securityCode,
            now: YearAndMonth(year: 2020, month: 1))
        #expect(await session.executePayment(withCard: card).word == "failure ExpiredInstrument")
    }

    @Test("PayPal and redirects, by every kind of payer")
    func pages() async throws {
        for (type, behaviour, word, captures) in [
            (Payrails.PaymentType.payPal, PayrailsSandbox.PayerBehaviour.completes, "success", 1),
            (.payPal, .cancels, "cancelledByUser", 0), (.payPal, .leaves, "cancelledByUser", 0),
            (.genericRedirect, .completes, "success", 1),
            (.genericRedirect, .fails, "failure PayerAuthenticationFailed", 0),
            (.genericRedirect, .cancels, "failure PayerCanceled", 0), (.genericRedirect, .leaves, "cancelledByUser", 0),
        ] {
            let world = PayrailsWorld()
            let (made, session) = try await world.session(.paid)
            let screen = await SandboxScreen(world.sandbox, behaviour)
            let result = await session.executePayment(with: type, presenter: screen)
            #expect(result.word == word, "\(type) \(behaviour)")
            #expect(await world.captures(made.id) == captures)
        }
    }

    @Test("3-D Secure, by every kind of payer")
    func challenge() async throws {
        for (behaviour, word) in [
            (PayrailsSandbox.PayerBehaviour.completes, "success"), (.fails, "failure PayerAuthenticationFailed"),
            (.cancels, "failure PayerCanceled"), (.leaves, "cancelledByUser"),
        ] {
            let world = PayrailsWorld()
            let (_, session) = try await world.session(.challenge)
            let card = try #require(session.storedInstruments(for: .card).first)
            let screen = await SandboxScreen(world.sandbox, behaviour)
            #expect(await session.executePayment(withStoredInstrument: card, presenter: screen).word == word)
        }
    }

    @Test("A stored account needs no page; instruments are deleted, changed and saved")
    func instruments() async throws {
        let world = PayrailsWorld()
        let (made, session) = try await world.session(.paid)
        let account = try #require(session.storedInstruments(for: .payPal).first)
        let card = try #require(session.storedInstruments(for: .card).first)
        #expect(try await session.deleteInstrument(instrumentId: card.id).success)
        #expect(!session.storedInstruments(for: .card).contains { $0.id == card.id })
        // It is gone, which is the desired state.
        #expect(try await session.deleteInstrument(instrumentId: card.id).success)
        let other = try #require(session.storedInstruments(for: .card).first)
        let changed = try await session.updateInstrument(
            instrumentId: other.id, body: UpdateInstrumentBody(status: "disabled"))
        #expect(changed.status == "disabled")
        let details = try CardDetails(
            number: Canary.pan, expiryMonth: "12", expiryYear: "2040", securityCode: nil,
            now: YearAndMonth(world.clock.now, timeZone: .gmt))
        let saved = try await session.tokenize(details, options: TokenizeOptions(storeInstrument: true))
        #expect(saved.data.suffix == "1111" && saved.futureUsage == "CardOnFile" && saved.data.expiryYear == "2040")
        #expect(saved.data.binLookup?.issuerCountry?.iso3 == "AUT" && saved.data.binLookup?.network == "visa")
        let person = try await session.updateInstrument(
            instrumentId: account.id, body: UpdateInstrumentBody(default: true))
        #expect(person.paymentMethod == "payPal" && person.data.email == "ada@example.com")
        let stored = await world.sandbox.storedInstruments(of: made.holder)
        #expect(stored.contains { $0.id == saved.id } && !stored.contains { $0.id == card.id })
        #expect(await session.executePayment(withStoredInstrument: account).word == "success")
    }

    @Test("A token that has ended is replaced, and the next payment works")
    func renewal() async throws {
        let world = PayrailsWorld()
        let made = await world.sandbox.createSession(.paid)
        await world.sandbox.expireSession(made.id)
        let sandbox = world.sandbox
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let session = try world.session(made) { answer in
            Task {
                if let fresh = await sandbox.renewSession(made.id) {
                    answer(.success(Payrails.InitData(version: fresh.version, data: fresh.data.reveal())))
                }
                continuation.finish()
            }
        }
        let card = try #require(session.storedInstruments(for: .card).first)
        #expect(
            await session.executePayment(withStoredInstrument: card).word
                == "authorizationFailed AUTHENTICATION_ERROR")
        for await _ in stream {}
        #expect(await session.executePayment(withStoredInstrument: card).word == "success")
    }
}
