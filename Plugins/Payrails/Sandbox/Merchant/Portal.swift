import PaymentCore
import PaymentTesting

/// Actions that a person begins in the merchant's portal: they take effect at once, and no server requested them.
extension PayrailsSandbox {
    /// Captures the whole authorised amount of `session`. Does nothing if there is nothing to capture.
    public func capture(_ session: Session) { act(.capture, on: session.id, nil, failing: false) }

    /// Captures a part of the authorised amount of `session`, in minor units.
    public func capture(_ session: Session, units: UInt128) { act(.capture, on: session.id, units, failing: false) }

    /// Refunds a part of the captured amount of `session`, in minor units. Does nothing if less is left.
    ///
    /// - Parameters:
    ///   - session: the session of the payment.
    ///   - units: the amount, in minor units.
    ///   - isFailing: true if the refund fails, so that no money goes back.
    public func refund(_ session: Session, units: UInt128, isFailing: Bool = false) {
        act(.refund, on: session.id, units, failing: isFailing)
    }

    /// Cancels `session`. A captured amount is refunded. Does nothing if it cannot be cancelled.
    ///
    /// - Parameters:
    ///   - session: the session of the payment.
    ///   - length: the time until the cancellation ends.
    public func cancel(_ session: Session, lasting length: Duration = .zero) {
        act(.cancel, on: session.id, nil, failing: false, lasting: length)
    }

    /// Changes the pace of later actions. The service documents that the result of an action comes later, not when.
    ///
    /// - Parameters:
    ///   - delay: the time from the answer to a merchant's server until any status of its action shows.
    ///   - length: the time from the beginning of an action to its end.
    public func showActions(after delay: Duration, lasting length: Duration = .milliseconds(200)) {
        actionPace = (delay, length)
    }

    /// Lets the next action of a merchant's server fail that has this name: `capture`, `cancel` or `refund`.
    public func failNext(_ action: String) {
        if let verb = MerchantAction.Verb(rawValue: action) { failing.append(verb) }
    }

    private func act(
        _ verb: MerchantAction.Verb, on id: String, _ units: UInt128?, failing: Bool, lasting length: Duration = .zero
    ) {
        guard let execution = try? current(id), execution.isAllowed(verb),
            case let most = execution.most(verb), units ?? most <= most
        else { return }
        begin(
            MerchantAction(id: random.uuid(), verb: verb, units: units ?? most, isAutomatic: true), of: id,
            failing: failing ? .rejected : nil, after: .zero, for: length)
    }
}
