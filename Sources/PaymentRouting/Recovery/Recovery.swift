import PaymentCore

/// Settles attempts, some at a time.
struct Recovery: Sendable {
    let clock: any PaymentClock
    let width: Int
    let bound: Duration

    /// Settles `histories` with `settle` and reports on them in their order. Those at one payment take turns; those
    /// that another worker has are left out. One that takes longer than the bound is reported as open, and the others
    /// go on.
    func run(
        _ histories: [AttemptHistory],
        _ settle: @escaping @Sendable (AttemptHistory) async -> Result<PaymentOutcome, PaymentError>
    ) async -> [RecoveryReport] {
        // Oldest first: a dictionary's order is another one in every process.
        let payments = Dictionary(grouping: histories.enumerated(), by: \.element.attempt.reference).values
            .sorted { $0[0].offset < $1[0].offset }
        return await withTaskGroup(of: [(Int, RecoveryReport)].self) { group in
            var reports: [(Int, RecoveryReport)] = []
            var running = 0
            for payment in payments {
                if running >= max(1, width) {
                    reports += await group.next() ?? []
                    running -= 1
                }
                running += 1
                group.addTask {
                    var reports: [(Int, RecoveryReport)] = []
                    for (index, history) in payment {
                        let result =
                            await TimeBound(bound, clock).result { await settle(history) } ?? .failure(late(history))
                        if case .failure(let error) = result, error.code == .inUse { continue }
                        reports.append((index, RecoveryReport(history.attempt, result, now: clock.now)))
                    }
                    return reports
                }
            }
            for await more in group { reports += more }
            return reports.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private func late(_ history: AttemptHistory) -> PaymentError {
        let seconds = bound.components.seconds
        return PaymentError(
            .network, "nothing has come back within \(seconds) s; the attempt stays open, and is asked about again",
            provider: history.attempt.reference.provider, phase: .maybeSent, retry: .later)
    }
}
