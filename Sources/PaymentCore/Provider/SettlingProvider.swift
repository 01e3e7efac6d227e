/// A provider whose payments only the payer's settler sees: no service can be asked about them.
///
/// The stored entries of the attempts are all that is known of a payment, so that routers read its status from their
/// journal. An attempt whose end is not known is resumed, which asks the settler: by `resume`, `recover`, or paying the
/// link again.
public protocol SettlingProvider: PaymentProvider {
    /// Asks the payer's settler about an attempt that it was asked to pay, by the attempt's name alone. Sends nothing
    /// that could move money. `PaymentSettlement` implements it for every provider that pays by `settle(_:to:)`.
    ///
    /// - Parameters:
    ///   - attempt: the attempt.
    ///   - context: the payer, whose settler it is.
    /// - Throws: ``PaymentError``, when the settler does not say, or does not know the name.
    func settlement(of attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport
}

extension SettlingProvider {
    /// Reports nothing, since no service can be asked. Routers answer from their journal instead.
    ///
    /// - Throws: nothing.
    public func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        .unknown(
            UnknownOutcome(
                reference: payment,
                message: "no service knows of this payment, only the payer's settler: resume its attempt to ask it"))
    }
}

/// A provider some of whose links name a payee and no single payment: paying such a link again is another payment.
///
/// Its ``LinkMatch/namesPayee`` marks those links. Routers give each of their payments its own id, drawn when it is
/// quoted. While a payment to a payee is open that may have moved money, no other one to the same payee begins.
public protocol PayeeProvider: PaymentProvider {
    /// Returns the payee of an option, in the form of ``LinkMatch/reference`` of the payee's links; nil where it
    /// belongs to a payment that its link names. Pure.
    ///
    /// - Parameter option: an option of this provider, as it was quoted.
    func payee(of option: PaymentMethodOption) -> String?
}
