import Foundation
import PaymentCore
import PaymentRouting

/// The `--auto-within` option: limits such as `20 EUR/day, 100 EUR/month in Europe/Berlin`.
///
/// Days begin in the zone that the limits name, otherwise in UTC, and never in the process's: runs of one journal in
/// several zones, such as a scheduled one and a terminal's, would each have separate days.
enum AutoPayOption {
    static let option = CommandSyntax.Option(
        name: "auto-within", value: "limits",
        help:
            "Pay without a question within limits such as '20 EUR/day, 100 EUR/month', and decline the rest. Days, weeks and months begin in UTC, or in a zone named at the end: '20 EUR/day in Europe/Berlin'. Use the same each time. Needs --journal, which counts the spending.",
        variable: "PAYROUTE_AUTO_WITHIN",
        form:
            "limits, comma-separated, each an amount and day, week or month, and a time zone if it is not UTC: '20 EUR/day, 5000 sat/week in Europe/Berlin'"
    )

    /// Reads the limits of a line; nil where it has none.
    ///
    /// - Throws: ``UsageError`` for malformed limits, and for limits without a journal: each run would begin at zero.
    static func read(_ arguments: ParsedArguments) throws(UsageError) -> AutoPay? {
        guard let autoPay = try arguments.value(option.name, policy) else { return nil }
        guard arguments.value(PaymentOptions.journal.name) != nil else {
            throw UsageError(
                "'--auto-within <limits>' binds nothing without a journal, where what is spent is counted: add "
                    + "'--journal <file>', the same file each time", arguments.syntax)
        }
        return autoPay
    }

    /// Returns the policy, or nil when a limit is malformed or the time zone is unknown.
    static func policy(_ text: String) -> AutoPay? {
        var limits: [SpendingLimit] = []
        var (text, zone) = (Substring(text), TimeZone.gmt)
        if let mark = text.firstRange(of: " in ") {
            guard let named = TimeZone(identifier: String(text[mark.upperBound...])) else { return nil }
            (text, zone) = (text[..<mark.lowerBound], named)
        }
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let limit = limit(part.drop { $0 == " " }) else { return nil }
            limits.append(limit)
        }
        return AutoPay(within: limits, timeZone: zone)
    }

    private static func limit(_ text: Substring) -> SpendingLimit? {
        let halves = text.split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        let words = halves[0].split(separator: " ")
        let period = halves[1].split(separator: " ")
        guard words.count == 2, period.count == 1, let period = SpendingLimit.Period(rawValue: String(period[0])),
            let amount = amount(String(words[0]), String(words[1])), !amount.isZero
        else { return nil }
        return SpendingLimit(amount, per: period)
    }

    private static func amount(_ number: String, _ unit: String) -> Money? {
        switch unit {
        // Satoshi cannot be divided.
        case "sat": return try? Money(minorUnitText: number, currency: .satoshi)
        case "BTC": return try? Money(decimal: number, currency: .satoshi)
        default:
            guard let currency = try? Currency(unit: "iso4217/\(unit)") else { return nil }
            return try? Money(decimal: number, currency: currency)
        }
    }
}
