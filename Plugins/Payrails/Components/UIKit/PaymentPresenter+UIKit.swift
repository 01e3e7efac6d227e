#if canImport(UIKit) && !os(watchOS) && !os(tvOS)
    public import PaymentCore
    public import PayrailsTypes
    public import UIKit

    extension PaymentPresenter {
        /// Hands over a view controller that shows `page`, as the vendor's SDK does, and waits until the payer has left
        /// it.
        ///
        /// - Throws: ``PaymentPageError`` when nobody shows it.
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

        /// Nil: nothing is kept.
        public var encryptedCardData: String? {
            get { nil }
            set {}
        }

        /// Hands over the encrypted card, as the vendor's SDK does.
        func take(encryptedCard: String) { encryptedCardData = encryptedCard }
    }

    /// Why a page of a payment is not shown.
    public enum PaymentPageError: Error, Sendable, CustomStringConvertible {
        /// The presenter is no view controller, and has no `presentPayment` of its own.
        case noPresenter

        /// One sentence for people.
        public var description: String {
            "There is no presenter for the payment's page: give PaymentPresenter a presentPayment(_:), or make it a view controller."
        }
    }
#endif
