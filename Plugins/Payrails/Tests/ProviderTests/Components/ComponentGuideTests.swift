import PaymentCore
// Not @testable: the guide's code sees what apps see.
import PayrailsKit
import PayrailsProvider
import Testing

/// The guide's components without a session, and its one button for both ways to pay.
@MainActor @Suite struct ComponentGuideTests {
    private static let customTranslations = StoredInstrumentsTranslations(
        cardPrefix: "💳 Card ending in",
        paypalPrefix: "🅿️ PayPal",
        buttonTranslations: StoredInstrumentButtonTranslations(
            label: "Pay with this method",
            processingLabel: "Processing payment..."
        )
    )

    @Test("Components without a session say what is missing")
    func componentsWithoutASession() async {
        // The vendor's factories end the process here; ours make components that say what is missing.
        let (recorder, presenter) = (Recorder(), FakePresenter())
        let style = StoredInstrumentsStyle(itemCornerRadius: 8)
        let list = Payrails.createStoredInstruments(
            style: style, translations: Self.customTranslations, showDeleteButton: true, showPayButton: true)
        list.delegate = recorder
        list.presenter = presenter
        let instrument: any StoredInstrument = StoredCardInstrument(id: "i1", bin: "411111", suffix: "1111")
        let row = Payrails.createStoredInstrumentView(
            instrument: instrument, style: style, translations: Self.customTranslations, showDeleteButton: true,
            showPayButton: true)
        row.delegate = recorder
        row.setPresenter(presenter)
        #expect(row.state.label.reveal() == "💳 Card ending in 1111")
        row.tap()
        #expect(row.state.button.title == "Pay with this method")
        row.tapPay()
        #expect(row.state.button.title == "Processing payment...")
        await row.payButton.waitUntilIdle()
        row.tapDelete()
        row.tap()
        #expect(
            recorder.lines.map { $0.split(separator: " i1")[0] } == [
                "row selected", "row failed", "row delete", "row deselected",
            ])
    }

    @Test("The guide's one button for both ways to pay works")
    func unifiedButton() async {
        let recorder = Recorder()
        let instrument: any StoredInstrument = StoredPayPalInstrument(id: "i2", email: nil)
        let button = Payrails.createCardPaymentButton(
            storedInstrument: instrument,
            buttonStyle: StoredInstrumentButtonStyle(cornerRadius: 3),
            translations: CardPaymenButtonTranslations(label: "Pay"),
            storedInstrumentTranslations: StoredInstrumentButtonTranslations(
                label: "Pay", processingLabel: "Processing...")
        )
        button.delegate = recorder
        #expect(button.getStoredInstrument()?.id == "i2" && button.style.cornerRadius == 3)
        button.tap()
        await button.waitUntilIdle()
        #expect(recorder.lines.map { $0.prefix { $0 != " " } } == ["clicked", "failed"])
        let form = Payrails.createCardForm(
            config: CardFormConfig(showNameField: true, showSaveInstrument: true), showSaveInstrument: false)
        #expect(!form.config.showSaveInstrument && form.config.showNameField, "the argument decides")
        let forForm = Payrails.createCardPaymentButton(
            buttonStyle: nil, translations: CardPaymenButtonTranslations(label: "Pay"))
        #expect(forForm.cardForm === form && forForm.state.mode == .cardForm)
    }

    @available(*, deprecated)
    @Test("The deprecated button still works")
    func deprecatedButtonStillWorks() async {
        for (result, said) in [
            (OnPayResult.success, ["clicked", "success"]), (.cancelledByUser, ["clicked", "failed"]),
            (.error(.authenticationError), ["clicked", "failed"]), (.pending, ["clicked", "failed"]),
        ] {
            let delegate = OldDelegate()
            let old = StoredInstrumentPaymentButton(
                storedInstrument: FakeSession.twoCards[0], session: FakeSession(results: [result]),
                translations: StoredInstrumentButtonTranslations(label: "Pay", processingLabel: "Wait"))
            old.delegate = delegate
            #expect(old.state.title == "Pay" && old.getStoredInstrument().id == "c1")
            old.tap()
            #expect(old.state.title == "Wait")
            await old.cardPaymentButton.waitUntilIdle()
            #expect(delegate.said == said)
        }
    }
}

@available(*, deprecated)
@MainActor private final class OldDelegate: PayrailsStoredInstrumentPaymentButtonDelegate {
    var said: [String] = []
    func onPaymentButtonClicked(_ button: StoredInstrumentPaymentButton) { said.append("clicked") }
    func onAuthorizeSuccess(_ button: StoredInstrumentPaymentButton) { said.append("success") }
    func onAuthorizeFailed(_ button: StoredInstrumentPaymentButton) { said.append("failed") }
}
