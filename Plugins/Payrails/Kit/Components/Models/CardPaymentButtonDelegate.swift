public import PayrailsProvider

/// The delegate of a ``CardPaymentButton``; receives its events.
///
/// The first four methods are the guide's. The others have defaults, so that code written after the guide needs none of
/// them.
@MainActor public protocol PayrailsCardPaymentButtonDelegate: AnyObject {
    /// Reports that the payer tapped the button.
    func onPaymentButtonClicked(_ button: CardPaymentButton)
    /// Reports that the service confirmed the payment.
    func onAuthorizeSuccess(_ button: CardPaymentButton)
    /// Reports that the payer has to pass a check on a page of the bank. Only for payments with the card form.
    func onThreeDSecureChallenge(_ button: CardPaymentButton)
    /// Reports an end without a known success: the payment failed, the payer left, or the payment continues without the
    /// payer. `CardPaymentButton.lastResult` has the result.
    func onAuthorizeFailed(_ button: CardPaymentButton)

    /// Reports that the payment failed, with the reason, as in the vendor's later releases; also that the payer left.
    /// By default it calls ``onAuthorizeFailed(_:)``.
    func onAuthorizeFailed(_ button: CardPaymentButton, failure: AuthorizationFailure)
    /// Reports that the payment continues without the payer; its outcome is not yet known. By default it calls
    /// ``onAuthorizeFailed(_:)``, so that an app stops its progress indicator.
    func onAuthorizePending(_ button: CardPaymentButton)
    /// Reports that the button pays with another instrument from now on; nil stands for the card form.
    func onStoredInstrumentChanged(_ button: CardPaymentButton, instrument: (any StoredInstrument)?)
}

extension PayrailsCardPaymentButtonDelegate {
    /// Calls ``onAuthorizeFailed(_:)``.
    public func onAuthorizeFailed(_ button: CardPaymentButton, failure: AuthorizationFailure) {
        onAuthorizeFailed(button)
    }
    /// Calls ``onAuthorizeFailed(_:)``.
    public func onAuthorizePending(_ button: CardPaymentButton) { onAuthorizeFailed(button) }
    /// Does nothing.
    public func onStoredInstrumentChanged(_ button: CardPaymentButton, instrument: (any StoredInstrument)?) {}
}
