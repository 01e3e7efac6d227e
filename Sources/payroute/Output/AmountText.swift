import PaymentCore
import PaymentReview
import PaymentStandards
import SandboxSupport

/// Amounts as people write them: `12.50 USD`, `12.50 USDC on Base`. Only verified names are shown; an asset that is in
/// no table is shown by its id.
enum AmountText {
    /// The amount with its unit.
    static func words(_ amount: Money) -> String {
        // Small amounts of bitcoin are counted in satoshi, as wallets do.
        if amount.currency == .satoshi, amount.exponent == 8, amount.minorUnits < 100_000 {
            return "\(amount.minorUnits) sat"
        }
        return "\(number(amount)) \(unit(amount))"
    }

    /// The number alone. Trailing zeros carry no information for an asset with many digits, so all but two of them are
    /// left out; a currency's own digits stay.
    static func number(_ amount: Money) -> String {
        let text = amount.decimalText
        if case .fiat = amount.currency { return text }
        guard let point = text.firstIndex(of: ".") else { return text }
        let fraction = text[text.index(after: point)...]
        let last = fraction.lastIndex { $0 != "0" }
        let needed = last.map { fraction.distance(from: fraction.startIndex, to: $0) + 1 } ?? 0
        return String(text[...point] + fraction.prefix(max(needed, min(2, fraction.count))))
    }

    /// Returns an amount of a token or coin that a table has as money, for which the text alone does not suffice; any
    /// other amount as it is.
    ///
    /// - Parameter network: The network that the text names, CAIP-2.
    static func counted(_ amount: PaymentInstruction.Amount, on network: String?) -> PaymentInstruction.Amount {
        guard case .uncounted(let digits, let unit) = amount else { return amount }
        let token = TokenUnit(parsing: unit)
        guard let asset = unit == "wei" ? network.flatMap(KnownAsset.coin) : token?.asset,
            let known = KnownAsset(asset)
        else { return amount }
        let currency = Currency.asset(asset)
        let money =
            unit == "wei" || token?.isSmallest == true
            ? try? Money(minorUnitText: digits, currency: currency, exponent: known.decimals)
            : try? Money(decimal: digits, currency: currency, exponent: known.decimals)
        return money.map { .fixed($0) } ?? amount
    }

    private static func unit(_ amount: Money) -> String {
        guard case .asset(let asset) = amount.currency else { return amount.currency.description }
        // With other digits than the asset's own, the number would be a wrong one under its name.
        if let known = KnownAsset(asset), known.decimals == amount.exponent {
            return "\(known.symbol) on \(known.chain)"
        }
        if let coin = KnownStandards.coin(asset), coin.decimals == amount.exponent { return coin.symbol }
        return Printable.text(asset.text)
    }
}

extension [UInt8] {
    /// Adds the member `amount`, the number, exact in main units. Its unit is a separate member, ``addUnit(_:)``,
    /// because members are sorted.
    mutating func addAmount(_ amount: Money?) { addMember("amount", amount?.decimalText) }

    /// Adds the member `unit`, the unit of `amount`: `iso4217/USD`, `caip19/eip155:8453/erc20:0x…` or `BTC`.
    mutating func addUnit(_ amount: Money?) { addMember("unit", amount?.currency.mainUnit) }
}
