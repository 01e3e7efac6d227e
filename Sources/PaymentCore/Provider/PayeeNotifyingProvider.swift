/// A provider that notifies payees of payments by a message from its own side, which can be lost after the payment.
///
/// Routers call it whenever `pay` or `resume` returns to an attempt that the payer's settler has paid.
package protocol PayeeNotifyingProvider: PaymentProvider {
    /// Notifies the payee of a paid attempt, at most once. Pays nothing.
    ///
    /// - Parameters:
    ///   - receipt: the receipt of the attempt.
    ///   - attempt: the attempt.
    ///   - context: a context that permits only queries.
    /// - Throws: the error that prevents the notification now. The payment is made all the same.
    func notifyPayee(_ receipt: PaymentReceipt, of attempt: PaymentAttempt, in context: ProviderContext) async throws
}
