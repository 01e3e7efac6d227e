package import PaymentCore
import PaymentCrypto

extension LinkMatch {
    /// Names the payment of a text by its offers, one name for every spelling; nil without an offer.
    ///
    /// - An invoice is a payment by itself, and its payment hash names it, also inside of a link with an address. The
    ///   same link without the invoice is another payment: nothing in its text leads to the invoice, and an address may
    ///   be paid for many orders.
    /// - A fixed amount is a payment: its destination, the amount, and the label and message name it. Of several
    ///   destinations the address does, because a payee that leaves out the offer next to it still has the same.
    /// - Anything else names the payee by the destination: each payment to it is another one.
    ///
    /// Texts are compared as they are after decoding, byte by byte. Parameters that neither move money elsewhere nor
    /// describe the order are no part of the name.
    package init?(settling offers: [SettlementOffer]) {
        let trust = offers.lazy.compactMap(\.unclear).first.map { names in
            Trust.unclear(reason: "'\(names)' is not known, and could change coin, amount, payee or time")
        }
        if let hash = offers.lazy.compactMap(\.endpoint.paymentHash).first {
            self.init(reference: hash, trust: trust ?? .verified, holdsSecret: false)
            return
        }
        guard let offer = offers.first(where: { $0.endpoint.kind == .bitcoinAddress }) ?? offers.first else {
            return nil
        }
        let destination = offer.endpoint.text
        let amounts = offers.compactMap { if case .fixed(let money) = $0.amount { money } else { nil } }
        guard let amount = amounts.first else {
            self.init(
                reference: destination, trust: trust ?? .verified, holdsSecret: false, namesPayee: true)
            return
        }
        // Thousandths of a satoshi are counted in another unit.
        let unit = amount.exponent == Currency.satoshi.exponent ? "" : "e\(amount.exponent)"
        let label = offer.label.map { ":" + Hex.encode(Digest.sha256.hash(Array($0.utf8))).prefix(32) }
        self.init(
            reference: "\(destination):\(amount.minorUnitText)\(unit)\(label ?? "")", trust: trust ?? .verified,
            holdsSecret: false)
    }
}
