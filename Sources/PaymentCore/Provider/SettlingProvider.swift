/// A provider whose payments nobody but the payer's settler sees: there is no service that could be asked about them.
///
/// What the attempts have stored is all that is known of a payment, so that routers tell its status from their journal.
/// An attempt whose end is not known is gone on with, which asks the settler: `resume`, `recover`, or paying the link
/// again.
public protocol SettlingProvider: PaymentProvider {}

extension SettlingProvider {
    /// Returns that nobody can be asked. Routers answer from their journal instead.
    ///
    /// - Throws: nothing.
    public func status(of payment: PaymentReference, in context: ProviderContext) async throws -> PaymentOutcome {
        .unknown(
            UnknownOutcome(
                reference: payment,
                message: "no service knows of this payment, only the payer's settler: resume its attempt to ask it"))
    }
}

/// A provider some of whose links name a payee and no single payment: paying such a link again is another payment.
///
/// Its ``LinkMatch/namesPayee`` says which links those are. Routers give each of their payments an id of its own, drawn
/// when it is quoted. While a payment to a payee is open that may have moved money, no other one to the same payee
/// begins.
public protocol PayeeProvider: PaymentProvider {
    /// Returns whom an option pays, as ``LinkMatch/reference`` of the payee's links has it; nil where it belongs to a
    /// payment that its link names. Pure.
    ///
    /// - Parameter option: an option of this provider's, as it was quoted.
    func payee(of option: PaymentMethodOption) -> String?
}
