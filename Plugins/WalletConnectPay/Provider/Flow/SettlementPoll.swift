package import PaymentCore

/// Waiting until a confirmed payment is settled.
package struct SettlementPoll: Sendable {
    /// The pause where the service names none, in milliseconds.
    private static let usualPause: Int64 = 1000
    // These bounds keep a wrong answer from flooding the service or from hanging here.
    private static let shortestPause: Int64 = 10
    private static let longestPause: Int64 = 10_000

    private let clock: any PaymentClock
    private let note: @Sendable (String) -> Void

    /// Creates a way to wait.
    ///
    /// - Parameter note: hears every state and pause.
    package init(clock: any PaymentClock, note: @escaping @Sendable (String) -> Void) {
        self.clock = clock
        self.note = note
    }

    /// Asks until the status is final or `limit` has passed since now; the last question comes at the limit itself.
    ///
    /// - Returns: the last status, which is not final when the time ran out.
    package func settle(
        _ first: StatusBody, within limit: Duration,
        ask: (_ millisecondsLeft: Int64) async throws(GatewayError) -> StatusBody
    ) async throws(GatewayError) -> StatusBody {
        let start = clock.uptime
        let limit = limit.milliseconds
        var status = first
        func left() -> Int64 { max(0, limit - (clock.uptime - start).milliseconds) }
        while !status.isFinal {
            guard left() > 0 else { break }
            let pause = min(max(status.pollInMs ?? Self.usualPause, Self.shortestPause), Self.longestPause, left())
            note("\(status.status.printable); asking again in \(pause) ms")
            do { try await clock.sleep(for: .milliseconds(pause)) } catch { throw .cancelled(mayHaveArrived: true) }
            status = try await ask(left())
        }
        return status
    }
}

extension Duration {
    /// The nearest whole number of milliseconds, at most the largest there is.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let whole = seconds.multipliedReportingOverflow(by: 1000)
        guard !whole.overflow else { return .max }
        return whole.partialValue.addingReportingOverflow((attoseconds + 500_000_000_000_000) / 1_000_000_000_000_000)
            .partialValue
    }
}
