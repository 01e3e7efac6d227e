/// Hears what becomes of a ``StoredInstrumentPaymentButton``.
@available(*, deprecated, message: "Conform to PayrailsCardPaymentButtonDelegate.")
@MainActor public protocol PayrailsStoredInstrumentPaymentButtonDelegate: AnyObject {
    /// The payer tapped the button.
    func onPaymentButtonClicked(_ button: StoredInstrumentPaymentButton)
    /// The service confirmed the payment.
    func onAuthorizeSuccess(_ button: StoredInstrumentPaymentButton)
    /// The payment ended without a success that is known: it failed, the payer left, or it goes on by itself.
    func onAuthorizeFailed(_ button: StoredInstrumentPaymentButton)
}

@available(*, deprecated)
extension StoredInstrumentPaymentButton: PayrailsCardPaymentButtonDelegate {
    /// Tells the delegate.
    public func onPaymentButtonClicked(_ button: CardPaymentButton) { delegate?.onPaymentButtonClicked(self) }
    /// Tells the delegate.
    public func onAuthorizeSuccess(_ button: CardPaymentButton) { delegate?.onAuthorizeSuccess(self) }
    /// Never called for stored instruments.
    public func onThreeDSecureChallenge(_ button: CardPaymentButton) {}
    /// Tells the delegate.
    public func onAuthorizeFailed(_ button: CardPaymentButton) { delegate?.onAuthorizeFailed(self) }
}
