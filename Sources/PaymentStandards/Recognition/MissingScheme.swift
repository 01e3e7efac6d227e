import PaymentCore

/// A bare address with parameters behind it, which has lost the scheme before it: `bc1…?amount=0.1`.
struct MissingScheme {
    /// The address alone.
    let address: PaymentLink

    private static let schemes = [
        BitcoinAddress.id: "bitcoin", "litecoin-address": "litecoin", "dogecoin-address": "dogecoin",
        "dash-address": "dash", "tron-address": "tron", "tezos-address": "tezos", "zcash-address": "zcash",
        "cashaddr": "bitcoincash", ERC55.id: "ethereum", Monero.id: "monero", Nano.id: "nano",
    ]

    /// Takes the address out of `link`; nil for a link of another form.
    init?(in link: PaymentLink) {
        guard link.form == .text, let mark = link.text.utf8.firstIndex(where: { "?&".utf8.contains($0) }),
            link.text.utf8[mark...].contains(UInt8(ascii: "=")), !link.text.utf8.contains(UInt8(ascii: " ")),
            let address = try? PaymentLink(String(link.text[..<mark])), address.form == .text
        else { return nil }
        self.address = address
    }

    /// Returns the defect of a text whose address is of `standard`; nil for other standards.
    static func defect(_ standard: String) -> StandardDefect? {
        schemes[standard].map {
            StandardDefect(
                .missing, "scheme", at: 0,
                "is missing: \($0): must stand before an address with parameters; write it there")
        }
    }
}
