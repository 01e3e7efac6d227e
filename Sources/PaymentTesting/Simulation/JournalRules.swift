public import PaymentCore

/// The rules that every journal must obey in any history.
public enum JournalRules {
    /// Returns the ways in which `histories`, all attempts of one journal in order, break the rules. Empty when legal.
    public static func breaches(in histories: [AttemptHistory]) -> [String] {
        var breaches = histories.flatMap(breaches(in:))
        var succeeded: Set<PaymentReference> = []
        var open: Set<PaymentReference> = []
        for history in histories {
            let payment = history.attempt.reference
            if case .succeeded? = history.outcome, !succeeded.insert(payment).inserted {
                breaches.append("the payment \(payment.id) succeeded in two attempts")
            }
            if !history.isFinished, history.mayHaveMovedMoney, !open.insert(payment).inserted {
                breaches.append("two attempts at \(payment.id) may both still move money")
            }
        }
        return breaches
    }

    /// The breaches within one attempt.
    static func breaches(in history: AttemptHistory) -> [String] {
        var breaches: [String] = []
        var running: [String: StepKind] = [:]
        var finished: Set<String> = []
        var (isOver, isPaid) = (false, false)
        func breach(_ text: String) { breaches.append("\(history.attempt.id): \(text)") }
        for entry in history.entries {
            // An attempt that ended unpaid may be corrected, once.
            if isOver, !entry.provesPayment || isPaid { breach("an entry follows the end") }
            isPaid = isPaid || entry.provesPayment
            switch entry.event {
            case .stepStarted(let name, let kind):
                if finished.contains(name) { breach("'\(name)' starts again after it ended") }
                if running[name] != nil, kind == .mutation(replay: .never) || kind == .walletTransfer {
                    breach("'\(name)', which must not be repeated, starts twice")
                }
                running[name] = kind
            case .stepFinished(let name, _):
                if running.removeValue(forKey: name) == nil { breach("'\(name)' ends without a start") }
                finished.insert(name)
            case .stepFailed(let name, _, _):
                if running.removeValue(forKey: name) == nil { breach("'\(name)' fails without a start") }
            case .outcome(let outcome):
                isOver = outcome.isFinal
            case .abandoned:
                isOver = true
            }
        }
        return breaches
    }
}
