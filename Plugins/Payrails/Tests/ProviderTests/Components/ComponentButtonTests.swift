import Observation
import PaymentCore
import Testing

@testable import PayrailsKit
@testable import PayrailsProvider

/// Protocol 5.9: the pay button.
@Suite struct ComponentButtonTests {
    typealias State = CardPaymentButtonState

    private static let stored = State.Mode.storedInstrument(id: "c1", type: .card)

    /// A button brought into a phase by its own events.
    private static func state(_ mode: State.Mode, _ phase: State.Phase) -> State {
        var state = State(
            mode: mode, translations: CardPaymenButtonTranslations(label: "Pay now"),
            storedTranslations: StoredInstrumentButtonTranslations(label: "Pay with it", processingLabel: "Wait"))
        if phase != .ready {
            _ = state.handle(.modeChanged(.cardForm))
            _ = state.handle(.payCalled)
            if phase == .paying { _ = state.handle(.collected) }
            _ = state.handle(.modeChanged(mode))
        }
        return state
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let mode: State.Mode
        let phase: State.Phase
        let event: State.Event
        let effects: [State.Effect]
        let next: State.Phase
        var testDescription: String { "\(mode) \(phase) \(event)" }
        init(
            _ mode: State.Mode, _ phase: State.Phase, _ event: State.Event, _ effects: [State.Effect],
            _ next: State.Phase
        ) {
            (self.mode, self.phase, self.event, self.effects, self.next) = (mode, phase, event, effects, next)
        }
    }

    static let table: [Row] =
        [
            Row(.cardForm, .ready, .tapped, [.notifyClicked, .collectCard], .collecting),
            Row(.cardForm, .ready, .payCalled, [.collectCard], .collecting),
            Row(.cardForm, .collecting, .collected, [.startPayment], .paying),
            Row(.cardForm, .collecting, .collectionFailed, [.notify(.failure)], .ready),
            Row(stored, .ready, .tapped, [.notifyClicked, .startPayment], .paying),
            Row(stored, .ready, .payCalled, [.startPayment], .paying),
            Row(.unavailable, .ready, .tapped, [.notifyClicked, .failUnavailable], .ready),
            Row(.unavailable, .ready, .payCalled, [.failUnavailable], .ready),
            Row(stored, .paying, .settled, [], .ready),
        ]
        + State.Outcome.allCases.map { Row(stored, .paying, .finished($0), [.notify($0), .settle], .paying) }
        // All other events have no effect.
        + [.collecting, .paying].flatMap { phase in
            [State.Event.tapped, .payCalled].map { Row(.cardForm, phase, $0, [], phase) }
        }
        + [State.Event.collected, .collectionFailed, .finished(.success), .settled].map {
            Row(stored, .ready, $0, [], .ready)
        }
        + [State.Event.finished(.success), .settled].map { Row(.cardForm, .collecting, $0, [], .collecting) }
        + [State.Event.collected, .collectionFailed].map { Row(.cardForm, .paying, $0, [], .paying) }
        + State.Phase.allCases.flatMap { phase in
            [
                Row(stored, phase, .modeChanged(.cardForm), [.notifyInstrumentChanged], phase),
                Row(stored, phase, .modeChanged(stored), [], phase),
            ]
        }

    @Test("Every event in every phase has the right effects", arguments: table)
    func transition(_ row: Row) {
        var state = Self.state(row.mode, row.phase)
        #expect(state.phase == row.phase)
        #expect(state.handle(row.event) == row.effects)
        #expect(state.phase == row.next)
    }

    @Test("The title follows what is paid with and whether it is in progress")
    func titles() {
        // Protocol 5.9: stored mode shows the processing label, card mode nothing but an activity indicator.
        #expect(Self.state(Self.stored, .ready).title == "Pay with it")
        #expect(Self.state(Self.stored, .paying).title == "Wait")
        #expect(Self.state(.cardForm, .ready).title == "Pay now")
        #expect(Self.state(.cardForm, .paying).title == "")
        let plain = State(mode: Self.stored, translations: CardPaymenButtonTranslations(), storedTranslations: nil)
        #expect(plain.title == "Pay")
        let silent = State(
            mode: .cardForm, translations: CardPaymenButtonTranslations(label: nil), storedTranslations: nil)
        for mode in [State.Mode.cardForm, Self.stored, .unavailable] {
            for phase in State.Phase.allCases { #expect(!Self.state(mode, phase).accessibleName.isEmpty) }
        }
        #expect(silent.title == "" && silent.accessibleName == "Pay")
    }

    /// The delegate's calls for each result; Protocol 2.7 and 5.9.
    static let endings: [(OnPayResult, [String])] = [
        (.success, ["success (processing)"]),
        (.declined("GenericRejection"), ["failed (processing)"]),
        (.authorizationFailed(.authentication), ["failed (processing)"]),
        (.error(.pollingFailed("late")), ["failed (processing)"]),
        (.error(.paymentPending), ["pending (processing)"]),
        // The guide's delegate has no other code for it.
        (.cancelledByUser, ["failed (processing)"]),
    ]

    @MainActor @Test("A stored payment notifies its delegate in order, and pays once", arguments: endings.indices)
    func storedPaymentTellsInOrder(_ index: Int) async {
        let (result, told) = Self.endings[index]
        let session = FakeSession(results: [result])
        let recorder = Recorder()
        let button = CardPaymentButton(storedInstrument: FakeSession.twoCards[0], session: session)
        button.delegate = recorder
        var phases: [State.Phase] = []
        button.onChange = { phases.append($0.phase) }
        session.hold()
        button.tap()
        button.tap()
        button.pay()
        #expect(button.state.isProcessing)
        session.release()
        await button.waitUntilIdle()
        #expect(recorder.lines == ["clicked (processing)"] + told)
        // The delegate is called first; then the button is ready.
        #expect(phases.last == .ready)
        #expect(session.calls == ["stored c1"])
        #expect(button.getStoredInstrument()?.id == "c1")
    }

    @MainActor @Test("A card payment collects the form first")
    func cardPaymentCollectsFirst() async {
        let session = FakeSession()
        let form = CardForm(session: session)
        let recorder = Recorder()
        let button = CardPaymentButton(cardForm: form, session: session)
        button.delegate = recorder
        form.delegate = recorder
        button.tap()
        #expect(recorder.lines.suffix(2) == ["form failed: The card data is not valid.", "failed"])
        #expect(!button.state.isProcessing)
        recorder.lines = []
        form.fill()
        form.saveInstrument = true
        button.tap()
        await button.waitUntilIdle()
        #expect(
            recorder.lines == [
                "clicked (processing)", "collected encrypted-4242", "success (processing)",
            ])
        #expect(session.calls == ["card encrypted-4242 save true"])
        #expect(form.state[.CARD_NUMBER].text == Redacted(""), "a card that was paid with is forgotten")
        #expect(button.getStoredInstrument() == nil)
    }

    @MainActor @Test("The mode follows the instrument")
    func modeFollowsTheInstrument() async {
        let session = FakeSession()
        let recorder = Recorder()
        let form = CardForm(session: session)
        let button = CardPaymentButton(cardForm: form, session: session)
        button.delegate = recorder
        button.setStoredInstrument(FakeSession.twoCards[1])
        button.tap()
        await button.waitUntilIdle()
        button.clearStoredInstrument()
        #expect(button.state.mode == .cardForm)
        button.pay(storedInstrument: FakeSession.account)
        await button.waitUntilIdle()
        #expect(button.state.mode == .cardForm, "another instrument for one payment only")
        button.pay(with: .payPal)
        await button.waitUntilIdle()
        button.pay(withEncryptedCard: "a.b.c.d.e", saveInstrument: false)
        await button.waitUntilIdle()
        #expect(session.calls == ["stored c2", "stored p1", "type payPal", "card a.b.c.d.e save false"])
        #expect(recorder.lines.first == "instrument c2")
        #expect(recorder.lines.contains("instrument none"))
    }

    /// Changes its decision when it is notified of the tap.
    @MainActor private final class Fickle: PayrailsCardPaymentButtonDelegate {
        var ended = 0
        func onPaymentButtonClicked(_ button: CardPaymentButton) { button.clearStoredInstrument() }
        func onAuthorizeSuccess(_ button: CardPaymentButton) { ended += 1 }
        func onThreeDSecureChallenge(_ button: CardPaymentButton) {}
        func onAuthorizeFailed(_ button: CardPaymentButton) {}
    }

    @MainActor @Test("What was tapped is paid with, whatever the delegate sets meanwhile")
    func whatWasTappedIsPaidWith() async {
        let session = FakeSession()
        let fickle = Fickle()
        let button = CardPaymentButton(storedInstrument: FakeSession.twoCards[0], session: session)
        button.delegate = fickle
        button.tap()
        await button.waitUntilIdle()
        #expect(session.calls == ["stored c1"] && fickle.ended == 1)
        #expect(button.state.mode == .unavailable && !button.state.isProcessing)
    }

    @MainActor @Test("A challenge is reported for the card form only")
    func challengeIsToldForTheCardFormOnly() async throws {
        let session = FakeSession()
        let page = try HTTPURL("https://bank.example/3ds")
        session.change { $0.page = page }
        let recorder = Recorder()
        let presenter = FakePresenter()
        let form = CardForm(session: session)
        form.fill()
        let button = CardPaymentButton(cardForm: form, session: session)
        button.delegate = recorder
        button.presenter = presenter
        button.tap()
        await button.waitUntilIdle()
        #expect(recorder.lines.contains("challenge (processing)"))
        recorder.lines = []
        button.pay(storedInstrument: FakeSession.twoCards[0])
        await button.waitUntilIdle()
        #expect(presenter.pages == 2)
        #expect(!recorder.lines.contains("challenge (processing)"))
        // Without a presenter the payment fails with a reason, instead of doing nothing.
        button.presenter = nil
        button.pay(storedInstrument: FakeSession.twoCards[0])
        await button.waitUntilIdle()
        #expect(recorder.lines.last == "failed (processing)")
    }

    @MainActor @Test("A button with nothing to pay with fails aloud")
    func nothingToPayWith() {
        let recorder = Recorder()
        let button = CardPaymentButton(cardForm: nil, session: FakeSession())
        button.delegate = recorder
        button.tap()
        #expect(recorder.lines == ["clicked", "failed"])
        #expect(!button.state.isProcessing)
    }

    @MainActor @Test("States can be listened to")
    func statesCanBeListenedTo() async {
        let session = FakeSession()
        let button = CardPaymentButton(storedInstrument: FakeSession.account, session: session)
        let states = button.states
        button.tap()
        await button.waitUntilIdle()
        var phases: [State.Phase] = []
        for await state in states {
            phases.append(state.phase)
            if state.lastOutcome == .success, state.phase == .ready { break }
        }
        #expect(phases == [.ready, .paying, .paying, .ready])
    }

    /// Observed as views of SwiftUI do.
    @MainActor @Test("States can be observed")
    func statesCanBeObserved() async {
        let button = CardPaymentButton(storedInstrument: FakeSession.account, session: FakeSession())
        await confirmation { isTold in
            withObservationTracking {
                _ = button.state
            } onChange: {
                isTold()
            }
            button.tap()
        }
        await button.waitUntilIdle()
    }
}

@MainActor final class FakePresenter: PaymentPresenter {
    var pages = 0
    func presentPayment(_ page: PageRequest) async throws -> PaymentLink? {
        pages += 1
        return try PaymentLink("https://shop.example/return")
    }
}
