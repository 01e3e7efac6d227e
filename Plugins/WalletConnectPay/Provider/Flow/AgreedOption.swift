import PaymentCore
package import PaymentReview

extension AgreedOption {
    /// An option as the service states it.
    package init(_ option: OptionBody) {
        let display = option.amount.display
        self.init(
            unit: option.amount.unit, value: option.amount.value, account: option.account,
            symbol: display.assetSymbol, name: display.assetName, decimals: Int(display.decimals))
    }

    /// The option of an attempt: what the payer chose, whatever the service says now.
    ///
    /// - Parameter symbol: the asset's name as the payer saw it.
    init(_ option: PaymentMethodOption, account: AccountID, symbol: String?) {
        self.init(
            unit: option.amount.currency.unit, value: option.amount.minorUnitText, account: account.text,
            symbol: symbol, decimals: Int(option.amount.exponent))
    }
}
