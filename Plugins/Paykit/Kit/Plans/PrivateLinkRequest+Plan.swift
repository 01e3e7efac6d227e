package import PaymentRecurring

extension PrivateLinkRequest {
    /// Returns the plan by which a scheduler has a router pay a recurring request. Throws ``PaykitNetworkError``,
    /// `validationFailed`, if it does not recur, was not accepted, or has no schedule.
    package func plan(
        _ party: PrivateLinkParty, paysByItself: Bool, provider: ProviderID, policy: RecurringPolicy
    ) throws(PaykitNetworkError) -> RecurringPlan {
        guard !isOwn, let recurrence = terms.recurrence,
            let link = PaykitRequestURL(id, from: party.peer, app: party.peerReceiver, recurs: true)
        else {
            throw PaykitNetworkError(.validationFailed, "only a request of the peer's that recurs is paid by a plan")
        }
        try require(
            state.phase == .active, .validationFailed,
            "the request is \(state.phase.rawValue): accept it before it is planned")
        guard let amount = terms.amount.bitcoin else {
            throw PaykitNetworkError(.validationFailed, "the request is not for an amount of bitcoin")
        }
        let order = RecurringOrder(link: link.text, paysByItself: paysByItself)
        do {
            return try RecurringPlan(
                id: RecurringPlan.ID(rawValue: party.planName(id)), provider: provider, amount: amount,
                schedule: recurrence.schedule(), policy: policy, details: order.details)
        } catch { throw PaykitNetworkError(.validationFailed, "the request cannot be planned: \(error)") }
    }
}
