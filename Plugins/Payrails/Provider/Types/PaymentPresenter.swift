public import PaymentCore

#if canImport(UIKit) && !os(watchOS) && !os(tvOS)
    public import UIKit
#endif

/// Shows the pages that a payment needs: 3-D Secure challenges, PayPal approval, redirects.
///
/// The vendor's protocol passes a view controller with a web view in it. With UIKit, a presenter may implement either
/// method, and a view controller needs neither: each requirement has a default that uses the other. Elsewhere the page
/// is a value, so that an app can show it in any way and payments work without a screen.
@MainActor
public protocol PaymentPresenter: AnyObject, Sendable {
    /// Shows `page` and returns when the payer has left it: the return URL that the page led to, which must not be
    /// loaded any more, or nil if the payer closed the page.
    ///
    /// The task is cancelled when the page is no longer needed, because the service reported a final status meanwhile;
    /// close the page then.
    ///
    /// - Throws: any error if the page cannot be shown; the error does not determine the payment's outcome.
    func presentPayment(_ page: PageRequest) async throws -> PaymentLink?

    #if canImport(UIKit) && !os(watchOS) && !os(tvOS)
        /// Shows a view controller with a page of the payment in it, which closes itself at the end of the visit. The
        /// vendor's requirement.
        func presentPayment(_ viewController: UIViewController)

        /// The latest collected card, encrypted for the service. The vendor's requirement.
        var encryptedCardData: String? { get set }
    #endif
}
