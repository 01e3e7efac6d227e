public import PaymentCore

extension CoreLightningWallet: OfferWallet {
    /// Has the offer's node make an invoice. It may take half a minute.
    ///
    /// - Throws: ``PaymentError``; nothing was paid then.
    public func invoice(of offer: String, over amount: UInt64) async throws(PaymentError) -> String {
        let body = try await call(
            "fetchinvoice",
            ["offer": .string(offer), "amount_msat": .number(JSONNumber(amount)), "timeout": 30], timeout: .seconds(60))
        guard let text = body["invoice"]?.string else { throw unreadable("invoice") }
        return text
    }
}
