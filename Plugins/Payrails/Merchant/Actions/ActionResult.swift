import PaymentCore

/// The result of a merchant's action, as far as the service shows it.
enum ActionResult: Sendable, Hashable {
    /// The action has not begun visibly, or has not ended.
    case inFlight
    case done
    /// The action failed, for this reason.
    case failed(String)
    /// Several actions have ended that cannot be distinguished.
    case unclear
}

extension MerchantAction {
    /// Returns the result of the action: that of the one action which shows since it was requested.
    ///
    /// The record of the payment decides where the service has one: a success moved exactly this action's amount, and a
    /// failure nothing. Another worker's action of another amount is none of this one's.
    ///
    /// - Parameters:
    ///   - added: the statuses that were added since the request.
    ///   - before: the amount moved before the request, if the service states one.
    ///   - after: the amount moved now.
    ///   - reason: the reason of the latest failure.
    func result(
        _ added: ActionTally, movedBefore before: Money?, movedNow after: Money?, reason: String
    ) -> ActionResult {
        guard added.isOver else { return .inFlight }
        guard added.ends == 1 else { return .unclear }
        let isDone = added.failures == 0
        guard let amount, let before else { return isDone ? .done : .failed(reason) }
        guard let after, after.minorUnits >= before.minorUnits else { return .inFlight }
        switch after.minorUnits - before.minorUnits {
        case 0: return isDone ? .inFlight : .failed(reason)
        case amount.minorUnits where isDone: return .done
        default: return .unclear
        }
    }
}
