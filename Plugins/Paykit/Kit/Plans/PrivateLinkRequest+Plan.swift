package import PaykitProvider
import PaykitPubky
package import PaymentCore
package import PaymentRecurring

extension PrivateLinkRequest {
    /// Returns the link by which a router pays the request; nil if this side is to be paid.
    package func link(_ party: PrivateLinkParty) -> PaykitRequestURL? {
        guard !isOwn else { return nil }
        return PaykitRequestURL(id, from: party.peer, app: party.peerReceiver, recurs: terms.recurrence != nil)
    }

    /// Returns the plan by which a scheduler has a router pay a recurring request.
    ///
    /// - Throws: ``PaykitNetworkError``, `validationFailed`, if it does not recur, was not accepted, or has no
    ///   schedule.
    package func plan(
        _ party: PrivateLinkParty, paysByItself: Bool, provider: ProviderID, policy: RecurringPolicy
    ) throws(PaykitNetworkError) -> RecurringPlan {
        guard let link = link(party), let recurrence = terms.recurrence else {
            throw PaykitNetworkError(.validationFailed, "only a request of the peer's that recurs is paid by a plan")
        }
        guard state.phase == .active else {
            throw PaykitNetworkError(
                .validationFailed, "the request is \(state.phase.rawValue): accept it before it is planned")
        }
        guard let amount = terms.amount.bitcoin else {
            throw PaykitNetworkError(.validationFailed, "the request is not for an amount of bitcoin")
        }
        let order = RecurringOrder(link: link.text, paysByItself: paysByItself)
        do {
            return try RecurringPlan(
                id: Self.planID(id, party), provider: provider, amount: amount, schedule: recurrence.schedule(),
                policy: policy, details: order.details)
        } catch { throw PaykitNetworkError(.validationFailed, "the request cannot be planned: \(error)") }
    }

    /// Returns the plan's name.
    package static func planID(_ id: String, _ party: PrivateLinkParty) -> RecurringPlan.ID {
        RecurringPlan.ID(rawValue: party.planName(id))
    }
}
