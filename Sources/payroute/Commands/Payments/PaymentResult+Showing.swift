import PaymentCore

extension Console {
    /// Shows the result of a payment, or of a command about one.
    ///
    /// - Parameter hasSteps: True if steps were printed before, which an empty line sets apart.
    func show(_ result: PaymentResult, isJSON: Bool, hasSteps: Bool = false) {
        if isJSON {
            output.edit { result.write(to: &$0) }
            return
        }
        let rows = [
            ("outcome", style(result.ending.tone, result.ending.rawValue)), ("reason", Printable.text(result.reason)),
            ("payee", result.payee.map(Printable.name)), ("amount", result.amount.map(AmountText.words)),
            ("payment", result.reference.map { Printable.text($0) }),
            ("transaction", result.transaction.map { Printable.text($0) }),
        ]
        if hasSteps { output.write("\n") }
        for case (let label, let text?) in rows {
            output.write(Table.line([Table.Cell(label, .faint), Table.Cell(text)], [11, 0], style) + "\n")
        }
    }
}
