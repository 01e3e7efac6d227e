package import PaymentCore

/// Reservations that remain after a crash.
extension PaymentRouter {
    /// Settles every reservation whose attempt has ended, or was never opened by a worker that is gone.
    ///
    /// - Parameter own: a payment whose lease the caller holds.
    package func settleSpendings(holding own: PaymentReference? = nil) async {
        guard let store = effects.spendings, let open = try? await store.reservedSpendings() else { return }
        for spending in open.map(\.spending) where spending.keeper == .journal {
            let isOpened = (try? await effects.journal.history(of: spending.attempt)) != nil
            if isOpened || spending.payment == own {
                await effects.settleSpending(of: spending.attempt)
            } else {
                // The worker that reserved holds the lease until the attempt is opened. A worker that cannot hold it
                // any more cannot open an attempt either.
                try? await leases.with(spending.payment, waiting: false) { _ in
                    await effects.settleSpending(of: spending.attempt)
                } orElse: { _ in
                }
            }
        }
    }
}
