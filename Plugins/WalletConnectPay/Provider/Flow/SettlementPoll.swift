package import PaymentCore
import ServiceSupport

/// Polling until a confirmed payment is settled.
package struct SettlementPoll: Sendable {
    /// The pause if the service states none, in milliseconds.
    private static let usualPause: Int64 = 1000
    // These bounds prevent a wrong answer from flooding the service or from hanging here.
    private static let shortestPause: Int64 = 10
    private static let longestPause: Int64 = 10_000

    private let clock: any PaymentClock
    private let note: @Sendable (String) -> Void

    /// Creates a poll.
    ///
    /// - Parameter note: receives every state and pause.
    package init(clock: any PaymentClock, note: @escaping @Sendable (String) -> Void) {
        self.clock = clock
        self.note = note
    }

    /// Polls until the status is final or `limit` has passed since now; the last inquiry is at the limit itself.
    ///
    /// - Returns: the latest status, which is not final when the time ran out.
    package func settle(
        _ first: StatusBody, within limit: Duration,
        ask: (_ millisecondsLeft: Int64) async throws(GatewayError) -> StatusBody
    ) async throws(GatewayError) -> StatusBody {
        func turn(_ status: StatusBody) -> PollingLoop.Turn<Result<StatusBody, GatewayError>> {
            guard !status.isFinal else { return .last(.success(status)) }
            let pause = min(max(status.pollInMs ?? Self.usualPause, Self.shortestPause), Self.longestPause)
            return .again(.success(status), after: .milliseconds(pause))
        }
        let loop = PollingLoop(clock: clock, limit: .time(limit))
        let last = await loop.run(from: turn(first)) { _ in
            .failure(GatewayError.cancelled(mayHaveArrived: true))
        } ask: { left in
            do throws(GatewayError) { return turn(try await ask(left.milliseconds)) } catch {
                return .last(.failure(error))
            }
        } willPause: { answer, pause in
            guard case .success(let status) = answer else { return }
            note("\(status.status.printable); asking again in \(pause.milliseconds) ms")
        }
        return try last.get()
    }
}

extension Duration {
    /// The nearest whole number of milliseconds, at most the largest representable one.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let whole = seconds.multipliedReportingOverflow(by: 1000)
        guard !whole.overflow else { return .max }
        return whole.partialValue.addingReportingOverflow((attoseconds + 500_000_000_000_000) / 1_000_000_000_000_000)
            .partialValue
    }
}
