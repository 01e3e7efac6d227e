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
    /// The payment ended without a success that is known: it failed, the payer left, or it goes on by itself.
    /// `CardPaymentButton.lastResult` says which.
    func onAuthorizeFailed(_ button: CardPaymentButton)

    /// The payment failed, with the reason, as in the vendor's later releases; also when the payer left. By default it
    /// calls ``onAuthorizeFailed(_:)``.
    func onAuthorizeFailed(_ button: CardPaymentButton, failure: AuthorizationFailure)
    /// The payment goes on without the payer; its outcome is not known yet. By default it calls
    /// ``onAuthorizeFailed(_:)``, so that whoever shows that something is under way stops.
    func onAuthorizePending(_ button: CardPaymentButton)
    /// The button pays with another instrument from now on; nil stands for the card form.
    func onStoredInstrumentChanged(_ button: CardPaymentButton, instrument: (any StoredInstrument)?)
}

extension PayrailsCardPaymentButtonDelegate {
    /// Calls ``onAuthorizeFailed(_:)``.
    public func onAuthorizeFailed(_ button: CardPaymentButton, failure: AuthorizationFailure) {
        onAuthorizeFailed(button)
    }
    /// Calls ``onAuthorizeFailed(_:)``.
    public func onAuthorizePending(_ button: CardPaymentButton) { onAuthorizeFailed(button) }
    /// Nothing.
    public func onStoredInstrumentChanged(_ button: CardPaymentButton, instrument: (any StoredInstrument)?) {}
}
