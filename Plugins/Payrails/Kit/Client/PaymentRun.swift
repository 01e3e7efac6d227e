import PaymentCore
import PayrailsProvider

/// One payment of a session: the flow, with its end mapped to the results of the vendor's client.
struct PaymentRun: Sendable {
    let flow: PaymentFlow
    /// The payment that the session began before and whose end it does not know.
    let earlier: Earlier?

    /// An earlier payment of the session whose end is unknown. The next payment asks the service before it begins
    /// anything.
    struct Earlier: Sendable {
        /// True if the payer left the payment's page, and may choose another way to pay.
        var hasLeftPage = false
        /// The payment's authorization request, which the next payment may only repeat.
        var unanswered: PaymentFlow.Keys.Unanswered?
    }

    /// The end of the run.
    struct Ended: Sendable {
        let result: OnPayResult
        /// True if the session has to be refreshed after the result is delivered.
        var needsRefresh = false
        /// The payment whose end the session does not know from now on.
        var earlier: Earlier?
        /// The attempts that are known to have been made; nil if that has not changed.
        var tried: StatusHistory.Mark?
    }

    /// Runs the payment to its end.
    func run() async -> Ended {
        do { return ended(try await flow.run()) } catch {
            let cause = flow.cause(of: error)
            // An unanswered query, and a request that does not show in the execution, leave open what was begun before.
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

    /// Maps an error after the service accepted the payment: whatever the error, the payment may have been made. A
    /// refused token then says nothing about the payment.
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
