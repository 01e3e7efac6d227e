public import PaymentCore

/// A wallet that asks the nodes of offers for invoices (BOLT 12).
public protocol OfferWallet: LightningWallet {
    /// Has the node of an offer make an invoice. Pays nothing.
    ///
    /// - Parameters:
    ///   - offer: the offer's text.
    ///   - amount: the amount to pay, in thousandths of a satoshi.
    /// - Returns: the invoice's text, which begins with `lni1`. The settler checks that it is the offer's.
    /// - Throws: ``PaymentError``; nothing was paid then.
    func invoice(of offer: String, over amount: UInt64) async throws(PaymentError) -> String
}

extension SettlementEndpoint.Kind {
    /// An invoice that a node made for an offer (BOLT 12): it is paid once, as one of BOLT 11 is.
    public static let bolt12Invoice = SettlementEndpoint.Kind(rawValue: "bolt12-invoice")
}
