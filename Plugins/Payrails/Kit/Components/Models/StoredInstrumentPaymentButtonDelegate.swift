/// The delegate of a ``StoredInstrumentPaymentButton``; receives its events.
@available(*, deprecated, message: "Conform to PayrailsCardPaymentButtonDelegate.")
@MainActor public protocol PayrailsStoredInstrumentPaymentButtonDelegate: AnyObject {
    /// Reports that the payer tapped the button.
    func onPaymentButtonClicked(_ button: StoredInstrumentPaymentButton)
    /// Reports that the service confirmed the payment.
    func onAuthorizeSuccess(_ button: StoredInstrumentPaymentButton)
    /// Reports an end without a known success: the payment failed, the payer left, or the payment continues without the
    /// payer.
    func onAuthorizeFailed(_ button: StoredInstrumentPaymentButton)
}

@available(*, deprecated)
extension StoredInstrumentPaymentButton: PayrailsCardPaymentButtonDelegate {
    /// Notifies the delegate.
    public func onPaymentButtonClicked(_ button: CardPaymentButton) { delegate?.onPaymentButtonClicked(self) }
    /// Notifies the delegate.
    public func onAuthorizeSuccess(_ button: CardPaymentButton) { delegate?.onAuthorizeSuccess(self) }
    /// Never called for stored instruments.
    public func onThreeDSecureChallenge(_ button: CardPaymentButton) {}
    /// Notifies the delegate.
    public func onAuthorizeFailed(_ button: CardPaymentButton) { delegate?.onAuthorizeFailed(self) }
}
