import PaymentCore
import Testing

@testable import PayrailsKit
@testable import PayrailsProvider

/// Protocol 5.10: rows and lists of stored instruments; deletion after a confirmation.
@Suite struct ComponentListTests {
    @Test("Every change of the selection has the right effects")
    func selectionTable() {
        typealias Step = (InstrumentSelection.Event, [InstrumentSelection.Effect], String?)
        let steps: [Step] = [
            (.deselected("a"), [], nil),
            (.selected("a"), [.bind("a"), .notifySelected("a")], "a"),
            (.selected("b"), [.unmark("a"), .bind("b"), .notifySelected("b")], "b"),
            (.deselected("a"), [], "b"),
            (.deselected("b"), [.bind(nil)], nil),
            (.selected("a"), [.bind("a"), .notifySelected("a")], "a"),
            (.selected("a"), [.bind("a"), .notifySelected("a")], "a"),
            (.loaded, [.unmark("a"), .bind(nil)], nil),
            (.loaded, [], nil),
        ]
        var selection = InstrumentSelection()
        for (event, effects, selected) in steps {
            #expect(selection.handle(event) == effects)
            #expect(selection.selectedID == selected)
        }
    }

    @Test("Every event of a deletion has the right effects")
    func deletionTable() {
        typealias Phase = InstrumentDeletion.Phase
        let events: [InstrumentDeletion.Event] = [
            .requested(id: "b"), .declined, .confirmed(id: "a"), .confirmed(id: "b"), .finished(success: true),
            .finished(success: false),
        ]
        let table: [(Phase, [(Phase, [InstrumentDeletion.Effect])])] = [
            (.idle, [(.asking(id: "b"), []), (.idle, []), (.idle, []), (.idle, []), (.idle, []), (.idle, [])]),
            (
                .asking(id: "a"),
                [
                    (.asking(id: "b"), []), (.idle, []), (.deleting(id: "a"), [.delete(id: "a")]),
                    // Events that do not answer the question.
                    (.asking(id: "a"), []), (.asking(id: "a"), []), (.asking(id: "a"), []),
                ]
            ),
            (
                .deleting(id: "a"),
                [
                    (.deleting(id: "a"), []), (.deleting(id: "a"), []), (.deleting(id: "a"), []),
                    (.deleting(id: "a"), []), (.idle, [.refresh]), (.idle, [.report]),
                ]
            ),
        ]
        for (phase, row) in table {
            for (event, (next, effects)) in zip(events, row) {
                var deletion = InstrumentDeletion()
                if phase != .idle { _ = deletion.handle(.requested(id: "a")) }
                if case .deleting = phase { _ = deletion.handle(.confirmed(id: "a")) }
                #expect(deletion.phase == phase)
                #expect(deletion.handle(event) == effects, "\(phase) \(event)")
                #expect(deletion.phase == next, "\(phase) \(event)")
            }
        }
    }

    @MainActor @Test("A row toggles and reports it")
    func rowTogglesAndTells() {
        let recorder = Recorder()
        let row = StoredInstrumentView(
            instrument: FakeSession.twoCards[0], session: FakeSession(), showDeleteButton: true, showPayButton: true)
        row.delegate = recorder
        #expect(!row.state.isPayButtonVisible)
        row.tap()
        #expect(row.state.isSelected && row.state.isPayButtonVisible)
        row.tap()
        #expect(!row.state.isSelected && !row.state.isPayButtonVisible)
        row.setSelected(true)
        row.tapDelete()
        #expect(recorder.lines == ["row selected c1", "row deselected c1", "row delete c1"])
        #expect(row.getInstrument().id == "c1")
        #expect(row.state.label == Redacted("Card ending in 1111"))
    }

    @MainActor @Test("Buttons that are not there do nothing")
    func buttonsThatAreNotThereDoNothing() async {
        let recorder = Recorder()
        let session = FakeSession()
        let row = StoredInstrumentView(instrument: FakeSession.twoCards[0], session: session)
        row.delegate = recorder
        row.setSelected(true)
        row.tapDelete()
        row.tapUpdate()
        row.tapPay()
        await row.payButton.waitUntilIdle()
        #expect(recorder.lines.isEmpty && session.calls.isEmpty && !row.state.isPayButtonVisible)
    }

    @MainActor @Test("A row reports how its payment ended")
    func rowPaymentsTell() async {
        let cases: [(OnPayResult, String)] = [
            (.success, "row paid c1"),
            (.declined("FraudRisk"), "row failed c1: The payment was declined: the bank refused it."),
            (.error(.paymentPending), "row failed c1: pending"),
            (.cancelledByUser, "row failed c1: You left before the payment was finished."),
        ]
        for (result, told) in cases {
            let session = FakeSession(results: [result])
            let recorder = Recorder()
            let row = StoredInstrumentView(
                instrument: FakeSession.twoCards[0], session: session, showPayButton: true)
            row.delegate = recorder
            row.setSelected(true)
            session.hold()
            row.tapPay()
            #expect(row.state.button.title == "Processing...")
            // A row does not change its selection while its payment is in progress.
            row.tap()
            row.tapDelete()
            session.release()
            await row.payButton.waitUntilIdle()
            #expect(recorder.lines == [told])
            #expect(row.state.isSelected && row.state.button.title == "Pay")
        }
    }

    @MainActor @Test("A list keeps one row selected at most")
    func listKeepsOneSelected() {
        let recorder = Recorder()
        let session = FakeSession()
        let list = StoredInstruments(session: session, showDeleteButton: true)
        list.delegate = recorder
        #expect(list.state.rows.map(\.id) == ["c1", "c2", "p1"])
        list.view(for: "c1")?.tap()
        list.view(for: "p1")?.tap()
        #expect(list.state.rows.filter(\.isSelected).map(\.id) == ["p1"])
        list.view(for: "p1")?.tap()
        #expect(list.state.selectedID == nil && !list.state.rows.contains(where: \.isSelected))
        list.view(for: "c2")?.tapDelete()
        #expect(
            recorder.lines == [
                "list selected c1, state c1", "list selected p1, state p1", "list delete c2",
            ])
    }

    @MainActor @Test("A bound button follows the selection")
    func boundButtonFollowsTheSelection() {
        let session = FakeSession()
        let list = StoredInstruments(session: session)
        let button = CardPaymentButton(cardForm: CardForm(session: session), session: session)
        list.view(for: "c2")?.tap()
        list.bindCardPaymentButton(button)
        #expect(button.getStoredInstrument()?.id == "c2", "it syncs at once")
        list.view(for: "p1")?.tap()
        #expect(button.getStoredInstrument()?.id == "p1")
        list.view(for: "p1")?.tap()
        #expect(button.state.mode == .cardForm)
        list.view(for: "c1")?.tap()
        list.refreshInstruments()
        #expect(button.getStoredInstrument() == nil, "what is not selected any more is not paid with")
        list.bindCardPaymentButton(nil)
        list.view(for: "c1")?.tap()
        #expect(button.getStoredInstrument() == nil)
    }

    @MainActor @Test("A refresh shows what the session has")
    func refreshShowsWhatTheSessionHas() {
        let session = FakeSession()
        let list = StoredInstruments(session: session)
        list.view(for: "c1")?.tap()
        session.change { $0.cards = [FakeSession.twoCards[1]] }
        list.refreshInstruments()
        #expect(list.state.rows.map(\.id) == ["c2", "p1"])
        #expect(list.state.selectedID == nil)
    }

    @MainActor @Test("A payment outlives a refresh")
    func paymentOutlivesARefresh() async {
        let session = FakeSession()
        let recorder = Recorder()
        let list = StoredInstruments(session: session, showPayButton: true)
        list.delegate = recorder
        list.view(for: "c1")?.tap()
        session.hold()
        list.view(for: "c1")?.tapPay()
        #expect(list.state.isProcessing)
        list.refreshInstruments()
        let row = list.view(for: "c1")
        session.release()
        await row?.payButton.waitUntilIdle()
        #expect(recorder.lines.last == "list paid c1")
        #expect(!list.state.isProcessing)
    }

    @MainActor @Test("The presenter reaches rows whenever it is set")
    func presenterReachesRowsWhenever() {
        let list = StoredInstruments(session: FakeSession(), showPayButton: true)
        let presenter = FakePresenter()
        list.presenter = presenter
        #expect(list.views.allSatisfy { $0.payButton.presenter === presenter })
        list.refreshInstruments()
        #expect(list.views.allSatisfy { $0.payButton.presenter === presenter })
        let row = StoredInstrumentView(instrument: FakeSession.account, session: FakeSession())
        row.setPresenter(presenter)
        #expect(row.payButton.presenter === presenter)
    }

    @Test(
        "Card numbers in labels are not shown",
        arguments: [
            ("4242424242424242", "•••• 4242"), ("pay 4242 4242 4242 4242 now", "pay •••• 4242 now"),
            ("4242-4242-4242-4242", "•••• 4242"), ("378282246310005.", "•••• 0005."),
            ("411111***1111", "411111***1111"),
            ("4242424242424241", "4242424242424241"), ("order 123456", "order 123456"), ("", ""),
        ])
    func cardNumbersAreNotShown(_ text: String, _ shown: String) {
        #expect(InstrumentLabel.withoutCardNumbers(text) == shown)
    }

    @Test("Labels are bounded")
    func labelsAreBounded() {
        #expect(InstrumentLabel.clean(String(repeating: "x", count: 5000)).count == InstrumentLabel.maximumLength)
    }

    @MainActor @Test("Labels do not leak into what is printed")
    func labelsDoNotLeak() {
        let list = StoredInstruments(session: FakeSession())
        var text = ""
        dump(list.state, to: &text)
        text += "\(list.state)" + String(reflecting: list.state)
        #expect(!text.contains("payer@example.com"))
    }
}
