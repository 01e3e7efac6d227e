/// The rule that takes an option without a question: the alternative to a ``Payer/Chooser``.
public struct OptionPolicy: Sendable, Hashable {
    private enum Rule: Sendable, Hashable {
        case limits([Money])
        case none
    }

    private let rule: Rule

    /// Returns a policy that takes the first option, in the provider's order, that the payer can fulfil and that costs
    /// at most what `limits` allow.
    ///
    /// An option is taken only when its currency has a limit; of several limits in one currency all count. Nothing is
    /// converted: a limit in dollars says nothing about a token. An option whose amount is an estimate is not taken,
    /// because it may cost more in the end.
    ///
    /// - Parameter limits: the most that may be paid, by currency.
    public static func first(upTo limits: [Money]) -> OptionPolicy { OptionPolicy(rule: .limits(limits)) }

    /// A policy that takes the first option that the payer can fulfil, at any price and in any currency: for tests and
    /// sandboxes, never for real money.
    public static let firstWhateverItCosts = OptionPolicy(rule: .none)

    /// Returns the option of `quote` to be taken, or in words the objections to those that the payer can fulfil.
    package func choice(from quote: PaymentQuote) -> Choice {
        var objections: [String] = []
        for option in quote.options where option.unmet.isEmpty {
            guard let objection = objection(to: option) else { return .option(option) }
            objections.append("'\(option.id)' \(objection)")
        }
        return .none(objections.joined(separator: "; "))
    }

    /// The decision of a policy about a quote.
    package enum Choice: Sendable, Hashable {
        case option(PaymentMethodOption)
        case none(String)
    }

    /// Returns true if an option is taken, at its amount.
    package func takes(_ option: PaymentMethodOption) -> Bool { objection(to: option) == nil }

    private func objection(to option: PaymentMethodOption) -> String? {
        guard case .limits(let limits) = rule else { return nil }
        let amount = option.amount
        let comparable = limits.filter { $0.currency.denotesSame(as: amount.currency) }
        guard !comparable.isEmpty else { return "costs \(amount), a currency without a limit" }
        // The number of decimals of a token is the service's claim: with another one the amounts cannot be compared.
        guard comparable.allSatisfy({ $0.exponent == amount.exponent }) else {
            return "costs \(amount), counted with other decimals than its limit"
        }
        guard !option.isEstimate else { return "costs an estimated \(amount), which may become more" }
        guard let most = option.most else { return "costs \(amount) and a fee that cannot be added to it" }
        guard let limit = comparable.min(by: { $0.minorUnits < $1.minorUnits }), most.minorUnits > limit.minorUnits
        else { return nil }
        return "costs \(most)\(option.feeLimit == nil ? "" : " with its fee"), more than \(limit)"
    }
}
