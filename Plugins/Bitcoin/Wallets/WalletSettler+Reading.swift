import PaymentCore
import PaymentSettlement

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The invoice of a settlement: read from its text, or made by the service of an address.
extension WalletSettler {
    enum Reading {
        case invoice(WalletInvoice, until: Date?)
        /// The address of a service that makes an invoice over this amount.
        case service(UInt64)
        case unusable(String)
    }

    /// Reads the settlement's invoice again from its own text.
    func read(_ settlement: Settlement) -> Reading {
        let endpoint = settlement.endpoint
        guard canSettle(endpoint.kind, on: endpoint.network) else {
            return .unusable("\(wallet.name) pays Lightning invoices of \(network) only")
        }
        if endpoint.kind != .bolt11 {
            guard SettlementOffer.offer(endpoint, reader)?.takes(settlement.amount) == true,
                let amount = Self.thousandths(settlement.amount)
            else { return .unusable("the address cannot be paid this amount") }
            return .service(amount)
        }
        guard comment(settlement) == nil else { return .unusable("an invoice takes no comment; leave it out") }
        guard let hash = endpoint.paymentHash, let offer = SettlementOffer.offer(endpoint, reader),
            offer.takes(settlement.amount), let amount = Self.thousandths(settlement.amount)
        else { return .unusable("the invoice does not ask for this payment") }
        var isAmountless = true
        if case .fixed = offer.amount { isAmountless = false }
        return .invoice(
            WalletInvoice(
                text: endpoint.text, paymentHash: hash, amount: amount, isAmountless: isAmountless,
                feeLimit: feeLimit.limit(for: amount)), until: offer.expiresAt)
    }

    /// Has a service make an invoice, which is then the only one that its order pays.
    func made(
        _ settlement: Settlement, over amount: UInt64
    ) async throws(PaymentError) -> (WalletInvoice, Date?, ServiceMessage?) {
        guard let services else { throw PaymentError(.payer, "services are not asked for invoices here") }
        let made = try await services.invoice(of: settlement.endpoint, over: amount, comment: comment(settlement))
        let invoice = WalletInvoice(
            text: made.endpoint.text, paymentHash: made.endpoint.paymentHash ?? "", amount: amount,
            isAmountless: false, feeLimit: feeLimit.limit(for: amount))
        return (invoice, made.expiresAt, made.successAction.map { ServiceMessage(host: made.host, text: $0.text) })
    }

    static func thousandths(_ money: Money) -> UInt64? {
        guard money.currency == .satoshi, let units = Int64(exactly: money.minorUnits).map(UInt64.init) else {
            return nil
        }
        switch money.exponent {
        case 8: return units <= UInt64(Int64.max) / 1000 ? units * 1000 : nil
        case 11: return units
        default: return nil
        }
    }
}
