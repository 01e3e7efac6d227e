package import PaymentCore

/// A loop that asks one question again, with pauses, until an answer ends it or the limit is reached. The vendors'
/// flows use it to wait for the outcome of a payment.
package struct PollingLoop: Sendable {
    /// The end of the loop when no answer ends it. The last question comes at the limit itself.
    package enum Limit: Sendable {
        /// A limit on the sum of the pauses. The time that answers take does not count.
        case pauses(Duration)
        /// A limit on the time since the beginning, by the clock's uptime.
        case time(Duration)
    }

    /// The meaning of one answer.
    package enum Turn<Answer> {
        /// The answer ends the loop.
        case last(Answer)
        /// The question is asked again after a pause. If the limit is reached, this is the last answer.
        ///
        /// - Parameters:
        ///   - after: the pause; cut at the limit.
        ///   - counting: time that counts like a pause before that, such as the time of a question without an answer.
        case again(Answer, after: Duration, counting: Duration = .zero)
    }

    private let clock: any PaymentClock
    private let limit: Limit

    package init(clock: any PaymentClock, limit: Limit) {
        self.clock = clock
        self.limit = limit
    }

    /// Asks at least once, or not at all if `first` is the last turn.
    ///
    /// - Parameters:
    ///   - first: the turn of an answer that is there already.
    ///   - whenCancelled: returns the result for the latest answer if the task is cancelled in a pause. If it returns
    ///     nil, the remaining questions follow without pauses.
    ///   - ask: asks, and returns the meaning of the answer; its argument is the time left.
    ///   - willPause: receives the answer before each pause, and the length of the pause.
    /// - Returns: the last answer.
    package func run<Answer>(
        from first: Turn<Answer>? = nil, whenCancelled: (Answer) -> Answer?,
        ask: (_ left: Duration) async -> Turn<Answer>, willPause: (Answer, Duration) -> Void = { _, _ in }
    ) async -> Answer {
        let start = clock.uptime
        var paused = Duration.zero
        func remaining() -> Duration {
            switch limit {
            case .pauses(let limit): max(.zero, limit - paused)
            case .time(let limit): max(.zero, limit - (clock.uptime - start))
            }
        }
        var turn: Turn<Answer>
        if let first { turn = first } else { turn = await ask(remaining()) }
        while true {
            switch turn {
            case .last(let answer): return answer
            case .again(let answer, let wish, let counted):
                paused += counted
                let left = remaining()
                guard left > .zero else { return answer }
                let pause = min(wish, left)
                willPause(answer, pause)
                do { try await clock.sleep(for: pause) } catch {
                    if let end = whenCancelled(answer) { return end }
                }
                paused += pause
                turn = await ask(remaining())
            }
        }
    }
}
