import PaymentCore
import PayrailsProvider
import PayrailsTypes

/// One payment of a session: the flow, and its end told as the vendor's client tells it.
struct PaymentRun: Sendable {
    let flow: PaymentFlow
    /// What the session began before and knows no ending of.
    let earlier: Earlier?

    /// A payment of the session whose ending is not known here. The next one asks the service before it begins
    /// anything.
    struct Earlier: Sendable {
        /// Whether the payer left its page, and may choose another way to pay.
        var hasLeftPage = false
        /// Its request to pay, which the next one may only repeat.
        var unanswered: PaymentFlow.Keys.Unanswered?
    }

    /// How it ended.
    struct Ended: Sendable {
        let result: OnPayResult
        /// Whether the session has to be refreshed after the result was delivered.
        var needsRefresh = false
        /// What the session knows no ending of from now on.
        var earlier: Earlier?
        /// What is known to have been tried, where that has changed.
        var tried: StatusHistory.Mark?
    }

    /// Carries the payment through.
    func run() async -> Ended {
        do { return ended(try await flow.run()) } catch {
            let cause = flow.cause(of: error)
            // A question that was not answered, and a request that does not show, leave open what was begun before.
            let isOpen = flow.hasBegun || earlier != nil && flow.mark == nil || earlier?.unanswered != nil
            var ended = isOpen ? Self.ended(afterAcceptance: cause) : Self.ended(cause)
            if let sent = flow.sent, ended.result.mayHaveBeenPaid {
                ended.earlier = Earlier(unanswered: sent)
            } else {
                ended.earlier = earlier
            }
            return ended
        }
    }

    private func ended(_ end: PaymentFlow.End) -> Ended {
        switch end {
        case .success: return Ended(result: .success, earlier: Earlier())
        case .declined(let reason):
            var tried = flow.mark
            tried?.requests += 1
            tried?.failures += 1
            return Ended(result: .failure(.declined(reason)), tried: tried)
        case .cancelled:
            return Ended(result: .failure(.declined("the shop cancelled the payment")), earlier: Earlier())
        case .pending:
            return Ended(result: .pending, earlier: Earlier(unanswered: flow.sent ?? earlier?.unanswered))
        case .left(let page):
            return Ended(
                result: page == .error ? .error(.unknown(error: nil)) : .cancelledByUser,
                needsRefresh: page != .error && page != .cancel, earlier: Earlier(hasLeftPage: true))
        }
    }

    /// An error after the service had taken the payment: whatever it is, the payment may have been made. A token that
    /// is refused then says nothing of it.
    private static func ended(afterAcceptance error: PayrailsError) -> Ended {
        if case .authenticationError = error {
            return Ended(result: .error(.longPollingFailed(underlyingError: error)), needsRefresh: true)
        }
        guard error.leavesFateOpen else {
            return Ended(result: .error(.failedToDerivePaymentStatus(error.description)))
        }
        return ended(error)
    }

    private static func ended(_ error: PayrailsError) -> Ended {
        switch error {
        case .authenticationError: Ended(result: .authorizationFailed(.authentication), needsRefresh: true)
        case .pollingFailed, .finalStatusNotFoundAfterLongPoll, .longPollingFailed:
            Ended(result: .error(error), needsRefresh: true)
        default: Ended(result: .error(error))
        }
    }
}
