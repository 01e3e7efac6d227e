// swift-format-ignore-file
// The code of the vendor's guide to stored instruments, as printed: only the import differs, and what the comments
// "reader's own" mark. It need not run; it must compile. A comment like `Payrails 14` says which block follows.

import PayrailsKit

#if canImport(UIKit)
import UIKit
#endif

// MARK: Integration guide

extension ViewController {
    func showStoredInstruments(_ response: Payrails.InitData) async throws {
        // Payrails 14
        // 1. Initialize SDK Session
        let configuration = Payrails.Configuration(
            initData: response,
            option: Payrails.Options(env: Payrails.Env.dev)
        )
        let payrails = try await Payrails.createSession(with: configuration)

        // 2. Create StoredInstruments component
        let storedInstrumentsView = Payrails.createStoredInstruments(
            style: customStyle,
            translations: customTranslations,
            showDeleteButton: true,
            showPayButton: true
        )

        // 3. Set delegates
        storedInstrumentsView.delegate = self
        storedInstrumentsView.presenter = self

        // 4. Add to UI
        stackView.addArrangedSubview(storedInstrumentsView)
        // Payrails: kept by the reader
        self.payrails = payrails
        self.storedInstrumentsView = storedInstrumentsView
    }

    func showSingleInstrument() {
        guard let payrails else { return }
        // Payrails 15
        // Get a specific stored instrument
        let cardInstruments = payrails.storedInstruments(for: .card)
        guard let instrument = cardInstruments.first else { return }

        // Create single instrument view
        let singleInstrumentView = Payrails.createStoredInstrumentView(
            instrument: instrument,
            style: customStyle,
            translations: customTranslations,
            showDeleteButton: true,
            showPayButton: true
        )

        // Set delegates
        singleInstrumentView.delegate = self
        singleInstrumentView.setPresenter(self)

        // Add to UI
        stackView.addArrangedSubview(singleInstrumentView)
    }

    func payDirectly(with instrument: StoredInstrument) async {
        guard let payrails else { return }
        // Payrails 17
        // Execute payment programmatically
        let result = await payrails.executePayment(
            withStoredInstrument: instrument,
            presenter: self
        )

        switch result {
        case .success:
            print("Payment successful")
        case .failure, .authorizationFailed:
            print("Payment failed")
        case .error(let error):
            print("Payment error: \(error)")
        case .cancelledByUser:
            print("Payment cancelled")
        }
        // Payrails: without a presenter, as the guide's table of methods allows
        _ = await payrails.executePayment(withStoredInstrument: instrument)
    }
}

// Payrails 16
extension ViewController: PayrailsStoredInstrumentsDelegate {
    func storedInstruments(_ view: StoredInstruments, didSelectInstrument instrument: StoredInstrument) {
        // Handle instrument selection
        print("Selected instrument: \(instrument.id)")
    }

    func storedInstruments(_ view: StoredInstruments, didCompletePaymentForInstrument instrument: StoredInstrument) {
        // Handle successful payment
        showSuccessMessage("Payment completed!")
    }

    func storedInstruments(_ view: StoredInstruments, didFailPaymentForInstrument instrument: StoredInstrument, error: PayrailsError) {
        // Handle payment failure
        showErrorMessage("Payment failed: \(error.localizedDescription)")
    }

    func storedInstruments(_ view: StoredInstruments, didRequestDeleteInstrument instrument: StoredInstrument) {
        // Handle delete request
        confirmAndDeleteInstrument(instrument)
    }
}

// MARK: Customization and styling

@MainActor enum PayrailsGuideStyles {
    static func style() -> StoredInstrumentsStyle {
        // Payrails 18
        let customStyle = StoredInstrumentsStyle(
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
                size: CGSize(width: 32, height: 32)
            )
        )
        // Payrails: used by the reader
        return customStyle
    }

    static func translations() -> StoredInstrumentsTranslations {
        // Payrails 19
        let customTranslations = StoredInstrumentsTranslations(
            cardPrefix: "üí≥ Card ending in",
            paypalPrefix: "üÖøÔ∏è PayPal",
            buttonTranslations: StoredInstrumentButtonTranslations(
                label: "Pay with this method",
                processingLabel: "Processing payment..."
            )
        )
        // Payrails: used by the reader
        return customTranslations
    }
}

// MARK: Deleting

class DeletingViewController: Screen, PayrailsStoredInstrumentsDelegate {
    var storedInstrumentsView = Payrails.createStoredInstruments()

    // Payrails 20
    private func deleteInstrument(instrumentId: String) async {
        do {
            let response = try await Payrails.deleteInstrument(instrumentId: instrumentId)

            if response.success {
                // Refresh the stored instruments list
                storedInstrumentsView.refreshInstruments()
                showSuccessMessage("Payment method deleted")
            } else {
                showErrorMessage("Failed to delete payment method")
            }
        } catch {
            showErrorMessage("Error: \(error.localizedDescription)")
        }
    }

    // Payrails 21
    func storedInstruments(_ view: StoredInstruments, didRequestDeleteInstrument instrument: StoredInstrument) {
        let alert = UIAlertController(
            title: "Delete Payment Method",
            message: "Are you sure you want to delete this payment method?",
            preferredStyle: .alert
        )

        alert.addAction(UIAlertAction(title: "Cancel", style: .cancel))
        alert.addAction(UIAlertAction(title: "Delete", style: .destructive) { _ in
            Task {
                await self.deleteInstrument(instrumentId: instrument.id)
            }
        })

        present(alert, animated: true)
    }

    // Payrails: the rest of the delegate
    func storedInstruments(_ view: StoredInstruments, didSelectInstrument instrument: StoredInstrument) {}
    func storedInstruments(_ view: StoredInstruments, didCompletePaymentForInstrument instrument: StoredInstrument) {}
    func storedInstruments(_ view: StoredInstruments, didFailPaymentForInstrument instrument: StoredInstrument, error: PayrailsError) {}
}

// MARK: Errors

extension ViewController {
    // Payrails 23
    func handlePaymentError(_ error: PayrailsError) {
        switch error {
        case .authenticationError:
            showReauthenticationDialog()
        case .unsupportedPayment:
            showAlternativePaymentMethods()
        case .missingData:
            refreshStoredInstruments()
        default:
            showGenericErrorMessage()
        }
    }
}

// MARK: Moving on from the older button

@available(*, deprecated)
extension ViewController {
    func buttons(instrument: StoredInstrument, session: Payrails.Session) {
        // Payrails 25
        // Old approach (deprecated)
        let oldButton = StoredInstrumentPaymentButton(
            storedInstrument: instrument,
            session: session,
            translations: StoredInstrumentButtonTranslations(
                label: "Pay",
                processingLabel: "Processing..."
            ),
            style: StoredInstrumentButtonStyle()  // The reader's own.
        )

        // New unified approach
        let newButton = Payrails.createCardPaymentButton(
            storedInstrument: instrument,
            buttonStyle: StoredInstrumentButtonStyle(),  // The reader's own.
            translations: CardPaymenButtonTranslations(label: "Pay"),
            storedInstrumentTranslations: StoredInstrumentButtonTranslations(
                label: "Pay",
                processingLabel: "Processing..."
            )
        )
        // Payrails: used by the reader
        _ = (oldButton, newButton)
    }
}

// Payrails 26
// Old delegate (deprecated)
@available(*, deprecated)  // The reader's own: Swift asks for it.
extension ViewController: PayrailsStoredInstrumentPaymentButtonDelegate {
    func onPaymentButtonClicked(_ button: StoredInstrumentPaymentButton) { }
    func onAuthorizeSuccess(_ button: StoredInstrumentPaymentButton) { }
    func onAuthorizeFailed(_ button: StoredInstrumentPaymentButton) { }
}

// New unified delegate
extension ViewController: PayrailsCardPaymentButtonDelegate {
    func onPaymentButtonClicked(_ button: CardPaymentButton) { }
    func onAuthorizeSuccess(_ button: CardPaymentButton) { }
    func onThreeDSecureChallenge(_ button: CardPaymentButton) {
        // Not applicable for stored instruments, but required by protocol
    }
    func onAuthorizeFailed(_ button: CardPaymentButton) { }
}
