import PaymentCore
package import PaymentReview

extension AgreedOption {
    /// Creates an option as the service states it.
    package init(_ option: OptionBody) {
        let display = option.amount.display
        self.init(
            unit: option.amount.unit, value: option.amount.value, account: option.account,
            symbol: display.assetSymbol, name: display.assetName, decimals: Int(display.decimals))
    }

    /// Creates the option of an attempt: the payer's choice, whatever the service states now.
    ///
    /// - Parameter symbol: the asset's symbol that the payer saw.
    init(_ option: PaymentMethodOption, account: AccountID, symbol: String) {
        self.init(
            unit: option.amount.currency.unit, value: option.amount.minorUnitText, account: account.text,
            symbol: symbol, decimals: Int(option.amount.exponent))
    }
}
