public import PaymentCore

#if canImport(UIKit) && !os(watchOS) && !os(tvOS)
    public import UIKit
#endif

/// The vendor's entry point; see `Payrails/createSession(with:onSessionExpired:transport:clock:random:)`.
///
/// A process-wide facade over one current `PayrailsSession`, as in the vendor's guide. Servers and tests create their
/// own sessions.
public enum Payrails {
    /// A kind of payment that a session can carry out.
    public enum PaymentType: String, Sendable, Hashable, Codable, CaseIterable {
        /// PayPal.
        case payPal
        /// Apple Pay.
        case applePay
        /// A payment card.
        case card
        /// Any method that is completed on a separate page.
        case genericRedirect
    }
}

/// An amount in the service's form.
public struct PayrailsAmount: Sendable, Hashable, Codable {
    /// A decimal number of main units, such as `185.00`.
    public let value: String
    /// The ISO 4217 code.
    public let currency: String

    /// Creates an amount.
    public init(value: String, currency: String) {
        self.value = value
        self.currency = currency
    }
}

extension PayrailsAmount {
    /// Returns the exact amount. Zeros beyond the currency's own digits are dropped.
    ///
    /// - Throws: `MoneyError`.
    package func money() throws -> Money {
        let currency = Currency.fiat(try FiatCurrency(currency))
        var text = value
        if let point = text.firstIndex(of: "."), let digits = currency.exponent {
            while text.hasSuffix("0"), text.distance(from: point, to: text.endIndex) - 1 > Int(digits) {
                text.removeLast()
            }
            if text.hasSuffix(".") { text.removeLast() }
        }
        return try Money(decimal: text, currency: currency)
    }

    /// Returns true if `other` is the same amount, however many zeros follow.
    func isSame(as other: PayrailsAmount) -> Bool {
        if self == other { return true }
        guard let own = try? money(), let theirs = try? other.money() else { return false }
        return own == theirs
    }
}

/// Shows the pages that a payment needs: 3-D Secure challenges, PayPal approval, redirects.
///
/// The vendor's protocol passes a view controller with a web view in it. With UIKit, a presenter may implement either
/// method, and a view controller needs neither: each requirement has a default that uses the other. Elsewhere the page
/// is a value, so an app can show it in any way, and payments work without a screen.
@MainActor
public protocol PaymentPresenter: AnyObject, Sendable {
    /// Shows `page` and returns when the payer has left it: the return URL that the page led to, which must not be
    /// loaded any more, or nil if the payer closed the page.
    ///
    /// The task is cancelled when the page is no longer needed, because the service reported a final status in the
    /// meantime. Close the page then.
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
