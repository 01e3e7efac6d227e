import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Asking again until a charge is decided, for a bounded time.
struct SettlementPoll: Sendable {
    let clock: any PaymentClock
    let limit: Duration
    /// Told once, when the first answer leaves it open.
    var waits: @Sendable () -> Void = {}

    /// Asks until the charge is decided or the limit has passed; at least once.
    ///
    /// - Returns: the last answer.
    /// - Throws: ``PaymentError`` when the last question was not answered.
    func settle(
        _ ask: () async throws(CitconCallError) -> CitconService.Answer
    ) async throws -> TransactionFields {
        let start = clock.now
        var pause = Duration.seconds(1)
        while true {
            let left = limit - .seconds(max(0, clock.now.timeIntervalSince(start)))
            do throws(CitconCallError) {
                let transaction = try await ask().transaction
                if transaction.state?.isSettled == true || left <= .zero { return transaction }
            } catch {
                guard error.isPassing, left > .zero else { throw ErrorTable.error(error, isMutation: true) }
            }
            if pause == .seconds(1) { waits() }
            try await clock.sleep(for: min(pause, max(left, .milliseconds(1))))
            pause = min(pause * 2, .seconds(5))
        }
    }
}

extension CitconCallError {
    /// Whether the same question may be answered later.
    var isPassing: Bool {
        switch self {
        case .refused(let refusal): refusal.status == 429 || (500..<600).contains(refusal.status)
        case .transport(let error): error.reason != .cancelled
        case .unusableAnswer, .invalidRequest: false
        }
    }
}
