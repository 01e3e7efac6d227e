import PaymentCore
import PayrailsProvider

/// Amounts in the service's form: a decimal number of main units, and the currency.
enum WireAmount: Sendable, Hashable {
    case absent
    case stated(Money)
    /// The member is present, and is not an amount. It must not count as any.
    case unreadable

    init(_ member: JSONValue?) {
        guard let member, !member.isNull else {
            self = .absent
            return
        }
        self = (try? member.decode(PayrailsAmount.self).money()).map(WireAmount.stated) ?? .unreadable
    }

    static func body(_ amount: Money) -> JSONValue {
        ["value": .string(amount.decimalText), "currency": .string(amount.currency.description)]
    }
}
