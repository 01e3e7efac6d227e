import PaymentCore
import PayrailsSandbox
import TestSupport
import Testing

@testable import PayrailsKit
@testable import PayrailsProvider

/// The components over the real session, against the sandbox: the payer's actions in the page really pay, once.
@MainActor @Suite struct ComponentSessionTests {
    private static let card: [CardFieldType: String] = [
        .CARD_NUMBER: "4242424242424242", .CVV: "123", .EXPIRATION_MONTH: "12", .EXPIRATION_YEAR: "2035",
    ]

    @Test("A stored card pays once")
    func storedCardPaysOnce() async throws {
        let world = PayrailsWorld()
        let (made, session) = try await world.session(.paid)
        let checkout = CheckoutController(session: session)
        let id = try #require(checkout.state.instruments.rows.first { $0.type == .card }?.id)
        checkout.perform(.payStored(id), attempt: 1)
        checkout.perform(.payStored(id), attempt: 1)
        await checkout.waitUntilIdle()
        checkout.perform(.payStored(id), attempt: checkout.state.attempt)
        await checkout.waitUntilIdle()
        #expect(checkout.state.notice == .paid)
        #expect(await world.captures(made.id) == 1)
    }

    @Test("An entered card pays")
    func enteredCardPays() async throws {
        let world = PayrailsWorld()
        let (made, session) = try await world.session(.paid)
        let checkout = CheckoutController(session: session)
        checkout.perform(.payCard(fields: Redacted(Self.card), save: false), attempt: 1)
        await checkout.waitUntilIdle()
        #expect(checkout.state.notice == .paid)
        #expect(await world.captures(made.id) == 1)
    }

    @Test("A card that was encrypted elsewhere pays")
    func cardEncryptedElsewherePays() async throws {
        let world = PayrailsWorld()
        let (made, session) = try await world.session(.paid)
        let details = try CardDetails(
            number: "4242424242424242", expiryMonth: "12", expiryYear: "2035", securityCode: "123",
            now: session.currentMonth)
        let checkout = CheckoutController(session: session)
        checkout.perform(.payEncryptedCard(try session.encryptCard(details), save: false), attempt: 1)
        await checkout.waitUntilIdle()
        #expect(checkout.state.notice == .paid)
        #expect(await world.captures(made.id) == 1)
    }

    @Test("A decline is reported")
    func declineIsTold() async throws {
        let world = PayrailsWorld()
        let (made, session) = try await world.session(.declined)
        let checkout = CheckoutController(session: session)
        let id = try #require(checkout.state.instruments.rows.first { $0.type == .card }?.id)
        checkout.perform(.payStored(id), attempt: 1)
        await checkout.waitUntilIdle()
        guard case .declined(let reason) = checkout.state.notice else {
            Issue.record("not told of the decline: \(String(describing: checkout.state.notice))")
            return
        }
        #expect(!reason.isEmpty && !checkout.state.isFinished)
        #expect(await world.captures(made.id) == 0)
    }

    @Test("A challenge goes through the page")
    func challengeGoesThroughThePage() async throws {
        let world = PayrailsWorld()
        let (made, session) = try await world.session(.challenge)
        let checkout = CheckoutController(session: session)
        let payer = try #require(world.sandbox.payer(.completes).browser)
        checkout.onChange = { [weak checkout] state in
            guard let page = state.challenge, let checkout else { return }
            Task {
                let link = try await payer(PageRequest(url: page, returnURLs: ReturnURLs.standard.all))
                checkout.payerReturned(by: link)
            }
        }
        let id = try #require(checkout.state.instruments.rows.first { $0.type == .card }?.id)
        checkout.perform(.payStored(id), attempt: 1)
        await checkout.waitUntilIdle()
        #expect(checkout.state.notice == .paid && checkout.state.challenge == nil)
        #expect(await world.captures(made.id) == 1)
    }

    @Test("A deleted instrument stays away")
    func deletedInstrumentStaysAway() async throws {
        let world = PayrailsWorld()
        let (_, session) = try await world.session(.paid)
        let checkout = CheckoutController(session: session)
        let rows = checkout.state.instruments.rows
        let id = try #require(rows.first?.id)
        checkout.perform(.askDeletion(id))
        checkout.perform(.delete(id))
        await checkout.waitUntilIdle()
        #expect(checkout.state.notice == .deleted)
        // The vendor's list shows it again until there is a new session.
        checkout.instruments.refreshInstruments()
        #expect(checkout.state.instruments.rows.map(\.id) == rows.map(\.id).filter { $0 != id })
    }
}
