import PaymentCore

extension StatusBody {
    /// What this status means. A word that is not known is never success or failure.
    func outcome(of payment: PaymentReference) -> PaymentOutcome {
        switch status {
        case .succeeded:
            .succeeded(
                PaymentReceipt(
                    reference: payment, amount: (info?.optionAmount).flatMap { try? $0.money() },
                    transactionID: info?.txId))
        case .failed:
            failureCode == nil
                ? .declined(DeclineReason(.refused, "the service reports that the payment failed"))
                : .declined(.payer)
        case .expired: .expired
        case .cancelled: .cancelled
        case .requiresAction, .processing:
            .pending(retryAfter: pollInMs.map { Double(max(0, $0)) / 1000 })
        case .unknown(let word):
            .unknown(
                UnknownOutcome(
                    reference: payment, rawStatus: Self.printable(word),
                    message: "the service reports a state that this version does not know"))
        }
    }

    /// A foreign word cut to what may be shown.
    static func printable(_ text: String) -> String {
        String(decoding: text.utf8.prefix(40).map { $0 > 0x20 && $0 < 0x7F ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }
}

extension DeclineReason {
    /// The service refuses this payer for legal reasons.
    static let payer = DeclineReason(.compliance, "the service declined this payer")
}

extension PayAmount {
    /// The exact amount.
    ///
    /// - Throws: ``MoneyError`` when unit, value or decimals are malformed.
    func money() throws -> Money {
        guard let exponent = UInt8(exactly: display.decimals) else {
            throw PaymentError(.invalidResponse, "an amount has \(display.decimals) decimals")
        }
        return try Money(minorUnitText: value, currency: try Currency(unit: unit), exponent: exponent)
    }
}
