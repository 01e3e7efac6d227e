import Foundation
import PaymentCore
import PayrailsKit

/// The guide's integration: a list of stored instruments, a single one, a payment without any view, and deleting. A
/// real one is a `UIViewController`; this one prints what it would show.
@MainActor
final class CheckoutViewController {
    private var payrails: Payrails.Session?
    private(set) var storedInstrumentsView = Payrails.createStoredInstruments()
    private(set) var singleInstrumentView: StoredInstrumentView?
    /// The deletion that a button of an alert started.
    private(set) var deletion: Task<Void, Never>?

    private let customTranslations = StoredInstrumentsTranslations(
        cardPrefix: "Card ending in",
        paypalPrefix: "PayPal",
        buttonTranslations: StoredInstrumentButtonTranslations(
            label: "Pay with this method",
            processingLabel: "Processing payment..."
        )
    )

    // MARK: Basic integration: multiple instruments

    func showStoredInstruments(_ response: Payrails.InitData) async throws {
        // 1. Initialize SDK Session
        let configuration = Payrails.Configuration(
            initData: response,
            option: Payrails.Options(env: Payrails.Env.dev)
        )
        let payrails = try await Payrails.createSession(with: configuration)
        self.payrails = payrails

        // 2. Create StoredInstruments component
        let customStyle = StoredInstrumentsStyle(
            backgroundColor: .clear,
            itemBackgroundColor: .systemGray6,
            selectedItemBackgroundColor: .systemBlue.withAlphaComponent(0.1),
            labelTextColor: .label,
            labelFont: .systemFont(ofSize: 16, weight: .medium)
        )
        storedInstrumentsView = Payrails.createStoredInstruments(
            style: customStyle,
            translations: customTranslations,
            showDeleteButton: true,
            showPayButton: true
        )

        // 3. Set delegates
        storedInstrumentsView.delegate = self
        storedInstrumentsView.presenter = self

        // 4. Add to UI
        showList()
    }

    // MARK: Single instrument integration

    func showSingleInstrument() {
        // Get a specific stored instrument
        guard let instrument = payrails?.storedInstruments(for: .card).first else { return }

        // Create single instrument view
        let singleInstrumentView = Payrails.createStoredInstrumentView(
            instrument: instrument,
            translations: customTranslations,
            showDeleteButton: true,
            showPayButton: true
        )

        // Set delegates
        singleInstrumentView.delegate = self
        singleInstrumentView.setPresenter(self)

        // Add to UI
        self.singleInstrumentView = singleInstrumentView
        print("  [\(singleInstrumentView.state.label.reveal())]")
    }

    // MARK: Direct payment execution

    func payDirectly(with type: Payrails.PaymentType) async {
        guard let payrails, let instrument = payrails.storedInstruments(for: type).first else { return }

        // Execute payment programmatically
        let result = await payrails.executePayment(
            withStoredInstrument: instrument,
            presenter: self
        )

        switch result {
        case .success:
            print("  Payment successful")
        case .failure, .authorizationFailed:
            print("  Payment failed")
        case .error(let error):
            print("  Payment error: \(error)")
        case .cancelledByUser:
            print("  Payment cancelled")
        }
    }

    // MARK: Delete functionality

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

    private func confirmAndDeleteInstrument(_ instrument: any StoredInstrument) {
        print("  Are you sure you want to delete this payment method? Delete.")
        deletion = Task {
            await self.deleteInstrument(instrumentId: instrument.id)
        }
    }

    // MARK: Messages

    func showList() {
        for row in storedInstrumentsView.state.rows { print("  [\(row.label.reveal())]") }
    }

    fileprivate func showSuccessMessage(_ text: String) { print("  \(text)") }
    fileprivate func showErrorMessage(_ text: String) { print("  \(text)") }
}

// MARK: Delegate implementation

extension CheckoutViewController: PayrailsStoredInstrumentsDelegate {
    func storedInstruments(_ view: StoredInstruments, didSelectInstrument instrument: any StoredInstrument) {
        // Handle instrument selection
        print("  Selected instrument: \(instrument.displayText())")
    }

    func storedInstruments(
        _ view: StoredInstruments, didCompletePaymentForInstrument instrument: any StoredInstrument
    ) {
        // Handle successful payment
        showSuccessMessage("Payment completed!")
    }

    func storedInstruments(
        _ view: StoredInstruments, didFailPaymentForInstrument instrument: any StoredInstrument, error: PayrailsError
    ) {
        // Handle payment failure
        showErrorMessage("Payment failed: \(error.localizedDescription)")
    }

    func storedInstruments(_ view: StoredInstruments, didRequestDeleteInstrument instrument: any StoredInstrument) {
        // Handle delete request
        confirmAndDeleteInstrument(instrument)
    }
}

extension CheckoutViewController: PayrailsStoredInstrumentViewDelegate {
    func storedInstrumentView(_ view: StoredInstrumentView, didSelectInstrument instrument: any StoredInstrument) {
        print("  Selected instrument: \(instrument.displayText())")
    }

    func storedInstrumentView(_ view: StoredInstrumentView, didDeselectInstrument instrument: any StoredInstrument) {
        print("  Deselected instrument: \(instrument.displayText())")
    }

    func storedInstrumentView(
        _ view: StoredInstrumentView, didCompletePaymentForInstrument instrument: any StoredInstrument
    ) {
        showSuccessMessage("Payment completed!")
    }

    func storedInstrumentView(
        _ view: StoredInstrumentView, didFailPaymentForInstrument instrument: any StoredInstrument,
        error: PayrailsError
    ) {
        showErrorMessage("Payment failed: \(error.localizedDescription)")
    }

    func storedInstrumentView(
        _ view: StoredInstrumentView, didRequestDeleteInstrument instrument: any StoredInstrument
    ) {
        confirmAndDeleteInstrument(instrument)
    }
}

/// Stored cards can ask for 3-D Secure, so a presenter of the page is needed.
extension CheckoutViewController: PaymentPresenter {
    func presentPayment(_ page: PageRequest) async throws -> PaymentLink? {
        print("  (the bank's page is shown)")
        return try await Bank.shared.visit(page)
    }
}
