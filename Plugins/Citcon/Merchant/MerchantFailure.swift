import PaymentCore

extension CitconCallError {
    /// The failure as a merchant's server sees it.
    func merchantError(isMutation: Bool) -> PaymentError {
        let error = ErrorTable.error(self, isMutation: isMutation)
        guard error.code == .unauthorized else { return error }
        return PaymentError(
            .unauthorized, "Citcon accepts neither the merchant's private key nor a token that it gave for it",
            provider: CitconMerchant.id, phase: .answered, vendorCode: error.vendorCode)
    }
}

/// Runs `work` and turns its failure into a merchant's error.
func asMerchant<Value>(
    isMutation: Bool = false, _ work: () async throws(CitconCallError) -> Value
) async throws(PaymentError) -> Value {
    do { return try await work() } catch { throw error.merchantError(isMutation: isMutation) }
}
