public import PaymentCore

#if canImport(UIKit) && !os(watchOS) && !os(tvOS)
    public import UIKit
#endif

/// Shows the pages that a payment needs: 3-D Secure challenges, PayPal approval, redirects.
///
/// The vendor's protocol hands over a view controller with a web view in it. Where there is UIKit, a presenter may be
/// written either way, and a view controller need not be written at all: each requirement has a default that uses the
/// other. Elsewhere the page is a value, so that an app can show it its own way and so that there are payments without
/// a screen.
@MainActor
public protocol PaymentPresenter: AnyObject, Sendable {
    /// Shows `page` and returns when the payer has left it: the return URL that the page led to, whose page is not to
    /// be loaded any more, or nil when the payer closed it.
    ///
    /// The task is cancelled when the page is no longer needed, because the service told of an ending meanwhile; the
    /// page is to be closed then.
    ///
    /// - Throws: any error when the page cannot be shown, which says nothing about the payment.
    func presentPayment(_ page: PageRequest) async throws -> PaymentLink?

    #if canImport(UIKit) && !os(watchOS) && !os(tvOS)
        /// Shows a view controller with a page of the payment in it, which closes itself when it is done. The vendor's
        /// requirement.
        func presentPayment(_ viewController: UIViewController)

        /// The card that was collected last, encrypted for the service. The vendor's requirement.
        var encryptedCardData: String? { get set }
    #endif
}
