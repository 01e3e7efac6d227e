import PaymentCore

extension PayrailsSandbox {
    /// An action on an execution that a merchant requested, or that its workflow began automatically.
    struct MerchantAction: Sendable {
        enum Verb: String, Sendable, CaseIterable {
            case capture, cancel, refund
        }

        enum State: Sendable {
            /// The workflow will begin it.
            case planned
            case inFlight, successful, failed
        }

        let id: String
        let verb: Verb
        /// The amount in minor units.
        let units: UInt128
        /// The merchant's notes on the action.
        var meta: JSONValue?
        /// True if the workflow began the action without a request.
        var isAutomatic = false
        var state = State.inFlight
    }
}

extension PayrailsSandbox.Amount {
    /// The amount in minor units; nil if it is not a valid amount.
    var units: UInt128? {
        guard let currency = try? FiatCurrency(currency) else { return nil }
        return (try? Money(decimal: value, currency: .fiat(currency)))?.minorUnits
    }

    /// Returns an amount of `units` minor units in the same currency.
    func with(units: UInt128) -> PayrailsSandbox.Amount {
        guard let code = try? FiatCurrency(currency),
            let money = try? Money(minorUnits: units, currency: .fiat(code))
        else { return self }
        return PayrailsSandbox.Amount(value: money.decimalText, currency: currency)
    }
}

extension PayrailsSandbox.Execution {
    /// The sum of the actions of a kind, in minor units.
    func units(
        _ verb: PayrailsSandbox.MerchantAction.Verb, _ states: Set<PayrailsSandbox.MerchantAction.State>
    ) -> UInt128 {
        merchantActions.filter { $0.verb == verb && states.contains($0.state) }.reduce(0) { $0 + $1.units }
    }

    private func isInFlight(_ verb: PayrailsSandbox.MerchantAction.Verb) -> Bool {
        merchantActions.contains { $0.verb == verb && $0.state == .inFlight }
    }

    /// The amount that was captured or is being captured, less completed refunds and those in flight: minor units.
    var refundable: UInt128 {
        let taken = units(.capture, [.successful, .inFlight])
        return taken - min(taken, units(.refund, [.successful, .inFlight]))
    }

    /// The captured amount less completed refunds: minor units.
    var kept: UInt128 {
        let taken = units(.capture, [.successful])
        return taken - min(taken, units(.refund, [.successful]))
    }

    /// Returns the largest amount of an action of this kind: minor units.
    func most(_ verb: PayrailsSandbox.MerchantAction.Verb) -> UInt128 {
        switch verb {
        case .capture: amount.units ?? 0
        case .cancel: kept
        case .refund: refundable
        }
    }

    /// Returns true if a merchant may request `verb` now. Documented: an authorised or captured payment can be
    /// cancelled, as long as there is something of it left to void, and one that is captured, or being captured, can be
    /// refunded, also in parts.
    func isAllowed(_ verb: PayrailsSandbox.MerchantAction.Verb) -> Bool {
        guard isPaid, !isInFlight(.cancel) else { return false }
        switch verb {
        case .capture: return units(.capture, [.planned, .inFlight, .successful]) == 0
        case .cancel:
            let isLeft = units(.capture, [.successful]) == 0 || kept > 0
            return isLeft && !isInFlight(.capture) && !isInFlight(.refund)
        case .refund: return refundable > 0
        }
    }
}
