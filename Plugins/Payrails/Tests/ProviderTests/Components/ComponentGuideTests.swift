import Foundation
import PaymentCore
// Not @testable: the guide's code sees what apps see.
import PayrailsKit
import PayrailsProvider
import Testing

/// The guide's examples, nearly line by line: what they are written against has to be there under those names.
@MainActor @Suite struct ComponentGuideTests {
    private final class ViewController: PayrailsStoredInstrumentsDelegate, PayrailsStoredInstrumentViewDelegate,
        PayrailsCardPaymentButtonDelegate, PaymentPresenter
    {
        var said: [String] = []
        func storedInstruments(_ view: StoredInstruments, didSelectInstrument instrument: any StoredInstrument) {
            said.append("selected \(instrument.id)")
        }
        func storedInstruments(
            _ view: StoredInstruments, didCompletePaymentForInstrument instrument: any StoredInstrument
        ) { said.append("completed") }
        func storedInstruments(
            _ view: StoredInstruments, didFailPaymentForInstrument instrument: any StoredInstrument,
            error: PayrailsError
        ) { said.append("failed: \(error.localizedDescription)") }
        func storedInstruments(
            _ view: StoredInstruments, didRequestDeleteInstrument instrument: any StoredInstrument
        ) { said.append("delete") }
        func storedInstrumentView(
            _ view: StoredInstrumentView, didSelectInstrument instrument: any StoredInstrument
        ) { said.append("row selected") }
        func storedInstrumentView(
            _ view: StoredInstrumentView, didDeselectInstrument instrument: any StoredInstrument
        ) { said.append("row deselected") }
        func storedInstrumentView(
            _ view: StoredInstrumentView, didCompletePaymentForInstrument instrument: any StoredInstrument
        ) {}
        func storedInstrumentView(
            _ view: StoredInstrumentView, didFailPaymentForInstrument instrument: any StoredInstrument,
            error: PayrailsError
        ) { said.append("row failed") }
        func storedInstrumentView(
            _ view: StoredInstrumentView, didRequestDeleteInstrument instrument: any StoredInstrument
        ) { said.append("row delete") }
        func onPaymentButtonClicked(_ button: CardPaymentButton) { said.append("clicked") }
        func onAuthorizeSuccess(_ button: CardPaymentButton) { said.append("success") }
        func onThreeDSecureChallenge(_ button: CardPaymentButton) {}
        func onAuthorizeFailed(_ button: CardPaymentButton) { said.append("authorize failed") }
        func presentPayment(_ page: PageRequest) async throws -> PaymentLink? { nil }
    }

    private static let customStyle = StoredInstrumentsStyle(
        backgroundColor: .clear,
        itemBackgroundColor: .systemGray6,
        selectedItemBackgroundColor: .systemBlue.withAlphaComponent(0.1),
        labelTextColor: .label,
        labelFont: .systemFont(ofSize: 16, weight: .medium),
        itemCornerRadius: 8,
        itemSpacing: 12,
        itemPadding: UIEdgeInsets(top: 12, left: 16, bottom: 12, right: 16),
        buttonStyle: StoredInstrumentButtonStyle(
            backgroundColor: .systemOrange,
            textColor: .white,
            font: .systemFont(ofSize: 16, weight: .semibold),
            cornerRadius: 6,
            height: 44
        ),
        deleteButtonStyle: DeleteButtonStyle(
            backgroundColor: .systemRed,
            textColor: .white,
            size: StyleSize(width: 32, height: 32)
        )
    )

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
        let controller = ViewController()
        let list = Payrails.createStoredInstruments(
            style: Self.customStyle, translations: Self.customTranslations, showDeleteButton: true, showPayButton: true)
        list.delegate = controller
        list.presenter = controller
        let instrument: any StoredInstrument = StoredCardInstrument(id: "i1", bin: "411111", suffix: "1111")
        let row = Payrails.createStoredInstrumentView(
            instrument: instrument, style: Self.customStyle, translations: Self.customTranslations,
            showDeleteButton: true, showPayButton: true)
        row.delegate = controller
        row.setPresenter(controller)
        #expect(row.state.label.reveal() == "💳 Card ending in 1111")
        row.tap()
        #expect(row.state.button.title == "Pay with this method")
        row.tapPay()
        #expect(row.state.button.title == "Processing payment...")
        await row.payButton.waitUntilIdle()
        row.tapDelete()
        row.tap()
        #expect(controller.said == ["row selected", "row failed", "row delete", "row deselected"])
    }

    @Test("The guide's one button for both ways to pay works")
    func unifiedButton() async {
        let controller = ViewController()
        let instrument: any StoredInstrument = StoredPayPalInstrument(id: "i2", email: nil)
        let button = Payrails.createCardPaymentButton(
            storedInstrument: instrument,
            buttonStyle: StoredInstrumentButtonStyle(cornerRadius: 3),
            translations: CardPaymenButtonTranslations(label: "Pay"),
            storedInstrumentTranslations: StoredInstrumentButtonTranslations(
                label: "Pay", processingLabel: "Processing...")
        )
        button.delegate = controller
        #expect(button.getStoredInstrument()?.id == "i2" && button.style.cornerRadius == 3)
        button.tap()
        await button.waitUntilIdle()
        #expect(controller.said == ["clicked", "authorize failed"])
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
