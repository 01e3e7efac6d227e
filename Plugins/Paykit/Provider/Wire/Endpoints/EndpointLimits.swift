extension PaykitEndpoint {
    /// Refuses an amount of bitcoin outside the owner's limits (Protocol 11.3). `amount` is the amount to pay; nil if
    /// it is open. Throws ``PaykitNetworkError``, `validationFailed`, with the limits.
    package func take(_ amount: Money?) throws(PaykitNetworkError) {
        guard let amount, least != nil || most != nil else { return }
        let text = amount.decimalText
        if let least, Self.isLess(text, than: least) {
            throw PaykitNetworkError(
                .validationFailed,
                "the endpoint '\(methodID)' takes no less than \(least): ask its owner for another one",
                methodID: methodID)
        }
        if let most, Self.isLess(most, than: text) {
            throw PaykitNetworkError(
                .validationFailed,
                "the endpoint '\(methodID)' takes no more than \(most): pay less, or ask its owner for another one",
                methodID: methodID)
        }
    }

    /// Returns true if the left of two decimal numbers, of any length, is less than the right.
    static func isLess(_ left: String, than right: String) -> Bool {
        let (left, right) = (parts(left), parts(right))
        if left.whole.count != right.whole.count { return left.whole.count < right.whole.count }
        if left.whole != right.whole { return left.whole.lexicographicallyPrecedes(right.whole) }
        return left.fraction.lexicographicallyPrecedes(right.fraction)
    }

    /// Splits a number into its digits, without redundant zeros.
    private static func parts(_ text: String) -> (whole: [UInt8], fraction: [UInt8]) {
        let zero = UInt8(ascii: "0")
        let halves = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        var fraction = halves.count > 1 ? Array(halves[1]) : []
        while fraction.last == zero { fraction.removeLast() }
        return (Array(halves[0].drop { $0 == zero }), fraction)
    }
}
