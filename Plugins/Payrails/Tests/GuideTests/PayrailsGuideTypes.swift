// swift-format-ignore-file
// What the vendor's guide to stored instruments prints about types, calls and errors, asked of the kit. It must
// compile. Signatures stand in protocols that the kit's types are said to conform to: who does not have them does not
// compile.

import PayrailsKit

@MainActor protocol PrintedStoredInstruments {
    // Payrails 1
    func refreshInstruments() // Reload stored instruments
}
extension StoredInstruments: PrintedStoredInstruments {}

// Payrails 2
@MainActor private final class ListListener: PayrailsStoredInstrumentsDelegate {
    func storedInstruments(_ view: StoredInstruments, didSelectInstrument instrument: StoredInstrument) {}
    func storedInstruments(_ view: StoredInstruments, didCompletePaymentForInstrument instrument: StoredInstrument) {}
    func storedInstruments(_ view: StoredInstruments, didFailPaymentForInstrument instrument: StoredInstrument, error: PayrailsError) {}
    func storedInstruments(_ view: StoredInstruments, didRequestDeleteInstrument instrument: StoredInstrument) {}
}

@MainActor protocol PrintedStoredInstrumentView {
    // Payrails 3
    func setSelected(_ selected: Bool) // Update selection state
    func getInstrument() -> StoredInstrument // Get associated instrument
    func setPresenter(_ presenter: PaymentPresenter?) // Set payment presenter
}
extension StoredInstrumentView: PrintedStoredInstrumentView {}

// Payrails 4
@MainActor private final class RowListener: PayrailsStoredInstrumentViewDelegate {
    func storedInstrumentView(_ view: StoredInstrumentView, didSelectInstrument instrument: StoredInstrument) {}
    func storedInstrumentView(_ view: StoredInstrumentView, didDeselectInstrument instrument: StoredInstrument) {}
    func storedInstrumentView(_ view: StoredInstrumentView, didCompletePaymentForInstrument instrument: StoredInstrument) {}
    func storedInstrumentView(_ view: StoredInstrumentView, didFailPaymentForInstrument instrument: StoredInstrument, error: PayrailsError) {}
    func storedInstrumentView(_ view: StoredInstrumentView, didRequestDeleteInstrument instrument: StoredInstrument) {}
}

extension Payrails {
    @MainActor protocol PrintedCardPaymentButton {
        // Payrails 5
        func pay(with type: PaymentType?, storedInstrument: StoredInstrument?)
        func getStoredInstrument() -> StoredInstrument? // Returns stored instrument if in stored mode
    }

    protocol PrintedSession {
        // Payrails 8
        // Get stored instruments by type
        func storedInstruments(for type: PaymentType) -> [StoredInstrument]

        // Execute payment with stored instrument (callback version)
        func executePayment(
            withStoredInstrument instrument: StoredInstrument,
            presenter: PaymentPresenter?,
            onResult: @escaping OnPayCallback
        )

        // Execute payment with stored instrument (async version)
        @MainActor
        func executePayment(
            withStoredInstrument instrument: StoredInstrument,
            presenter: PaymentPresenter?
        ) async -> OnPayResult

        // Delete stored instrument
        func deleteInstrument(instrumentId: String) async throws -> DeleteInstrumentResponse
    }
}
extension CardPaymentButton: Payrails.PrintedCardPaymentButton {}
extension PayrailsSession: Payrails.PrintedSession {}

// Payrails 6
@MainActor private final class ButtonListener: PayrailsCardPaymentButtonDelegate {
    func onPaymentButtonClicked(_ button: CardPaymentButton) {}
    func onAuthorizeSuccess(_ button: CardPaymentButton) {}
    func onThreeDSecureChallenge(_ button: CardPaymentButton) {}
    func onAuthorizeFailed(_ button: CardPaymentButton) {}
}

@MainActor enum PayrailsGuideTypes {
    // Payrails 10
    static func members(of value: StoredInstrument) {
        let _: String = value.id
        let _: String? = value.email
        let _: String? = value.description
        let _: Payrails.PaymentType = value.type
    }

    // Payrails 12
    static func members(of value: StoredInstrumentsTranslations) {
        let _: String = value.cardPrefix
        let _: String = value.paypalPrefix
        let _: StoredInstrumentButtonTranslations = value.buttonTranslations
    }

    // Payrails 22
    static func word(for error: PayrailsError) -> String {
        switch error {
        case .invalidDataFormat: "invalidDataFormat"
        case .missingData: "missingData"
        case .authenticationError: "authenticationError"
        case .unsupportedPayment: "unsupportedPayment"
        case .incorrectPaymentSetup: "incorrectPaymentSetup"
        case .pollingFailed: "pollingFailed"
        case .unknown: "unknown"
        default: "another"
        }
    }

    // Payrails: defaults that the printed calls have
    static func calls(of button: CardPaymentButton) {
        button.pay()
        let _: PayrailsError = .missingData("a text")
    }

    // Payrails: the two factories, of which the guide prints the types in place of values
    static func factories(
        _ buttonStyle: CardButtonStyle?, _ translations: CardPaymenButtonTranslations, _ instrument: StoredInstrument,
        _ storedStyle: StoredInstrumentButtonStyle?, _ storedTranslations: StoredInstrumentButtonTranslations?
    ) {
        let _: CardPaymentButton = Payrails.createCardPaymentButton(buttonStyle: buttonStyle, translations: translations)
        let _: CardPaymentButton = Payrails.createCardPaymentButton(
            storedInstrument: instrument, buttonStyle: storedStyle, translations: translations,
            storedInstrumentTranslations: storedTranslations)
    }
}
