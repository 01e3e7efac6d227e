package import PaykitProvider
package import PaymentCore
import PaymentCrypto
package import PaymentRecurring

extension PrivateLinkRequest {
    /// The link by which a router pays the request; nil where this side is to be paid.
    package func link(_ party: PrivateLinkParty) -> PaykitRequestURL? {
        guard !isOwn else { return nil }
        return PaykitRequestURL(id, from: party.peer, app: party.peerReceiver, recurs: terms.recurrence != nil)
    }

    /// The plan by which a scheduler has a router pay a request that recurs.
    ///
    /// - Throws: ``PaykitNetworkError``, `validationFailed`, where it does not recur, was not accepted, or has no
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

    /// The plan's name: whose request it is, and which. Apps have long names, plans short ones.
    package static func planID(_ id: String, _ party: PrivateLinkParty) -> RecurringPlan.ID {
        let app = Hex.encode(Digest.sha256.hash(Array(party.peerReceiver.text.utf8)).prefix(8))
        return RecurringPlan.ID(rawValue: "\(party.peer)/\(app)/\(id)")
    }
}
