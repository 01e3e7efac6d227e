import PaymentCore

extension PayrailsSandbox {
    /// Something that a merchant asked of an execution, or that its workflow did by itself.
    struct MerchantAction: Sendable {
        enum Verb: String, Sendable, CaseIterable {
            case capture, cancel, refund
        }

        enum State: Sendable {
            /// The workflow will do it.
            case planned
            case inFlight, successful, failed
        }

        let id: String
        let verb: Verb
        /// How much: minor units.
        let units: UInt128
        /// What the merchant noted about it.
        var meta: JSONValue?
        /// Whether the workflow did it, and nobody asked.
        var isAutomatic = false
        var state = State.inFlight
    }
}

extension PayrailsSandbox.Amount {
    /// The amount in minor units; nil when it is none.
    var units: UInt128? {
        guard let currency = try? FiatCurrency(currency) else { return nil }
        return (try? Money(decimal: value, currency: .fiat(currency)))?.minorUnits
    }

    /// The same currency's amount of so many minor units.
    func with(units: UInt128) -> PayrailsSandbox.Amount {
        guard let code = try? FiatCurrency(currency),
            let money = try? Money(minorUnits: units, currency: .fiat(code))
        else { return self }
        return PayrailsSandbox.Amount(value: money.decimalText, currency: currency)
    }
}

extension PayrailsSandbox.Execution {
    private func units(
        _ verb: PayrailsSandbox.MerchantAction.Verb, _ states: Set<PayrailsSandbox.MerchantAction.State>
    ) -> UInt128 {
        merchantActions.filter { $0.verb == verb && states.contains($0.state) }.reduce(0) { $0 + $1.units }
    }

    private func isInFlight(_ verb: PayrailsSandbox.MerchantAction.Verb) -> Bool {
        merchantActions.contains { $0.verb == verb && $0.state == .inFlight }
    }

    /// What was captured, or is being captured, and neither went back nor is on its way back: minor units.
    var refundable: UInt128 {
        let taken = units(.capture, [.successful, .inFlight])
        return taken - min(taken, units(.refund, [.successful, .inFlight]))
    }

    /// What was captured and has not gone back.
    var kept: UInt128 {
        let taken = units(.capture, [.successful])
        return taken - min(taken, units(.refund, [.successful]))
    }

    /// Whether a merchant may ask for `verb` now. Documented: what is authorised or captured can be cancelled, and what
    /// is captured, or being captured, can be given back, also in parts.
    func isAllowed(_ verb: PayrailsSandbox.MerchantAction.Verb) -> Bool {
        guard isPaid, !isInFlight(.cancel) else { return false }
        switch verb {
        case .capture: return units(.capture, [.planned, .inFlight, .successful]) == 0
        case .cancel: return !isInFlight(.capture) && !isInFlight(.refund)
        case .refund: return refundable > 0
        }
    }
}
