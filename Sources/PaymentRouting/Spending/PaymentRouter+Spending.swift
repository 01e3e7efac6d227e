import PaymentCore

/// Reservations that a crash has left.
extension PaymentRouter {
    /// An engine that pays `payment`, and gives back what others left reserved where that is in its way.
    func engine(_ serviceClient: ServiceClient, _ journal: LeasedJournal, _ payment: PaymentReference) -> AttemptEngine
    {
        var engine = AttemptEngine(serviceClient: serviceClient, journal: journal)
        engine.settleOthers = { await settleSpendings(holding: payment) }
        return engine
    }

    /// Settles every reservation whose attempt has ended, or was never opened by somebody who is gone.
    ///
    /// - Parameter own: a payment whose lease is held by who asks.
    func settleSpendings(holding own: PaymentReference? = nil) async {
        guard let store = effects.spendings, let open = try? await store.reservedSpendings() else { return }
        for spending in open.map(\.spending) where spending.keeper == .journal {
            if spending.payment == own {
                await effects.settleSpending(of: spending.attempt)
            } else if let history = try? await effects.journal.history(of: spending.attempt) {
                // While it goes on, nobody needs to be disturbed.
                if history.isFinished { await effects.settleSpending(of: spending.attempt) }
            } else {
                // Whoever has reserved holds the lease until the attempt is opened. Who cannot hold it any more cannot
                // open an attempt either.
                try? await leases.with(spending.payment, waiting: false) { _ in
                    await effects.settleSpending(of: spending.attempt)
                } orElse: { _ in
                }
            }
        }
    }
}
