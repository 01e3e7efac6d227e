#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A question to a provider for the terms of a link.
public struct QuoteRequest: Sendable {
    /// The link.
    public let link: PaymentLink
    /// The data that the provider read from it.
    public let match: LinkMatch
    /// The payment.
    public let reference: PaymentReference
    /// The period that is paid, of a recurring plan; nil for any other payment.
    public let period: RecurringPeriod?

    /// Creates a request.
    public init(link: PaymentLink, match: LinkMatch, reference: PaymentReference, period: RecurringPeriod? = nil) {
        self.link = link
        self.match = match
        self.reference = reference
        self.period = period
    }
}

/// A provider's claim about a payment: the amount, the payee and the ways to pay. A router states a ``PaymentQuote``
/// from it.
public struct ProviderQuote: Sendable, Hashable {
    /// The payment.
    public let reference: PaymentReference
    /// The payee.
    public let payee: Payee
    /// The amount that the payee asked for.
    public let amount: Money?
    /// The ways to pay, in the provider's order. Empty when the payer has no means, or the payment is over.
    public var options: [PaymentMethodOption]
    /// The end of the time in which the payment can be paid.
    public let expiresAt: Date?
    /// The service's report of the payment when it is already over or in progress.
    public let report: ServiceReport?

    /// Creates a quote.
    public init(
        reference: PaymentReference, payee: Payee, amount: Money?, options: [PaymentMethodOption],
        expiresAt: Date? = nil, report: ServiceReport? = nil
    ) {
        self.reference = reference
        self.payee = payee
        self.amount = amount
        self.options = options
        self.expiresAt = expiresAt
        self.report = report
    }
}

/// The amount, the payee and the ways to pay, as a router states them. Show the payee from here, never from the link.
public struct PaymentQuote: Sendable, Hashable {
    /// The payment.
    public private(set) var reference: PaymentReference
    /// The payee.
    public let payee: Payee
    /// The amount that the payee asked for.
    public let amount: Money?
    /// The ways to pay, in the provider's order. Empty when the payer has no means, or the payment is over.
    public var options: [PaymentMethodOption]
    /// The end of the time in which the payment can be paid.
    public let expiresAt: Date?
    /// The outcome of the payment when it is already over or in progress: nothing is sent for it again.
    public package(set) var outcome: PaymentOutcome?
    /// The link that was quoted, for paying an option later.
    package var link: Redacted<PaymentLink>?

    /// Creates a quote with the terms of a provider's, and without an outcome, as for a test of a policy.
    public init(_ quote: ProviderQuote) {
        reference = quote.reference
        payee = quote.payee
        amount = quote.amount
        options = quote.options
        expiresAt = quote.expiresAt
    }

    /// Returns the quote under another name of its payment, for links that name a payee.
    package func named(_ reference: PaymentReference) -> PaymentQuote {
        var quote = self
        quote.reference = reference
        return quote
    }

    /// Checks that every option has its own id. Only the id identifies an option from the choice to the service's
    /// charge. With two options of one id, the option paid need not be the one chosen.
    ///
    /// - Throws: ``PaymentError``, `invalidResponse`, when an option's id is empty or not its own.
    package func checkOptionIDs() throws(PaymentError) {
        var ids: Set<PaymentMethodOption.ID> = []
        for option in options {
            guard !option.id.isEmpty else {
                throw PaymentError(
                    .invalidResponse, "the quote has an option without an id ('\(option.title)'); none of it is paid",
                    provider: reference.provider)
            }
            guard ids.insert(option.id).inserted else {
                throw PaymentError(
                    .invalidResponse, "the quote has several options with the id '\(option.id)'; none of them is paid",
                    provider: reference.provider)
            }
        }
    }
}

/// The recipient of a payment, as the provider states it.
public struct Payee: Sendable, Hashable {
    /// The name that the provider states.
    public let name: String
    /// A picture of the payee.
    public let iconURL: String?
    /// The provider's own id of the payee, such as a public key, which stays the same from payment to payment; nil if
    /// it has none. Limits by payee use it.
    public let id: String?

    /// Creates a payee.
    public init(name: String, iconURL: String? = nil, id: String? = nil) {
        self.name = name
        self.iconURL = iconURL
        self.id = id
    }
}

/// One way to pay.
public struct PaymentMethodOption: Sendable, Hashable, Codable, Identifiable {
    /// The provider's id of the option.
    public let id: String
    /// A few words for people: `USDC on Base`.
    public let title: String
    /// The amount that leaves the payer.
    public let amount: Money
    /// True if the amount is the service's estimate, as with coins whose price moves until they are spent. Otherwise a
    /// receipt over any other amount is refused.
    public let isEstimate: Bool
    /// The account that pays.
    public let account: AccountID?
    /// The option's demands on the payer.
    public let needs: [PayerNeed]
    /// The needs that this payer cannot fulfil; set by the router. An option with any cannot be chosen.
    public var unmet: [PayerNeed]
    /// The most that paying it may cost beyond the amount, if the payer's settler pays; set by the router. Nil if
    /// it costs no more.
    public var feeLimit: Money?
    /// The end of the validity of the option's price.
    public let expiresAt: Date?
    /// The data that the provider itself needs to carry the option out. Opaque to all other code; stored with the
    /// attempt.
    public let providerData: JSONValue?

    /// Creates an option.
    public init(
        id: String, title: String, amount: Money, isEstimate: Bool = false, account: AccountID? = nil,
        needs: [PayerNeed] = [], expiresAt: Date? = nil, providerData: JSONValue? = nil
    ) {
        self.id = id
        self.title = title
        self.amount = amount
        self.isEstimate = isEstimate
        self.account = account
        self.needs = needs
        unmet = []
        feeLimit = nil
        self.expiresAt = expiresAt
        self.providerData = providerData
    }

    /// Returns the same option with other provider data.
    package func with(providerData: JSONValue) -> PaymentMethodOption {
        var option = PaymentMethodOption(
            id: id, title: title, amount: amount, isEstimate: isEstimate, account: account, needs: needs,
            expiresAt: expiresAt, providerData: providerData)
        (option.unmet, option.feeLimit) = (unmet, feeLimit)
        return option
    }

    /// The most that leaves the payer: the amount with ``feeLimit``. Nil if the two cannot be added: no limit is known
    /// to suffice.
    package var most: Money? { feeLimit.map { fee in try? amount.adding(fee) } ?? amount }

    /// The method of payment for limits by method (`SpendingLimit.Scope.method`): `lightning` or `onchain` if the
    /// payer's settler pays bitcoin, whatever name the payee uses. Otherwise the option's id.
    public var method: String {
        for case .settlement(let kind, _) in needs { return kind.method }
        return id
    }
}

// MARK: - Policy

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
