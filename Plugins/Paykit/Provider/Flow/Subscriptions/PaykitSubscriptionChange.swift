/// A change of a running subscription (Protocol 6.5).
@nonexhaustive
public enum PaykitSubscriptionChange: Sendable, Hashable {
    /// A higher amount.
    case upgrade(amount: String)
    /// A lower amount.
    case downgrade(amount: String)
    /// Another method of the payee.
    case method(String)
    /// Another day of the month, 1 to 28.
    case billingDay(UInt8)
    /// Another frequency.
    case frequency(PaykitFrequency)

    func applied(to terms: PaykitSubscriptionTerms) throws(PaykitSubscriptionDefect) -> PaykitSubscriptionTerms {
        var changed = terms
        switch self {
        case .upgrade(let amount), .downgrade(let amount):
            changed.amount = amount
            let isUpgrade = if case .upgrade = self { true } else { false }
            guard let old = try? terms.money(), let new = try? changed.money(), new != old,
                let isLess = try? new.isLess(than: old), isLess != isUpgrade
            else {
                throw .order(isUpgrade ? "an upgrade costs more than before" : "a downgrade costs less than before")
            }
            // The most per period that was agreed on also limits the new amount.
            if let most = changed.maximumPerPeriod,
                let limit = try? PaykitSubscriptionTerms.money(most, terms.currency),
                (try? limit.isLess(than: new)) ?? true
            {
                throw .order("the new amount is above the most that the subscription may cost")
            }
        case .method(let method): changed.methodID = method
        case .billingDay(let day):
            guard 1...28 ~= day else { throw .order("a billing day is 1 to 28, so that every month has it") }
            switch terms.frequency {
            case .monthly: changed.frequency = .monthly(dayOfMonth: day)
            case .yearly(let month, _): changed.frequency = .yearly(month: month, day: day)
            default: throw .order("only what is paid by the month or the year has a billing day")
            }
        case .frequency(let frequency): changed.frequency = frequency
        }
        return changed
    }
}
