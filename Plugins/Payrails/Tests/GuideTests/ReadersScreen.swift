import PayrailsKit

#if canImport(UIKit)
    import UIKit
#else
    import PaymentCore
#endif

// What the vendor's guide leaves to its reader: the screen and its words, as little as compiles.

#if canImport(UIKit)
    typealias Screen = UIViewController
#else
    // The screens' names, on systems without them.
    @MainActor class Screen {
        func present(_ alert: UIAlertController, animated: Bool) {}
    }

    @MainActor final class UIStackView {
        func addArrangedSubview(_ view: AnyObject) {}
    }

    @MainActor final class UIAlertController {
        enum Style { case alert }
        init(title: String, message: String, preferredStyle: Style) {}
        func addAction(_ action: UIAlertAction) {}
    }

    @MainActor final class UIAlertAction {
        enum Style { case cancel, destructive }
        init(title: String, style: Style, handler: ((UIAlertAction) -> Void)? = nil) {}
    }
#endif

/// The reader's screen.
class ViewController: Screen {
    let stackView = UIStackView()
    let customStyle = StoredInstrumentsStyle()
    let customTranslations = StoredInstrumentsTranslations()
    var payrails: Payrails.Session?
    var storedInstrumentsView = Payrails.createStoredInstruments()

    func confirmAndDeleteInstrument(_ instrument: any StoredInstrument) {}
    func showReauthenticationDialog() {}
    func showAlternativePaymentMethods() {}
    func refreshStoredInstruments() {}
    func showGenericErrorMessage() {}
}

extension Screen {
    func showSuccessMessage(_ text: String) {}
    func showErrorMessage(_ text: String) {}
}

extension ViewController: PayrailsStoredInstrumentViewDelegate {
    func storedInstrumentView(_ view: StoredInstrumentView, didSelectInstrument instrument: any StoredInstrument) {}
    func storedInstrumentView(_ view: StoredInstrumentView, didDeselectInstrument instrument: any StoredInstrument) {}
    func storedInstrumentView(
        _ view: StoredInstrumentView, didCompletePaymentForInstrument instrument: any StoredInstrument
    ) {}
    func storedInstrumentView(
        _ view: StoredInstrumentView, didFailPaymentForInstrument instrument: any StoredInstrument,
        error: PayrailsError
    ) {}
    func storedInstrumentView(
        _ view: StoredInstrumentView, didRequestDeleteInstrument instrument: any StoredInstrument
    ) {}
}

// The guide does not print how a presenter looks: the vendor's way where there is UIKit.
#if canImport(UIKit)
    extension ViewController: PaymentPresenter {
        func presentPayment(_ viewController: UIViewController) { present(viewController, animated: true) }
    }
#else
    extension ViewController: PaymentPresenter {
        func presentPayment(_ page: PageRequest) async throws -> PaymentLink? { nil }
    }
#endif
