import PaymentCore

extension CPayStatus {
    /// What this state of a charge or a refund means to the merchant. Money that is only set aside is not there yet: the
    /// merchant has to capture it.
    func merchantOutcome(
        of payment: PaymentReference, amount: Money?, transactionID: String?, rawStatus: String? = nil
    ) -> PaymentOutcome {
        switch self {
        case .succeeded:
            .succeeded(PaymentReceipt(reference: payment, amount: amount, transactionID: transactionID))
        case .initiated, .pending, .authorized: .pending(retryAfter: nil)
        case .failed: .declined(DeclineReason(.refused, "Citcon reports that it failed"))
        case .canceled: .cancelled
        case .expired: .expired
        case .unknown(let word):
            .unknown(
                UnknownOutcome(
                    reference: payment, rawStatus: Self.printable(rawStatus ?? word),
                    message: "Citcon reports a state that this version does not know"))
        }
    }

    /// A foreign word cut to what may be shown.
    static func printable(_ text: String) -> String {
        String(
            decoding: text.utf8.prefix(40).map { (0x20..<0x7F).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }
}

extension TransactionFields {
    /// The amount in minor units of the currency, where both are stated and make sense.
    var money: Money? { money(amount) }

    func money(_ units: Int?) -> Money? {
        guard let units = units.flatMap({ UInt128(exactly: $0) }), let currency,
            let fiat = try? FiatCurrency(currency.uppercased())
        else { return nil }
        return try? Money(minorUnits: units, currency: .fiat(fiat))
    }

    /// What it means to the merchant.
    func merchantOutcome(of payment: PaymentReference) -> PaymentOutcome {
        (state ?? .unknown("")).merchantOutcome(of: payment, amount: money, transactionID: id)
    }
}
