import PaymentCore

/// The common parts of Lightning's standards.
enum LightningText {
    /// Returns a bare text, or the text behind the scheme and, in some writers' form, `//`.
    static func payload(of source: inout PaymentText) -> TextPart {
        let payload = source.payload().trimmed
        return source.link.form == .web ? payload.dropFirst(2) : payload
    }

    /// Returns an amount in thousandths of a satoshi: in satoshi where it is whole, otherwise as finely as needed.
    static func amount(msat: UInt64) -> PaymentInstruction.Amount {
        let isWhole = msat % 1000 == 0
        let money = try? Money(
            minorUnits: UInt128(isWhole ? msat / 1000 : msat), currency: .satoshi, exponent: isWhole ? 8 : 11)
        return money.map { .fixed($0) } ?? .uncounted(digits: String(msat), unit: "msat")
    }
}
