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
        /// An address or offer whose service or node makes an invoice over this amount, in thousandths of a satoshi.
        case maker(UInt64)
        /// An address on the chain, with the amount in satoshi.
        case address(UInt64, any ChainWallet)
        case unusable(String)
    }

    /// Reads the settlement's invoice again from its own text.
    func read(_ settlement: Settlement) -> Reading {
        let endpoint = settlement.endpoint
        guard canSettle(endpoint.kind, on: endpoint.network) else {
            return .unusable("\(wallet.name) does not pay \(endpoint.kind) here; it is on \(network)")
        }
        if endpoint.kind != .bolt11 {
            guard SettlementOffer.offer(endpoint, reader)?.takes(settlement.amount) == true,
                let amount = Self.thousandths(settlement.amount)
            else { return .unusable("\(endpoint.kind) cannot be paid this amount") }
            guard endpoint.kind == .bitcoinAddress, let chain = wallet as? any ChainWallet else {
                return .maker(amount)
            }
            guard comment(settlement) == nil else { return .unusable("an address takes no comment; leave it out") }
            return amount % 1000 == 0
                ? .address(amount / 1000, chain) : .unusable("the chain has no amounts below a satoshi")
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

    /// Has an invoice made, which is then the only one that its order pays.
    func made(
        _ settlement: Settlement, over amount: UInt64
    ) async throws(PaymentError) -> (WalletInvoice, Date?, ServiceMessage?) {
        if settlement.endpoint.kind == .bolt12Offer, let wallet = wallet as? any OfferWallet {
            guard comment(settlement) == nil else {
                throw PaymentError(.payer, "comments are not sent to the node of an offer; leave it out")
            }
            let made = try await OfferInvoice(
                wallet.invoice(of: settlement.endpoint.text, over: amount), of: settlement.endpoint.text, over: amount,
                on: network, feeLimit: feeLimit.limit(for: amount), reader)
            return (made.invoice, made.expiresAt, nil)
        }
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
