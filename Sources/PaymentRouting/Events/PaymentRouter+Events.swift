public import PaymentCore

/// What happens, as it happens.
extension PaymentRouter {
    /// Everything that happens in this router from now on, in the order in which it happens to each payment.
    ///
    /// Ends when the router is gone, or who listens is cancelled. A listener that does not keep up loses the oldest
    /// events, so that no payment waits for it; what counts is in the journal.
    ///
    /// ```swift
    /// Task { for await event in router.events() { logger.info("\(event)") } }
    /// ```
    ///
    /// - Parameter limit: how many events wait for a slow listener at most.
    public func events(limit: Int = 256) -> AsyncStream<PaymentEvent> {
        effects.listeners.listen(to: nil, limit: limit)
    }

    /// What happens to one payment or refund from now on, in this router. Ends after a final outcome.
    ///
    /// Listen before paying, so that nothing is missed:
    ///
    /// ```swift
    /// let events = router.events(of: quote.reference)
    /// async let outcome = router.pay(quote, option: id, as: payer)
    /// for await event in events { screen.show(event) }
    /// ```
    ///
    /// - Parameters:
    ///   - payment: the payment or refund.
    ///   - limit: how many events wait for a slow listener at most; the oldest are dropped.
    public func events(of payment: PaymentReference, limit: Int = 256) -> AsyncStream<PaymentEvent> {
        effects.listeners.listen(to: payment, limit: limit)
    }
}
