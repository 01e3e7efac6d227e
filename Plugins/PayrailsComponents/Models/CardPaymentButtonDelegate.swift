public import PayrailsTypes

/// Hears what becomes of a ``CardPaymentButton``.
///
/// The first four are the guide's. The others have defaults, so that code written after the guide needs none of them.
@MainActor public protocol PayrailsCardPaymentButtonDelegate: AnyObject {
    /// The payer tapped the button.
    func onPaymentButtonClicked(_ button: CardPaymentButton)
    /// The service confirmed the payment.
    func onAuthorizeSuccess(_ button: CardPaymentButton)
    /// The payer has to pass a check on a page of the bank. Only for payments with the card form.
    func onThreeDSecureChallenge(_ button: CardPaymentButton)
    /// The payment failed. Not called when the payer left.
    func onAuthorizeFailed(_ button: CardPaymentButton)

    /// The payment failed, with the reason, as in the vendor's later releases; also when the payer left. By default it
    /// calls ``onAuthorizeFailed(_:)``, except when the payer left.
    func onAuthorizeFailed(_ button: CardPaymentButton, failure: AuthorizationFailure)
    /// The payment goes on without the payer; its outcome is not known yet.
    func onAuthorizePending(_ button: CardPaymentButton)
    /// The button pays with another instrument from now on; nil stands for the card form.
    func onStoredInstrumentChanged(_ button: CardPaymentButton, instrument: (any StoredInstrument)?)
}

extension PayrailsCardPaymentButtonDelegate {
    /// Calls ``onAuthorizeFailed(_:)``, except when the payer left.
    public func onAuthorizeFailed(_ button: CardPaymentButton, failure: AuthorizationFailure) {
        if failure.code != .userCancelled { onAuthorizeFailed(button) }
    }
    /// Nothing.
    public func onAuthorizePending(_ button: CardPaymentButton) {}
    /// Nothing.
    public func onStoredInstrumentChanged(_ button: CardPaymentButton, instrument: (any StoredInstrument)?) {}
}
