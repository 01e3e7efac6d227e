public import PaymentCore

/// Events as they happen.
extension PaymentRouter {
    /// Returns all events of this router from now on, in the order in which they happen to each payment.
    ///
    /// Ends when the router is gone, or the listener is cancelled. A slow consumer misses the oldest events, so that no
    /// payment waits for it; the journal is authoritative.
    ///
    /// ```swift
    /// Task { for await event in router.events() { logger.info("\(event)") } }
    /// ```
    ///
    /// - Parameter limit: the most events that wait for a slow consumer.
    public func events(limit: Int = 256) -> AsyncStream<PaymentEvent> {
        effects.listeners.listen(to: nil, limit: limit)
    }

    /// Returns the events of one payment or refund from now on, in this router. Ends after a final outcome.
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
    ///   - limit: the most events that wait for a slow consumer; the oldest are dropped.
    public func events(of payment: PaymentReference, limit: Int = 256) -> AsyncStream<PaymentEvent> {
        effects.listeners.listen(to: payment, limit: limit)
    }
}
