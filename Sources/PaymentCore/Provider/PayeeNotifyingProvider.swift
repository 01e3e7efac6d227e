/// A provider whose payees are told of what was paid by a message of this side's own, which can be lost after the
/// payment.
///
/// Routers ask it whenever an attempt that the payer's settler has paid is come to again, by `pay` or `resume`.
package protocol PayeeNotifyingProvider: PaymentProvider {
    /// Sees to it that the payee of a paid attempt is told. Pays nothing, and says nothing twice.
    ///
    /// - Parameters:
    ///   - receipt: how the attempt has ended.
    ///   - attempt: the attempt.
    ///   - context: in which only questions can be asked.
    /// - Throws: why they cannot be told now. It is paid all the same.
    func notifyPayee(_ receipt: PaymentReceipt, of attempt: PaymentAttempt, in context: ProviderContext) async throws
}
