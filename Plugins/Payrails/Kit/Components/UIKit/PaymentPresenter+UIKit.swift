#if canImport(UIKit) && !os(watchOS) && !os(tvOS)
    public import PaymentCore
    public import PayrailsProvider
    public import UIKit

    extension PaymentPresenter {
        /// Passes on a view controller that shows `page`, as the vendor's SDK does, and waits until the payer has left
        /// it.
        ///
        /// - Throws: ``PaymentPageError`` if no presenter shows it.
        public func presentPayment(_ page: PageRequest) async throws -> PaymentLink? {
            let controller = PaymentPageController(page)
            presentPayment(controller)
            return try await controller.visit()
        }

        /// Shows `viewController` over this one, if this is a view controller.
        public func presentPayment(_ viewController: UIViewController) {
            if let self = self as? UIViewController {
                self.present(viewController, animated: true)
            } else {
                (viewController as? PaymentPageController)?.cannotBeShown()
            }
        }

        /// Nil: the card is not kept.
        public var encryptedCardData: String? {
            get { nil }
            set {}
        }

        /// Sets ``encryptedCardData``, as the vendor's SDK does.
        func take(encryptedCard: String) { encryptedCardData = encryptedCard }
    }

    /// A failure to show a page of a payment.
    public enum PaymentPageError: Error, Sendable, CustomStringConvertible {
        /// The presenter is not a view controller, and does not implement `presentPayment`.
        case noPresenter

        /// One sentence for people, in English.
        public var description: String {
            "There is no presenter for the payment's page: give PaymentPresenter a presentPayment(_:), or make it a view controller."
        }
    }
#endif
