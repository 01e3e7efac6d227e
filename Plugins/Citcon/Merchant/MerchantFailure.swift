import CitconProvider
import PaymentCore

extension CitconCallError {
    /// The failure as a merchant's server sees it.
    func merchantError(isMutation: Bool, of merchant: ProviderID) -> PaymentError {
        let error = ErrorTable.error(self, isMutation: isMutation, at: merchant)
        guard error.code == .unauthorized else { return error }
        return PaymentError(
            .unauthorized, "Citcon accepts neither the merchant's private key nor a token that it gave for it",
            provider: merchant, phase: .answered, vendorCode: error.vendorCode)
    }
}

/// Runs `work` and turns its failure into a merchant's error.
func asMerchant<Value>(
    _ merchant: ProviderID, isMutation: Bool = false, _ work: () async throws(CitconCallError) -> Value
) async throws(PaymentError) -> Value {
    do { return try await work() } catch { throw error.merchantError(isMutation: isMutation, of: merchant) }
}
