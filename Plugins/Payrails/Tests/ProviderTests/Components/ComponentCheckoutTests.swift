import PaymentCore
import Testing

@testable import PayrailsKit
@testable import PayrailsProvider

/// The whole checkout: one payment at a time and none after one that may have been made, and a confirmed deletion.
@MainActor @Suite struct ComponentCheckoutTests {
    static let card: [CardFieldType: String] = [
        .CARD_NUMBER: "4242 4242 4242 4242", .CVV: "123", .EXPIRATION_MONTH: "12", .EXPIRATION_YEAR: "2030",
    ]

    @Test("A stored instrument pays once, whatever is sent again")
    func storedPayment() async {
        let session = FakeSession()
        let checkout = CheckoutController(session: session)
        var paid = 0
        checkout.onPaid = { paid += 1 }
        checkout.perform(.payStored("c2"), attempt: 1)
        #expect(checkout.state.isPaying && checkout.state.instruments.selectedID == "c2" && checkout.state.attempt == 2)
        await checkout.waitUntilIdle()
        #expect(checkout.state.notice == .paid && checkout.state.isFinished && paid == 1)
        // Neither a copy of the request nor a new one pays again.
        checkout.perform(.payStored("c2"), attempt: 1)
        checkout.perform(.payStored("c1"), attempt: 2)
        await checkout.waitUntilIdle()
        #expect(session.calls == ["stored c2"] && checkout.state.notice == .paid)
    }

    @Test("Two requests at once make one payment")
    func twoRequestsAtOnceMakeOnePayment() async {
        let session = FakeSession(results: [.declined("FraudRisk"), .success])
        let checkout = CheckoutController(session: session)
        session.hold()
        checkout.perform(.payStored("c1"), attempt: 1)
        checkout.perform(.payStored("c1"), attempt: 1)
        checkout.perform(.payStored("c2"), attempt: 2)
        checkout.perform(.payCard(fields: Redacted(Self.card), save: false), attempt: 2)
        checkout.perform(.askDeletion("c1"))
        session.release()
        await checkout.waitUntilIdle()
        #expect(session.calls == ["stored c1"])
        #expect(checkout.state.notice == .declined(reason: "FraudRisk"))
        // A page from before the decline cannot pay; one from after it can.
        checkout.perform(.payStored("c1"), attempt: 1)
        await checkout.waitUntilIdle()
        #expect(checkout.state.notice == .outdated && session.calls.count == 1)
        checkout.perform(.payStored("c2"), attempt: 2)
        await checkout.waitUntilIdle()
        #expect(session.calls == ["stored c1", "stored c2"] && checkout.state.notice == .paid)
    }

    nonisolated static let endings: [(OnPayResult, CheckoutNotice, Bool)] = [
        (.success, .paid, true), (.error(.paymentPending), .pending, true),
        (.error(.pollingFailed("late")), .unknown, true),
        (.declined("FraudRisk"), .declined(reason: "FraudRisk"), false),
        (.authorizationFailed(.authentication), .notAuthorised, false), (.cancelledByUser, .cancelled, false),
        (
            .error(.unsupportedPayment(type: .card)),
            .failed(reason: PayrailsError.unsupportedPayment(type: .card).description), false
        ), (.declined("4242424242424242"), .declined(reason: "•••• 4242"), false),
    ]

    @Test("The payer sees how the payment ended", arguments: endings.indices)
    func whatThePayerIsTold(_ index: Int) async {
        let (result, notice, isFinished) = Self.endings[index]
        for action in [CheckoutAction.payStored("c1"), .payCard(fields: Redacted(Self.card), save: false)] {
            let checkout = CheckoutController(session: FakeSession(results: [result]))
            checkout.perform(action)
            await checkout.waitUntilIdle()
            #expect(checkout.state.notice == notice)
            #expect(checkout.state.isFinished == isFinished)
        }
    }

    @Test("PayPal and a bank's page are offered where they are wanted, and pay once")
    func elsewhere() async {
        let session = FakeSession(results: [.cancelledByUser, .success])
        let checkout = CheckoutController(session: session, methods: [.payPal, .genericRedirect, .card])
        #expect(checkout.state.methods == [.payPal, .genericRedirect])
        session.hold()
        checkout.perform(.payElsewhere(.payPal), attempt: 1)
        #expect(checkout.state.isBusy)
        // A second copy, and another way at the same time.
        checkout.perform(.payElsewhere(.payPal), attempt: 1)
        checkout.perform(.payStored("c1"), attempt: 1)
        session.release()
        await checkout.waitUntilIdle()
        #expect(session.calls == ["type payPal"] && checkout.state.notice == .cancelled)
        // An old page can no longer pay.
        checkout.perform(.payElsewhere(.genericRedirect), attempt: 1)
        await checkout.waitUntilIdle()
        #expect(session.calls.count == 1 && checkout.state.notice == .outdated)
        checkout.perform(.payElsewhere(.genericRedirect), attempt: 2)
        await checkout.waitUntilIdle()
        #expect(session.calls.last == "type genericRedirect" && checkout.state.notice == .paid)
        let plain = CheckoutController(session: FakeSession())
        plain.perform(.payElsewhere(.payPal))
        #expect(plain.state.notice == .outdated && !plain.state.isBusy)
    }

    @Test("A card that is entered pays when it is right")
    func cardPayment() async {
        let session = FakeSession()
        let checkout = CheckoutController(session: session, card: CardFormConfig(showSaveInstrument: true))
        checkout.perform(.payCard(fields: Redacted([.CARD_NUMBER: "4242424242424241"]), save: true), attempt: 1)
        #expect(checkout.state.notice == .cardInvalid && !checkout.state.isPaying && checkout.state.attempt == 1)
        #expect(checkout.state.cardForm?[.CARD_NUMBER].text == Redacted(""), "not kept")
        checkout.perform(.payCard(fields: Redacted(Self.card), save: true), attempt: 1)
        await checkout.waitUntilIdle()
        #expect(session.calls == ["card encrypted-4242 save true"] && checkout.state.notice == .paid)
    }

    @Test("A card that was typed into the form's fields pays as one that is passed")
    func typedCard() async throws {
        let session = FakeSession()
        let checkout = CheckoutController(session: session, card: CardFormConfig(showSaveInstrument: true))
        let form = try #require(checkout.cardForm)
        for (field, text) in Self.card { form.setText(text, for: field) }
        form.saveInstrument = true
        checkout.perform(form.payment)
        await checkout.waitUntilIdle()
        #expect(session.calls == ["card encrypted-4242 save true"] && checkout.state.notice == .paid)
        #expect(checkout.state.attempt == 2)
    }

    @Test("Taps on the typed card's button while it pays, and after its number is gone, make no second payment")
    func typedCardTwice() async throws {
        let session = FakeSession(results: [.declined("FraudRisk"), .success])
        let checkout = CheckoutController(session: session)
        let form = try #require(checkout.cardForm)
        for (field, text) in Self.card { form.setText(text, for: field) }
        session.hold()
        checkout.perform(form.payment)
        checkout.perform(form.payment)
        session.release()
        await checkout.waitUntilIdle()
        #expect(session.calls.count == 1 && checkout.state.notice == .declined(reason: "FraudRisk"))
        // What is left in the fields is no card.
        checkout.perform(form.payment)
        await checkout.waitUntilIdle()
        #expect(session.calls.count == 1 && checkout.state.notice == .cardInvalid)
    }

    @Test("The number is forgotten once it is encrypted")
    func numberIsForgottenOnceItIsEncrypted() async {
        let session = FakeSession(results: [.declined("FraudRisk")])
        let checkout = CheckoutController(session: session)
        session.hold()
        checkout.perform(.payCard(fields: Redacted(Self.card), save: false), attempt: 1)
        for _ in 0..<2 {
            for field in [CardFieldType.CARD_NUMBER, .CVV] {
                #expect(checkout.state.cardForm?[field].text == Redacted(""))
                #expect(checkout.state.cardForm?[field].visibleError == nil, "nothing is wrong with it")
            }
            #expect(checkout.state.cardForm?[.EXPIRATION_YEAR].text == Redacted("2030"))
            session.release()
            await checkout.waitUntilIdle()
        }
        #expect(session.calls == ["card encrypted-4242 save false"])
    }

    @Test("A card that the page encrypted pays when its form is right")
    func encryptedCard() async {
        let session = FakeSession()
        let checkout = CheckoutController(session: session)
        for broken in ["", "a.b.c.d", "a.b..d.e", "a.b.c.d.e.f", "a.b.c.d.é", String(repeating: "a", count: 5000)] {
            checkout.perform(.payEncryptedCard(broken, save: false))
            #expect(checkout.state.notice == .cardInvalid)
        }
        // The form has no switch for storing the card.
        checkout.perform(.payEncryptedCard("a.b.c.d.e", save: true))
        await checkout.waitUntilIdle()
        #expect(session.calls == ["card a.b.c.d.e save false"])
    }

    @Test("Deletion asks first")
    func deletionAsksFirst() async {
        let session = FakeSession()
        let checkout = CheckoutController(session: session)
        checkout.perform(.delete("c1"))
        #expect(session.calls.isEmpty)
        checkout.perform(.askDeletion("c1"))
        #expect(checkout.state.deletion.phase == .asking(id: "c1"))
        checkout.perform(.keep)
        checkout.perform(.delete("c1"))
        await checkout.waitUntilIdle()
        #expect(session.calls.isEmpty, "an answer counts once")
        checkout.perform(.askDeletion("c1"))
        checkout.perform(.delete("c2"))
        await checkout.waitUntilIdle()
        #expect(session.calls.isEmpty, "not what was asked about")
        checkout.perform(.delete("c1"))
        #expect(checkout.state.isBusy)
        await checkout.waitUntilIdle()
        #expect(session.calls == ["delete c1"] && checkout.state.notice == .deleted)
        #expect(checkout.state.instruments.rows.map(\.id) == ["c2", "p1"])
    }

    @Test(
        "After a deletion that fails the instrument is still listed",
        arguments: [Result<Bool, PayrailsError>.success(false), .failure(.authenticationError)])
    func deletionThatFails(_ answer: Result<Bool, PayrailsError>) async {
        let session = FakeSession()
        session.change { $0.deletion = answer }
        let checkout = CheckoutController(session: session)
        checkout.perform(.askDeletion("p1"))
        checkout.perform(.delete("p1"))
        await checkout.waitUntilIdle()
        #expect(checkout.state.notice == .notDeleted && checkout.state.instruments.rows.count == 3)
    }

    @Test("The bank's page is shown and left")
    func bankPageIsShownAndLeft() async throws {
        let page = try HTTPURL("https://bank.example/3ds")
        for comesBack in [true, false] {
            let session = FakeSession()
            session.change { $0.page = page }
            let checkout = CheckoutController(session: session)
            let states = checkout.states
            checkout.perform(.payStored("c1"))
            for await state in states where state.challenge != nil {
                #expect(state.challenge?.text == page.text && state.isBusy)
                break
            }
            if comesBack {
                checkout.payerReturned(by: try PaymentLink("https://shop.example/back"))
            } else {
                checkout.perform(.leaveChallenge)
            }
            await checkout.waitUntilIdle()
            #expect(checkout.state.challenge == nil)
            #expect(checkout.state.notice == (comesBack ? .paid : .cancelled))
        }
    }

    @Test("Cancelling the payment closes the page")
    func cancellingThePaymentClosesThePage() async throws {
        var shown: [Bool] = []
        let challengePresenter = ChallengePresenterQueue { shown.append($0 != nil) }
        let page = PageRequest(url: try HTTPURL("https://bank.example/3ds"))
        let task = Task { try await challengePresenter.presentPayment(page) }
        while shown.isEmpty { await Task.yield() }
        task.cancel()
        #expect(try await task.value == nil)
        #expect(shown == [true, false])
        challengePresenter.payerReturned(by: nil)
        #expect(shown == [true, false])
    }

    @Test("A selection can be cleared")
    func selectionCanBeGivenUp() {
        let checkout = CheckoutController(session: FakeSession())
        checkout.perform(.select("c1"))
        checkout.perform(.select("c1"))
        #expect(checkout.state.instruments.selectedID == "c1")
        checkout.perform(.select(nil))
        #expect(checkout.state.instruments.selectedID == nil)
        checkout.perform(.payOther)
        #expect(checkout.state.notice == .mismatch)
    }
}
