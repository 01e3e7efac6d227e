/// The amount of a Lightning invoice, read from its beginning (BOLT 11, "Human-Readable Part").
enum InvoiceAmount {
    /// The value of each unit in ten-thousandths of a satoshi, the smallest amount that an invoice can name.
    private static let units: [Character: UInt64] = ["m": 1_000_000_000, "u": 1_000_000, "n": 1000, "p": 1]
    private static let bitcoin: UInt64 = 1_000_000_000_000
    private static let satoshi: UInt64 = 10_000
    private static let networks = ["bcrt", "tbs", "bc", "tb"]

    /// Returns true if an invoice's amount differs from the agreed one. An invoice with an open amount does not differ,
    /// and a text that is no invoice is for the payer to judge.
    static func differs(_ endpoint: PaykitEndpoint, from amount: String?, _ currency: String?) -> Bool {
        guard endpoint.methodID == "lightning", currency == "SAT", amount != nil,
            read(endpoint.endpoint.lowercased()) != nil
        else { return false }
        return !isExactly(endpoint, amount, currency)
    }

    /// Returns true if an endpoint is an invoice that names exactly the agreed amount: it is not paid with less.
    static func isExactly(_ endpoint: PaykitEndpoint, _ amount: String?, _ currency: String?) -> Bool {
        guard endpoint.methodID == "lightning", currency == "SAT", let amount,
            let asked = read(endpoint.endpoint.lowercased())
        else { return false }
        return scaled(amount) == asked
    }

    /// Returns the amount of an invoice; nil where it names none.
    private static func read(_ text: String) -> UInt64? {
        guard text.hasPrefix("ln"), let end = text.lastIndex(of: "1"),
            let network = networks.first(where: { text.dropFirst(2).hasPrefix($0) })
        else { return nil }
        let part = text[..<end].dropFirst(2 + network.count)
        let digits = part.prefix { $0.isASCII && $0.isNumber }
        guard let number = UInt64(digits) else { return nil }
        let rest = part.dropFirst(digits.count)
        guard rest.count <= 1 else { return nil }
        let unit = rest.first.map { units[$0] } ?? bitcoin
        guard let unit else { return nil }
        let (product, isTooLarge) = number.multipliedReportingOverflow(by: unit)
        // More than exists: certainly not the agreed amount.
        return isTooLarge ? .max : product
    }

    /// Returns a decimal text of satoshis in the same unit; nil for an amount that no invoice can have.
    private static func scaled(_ amount: String) -> UInt64? {
        let parts = amount.split(separator: ".", omittingEmptySubsequences: false)
        let fraction = parts.count > 1 ? String(parts[1]) : ""
        guard fraction.utf8.count <= 4, let whole = UInt64(parts[0]),
            let tail = UInt64(fraction + String(repeating: "0", count: 4 - fraction.utf8.count))
        else { return nil }
        let (product, isTooLarge) = whole.multipliedReportingOverflow(by: satoshi)
        let (sum, isStillTooLarge) = product.addingReportingOverflow(tail)
        return isTooLarge || isStillTooLarge ? nil : sum
    }
}
