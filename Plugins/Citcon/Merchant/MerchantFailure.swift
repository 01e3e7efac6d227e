import CitconProvider
import PaymentCore
import ServiceSupport

extension CitconCallError {
    /// Returns the error for a merchant's server.
    func merchantError(isMutation: Bool, of merchant: ProviderID) -> PaymentError {
        let error = ErrorTable.citcon.paymentError(from: self, isMutation: isMutation, at: merchant)
        guard error.code == .unauthorized else { return error }
        return error.with(
            message: "Citcon accepts neither the merchant's private key nor a token that it gave for it",
            phase: .answered)
    }
}

/// Runs `work` and maps its failure to a merchant's error.
func asMerchant<Value>(
    _ merchant: ProviderID, isMutation: Bool = false, _ work: () async throws(CitconCallError) -> Value
) async throws(PaymentError) -> Value {
    do { return try await work() } catch { throw error.merchantError(isMutation: isMutation, of: merchant) }
}
