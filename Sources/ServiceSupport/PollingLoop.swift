package import PaymentCore

/// One question, asked again with pauses until an answer ends the loop or the limit is reached: the loop by which the
/// vendors' flows wait for the outcome of a payment.
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
        /// The question is asked again after a pause, unless the limit is reached: then this is the last answer.
        ///
        /// - Parameters:
        ///   - after: the pause; cut at the limit.
        ///   - counting: time that counts as if it were a pause before that, such as that of a question without an
        ///     answer.
        case again(Answer, after: Duration, counting: Duration = .zero)
    }

    private let clock: any PaymentClock
    private let limit: Limit

    /// Creates a loop.
    package init(clock: any PaymentClock, limit: Limit) {
        self.clock = clock
        self.limit = limit
    }

    /// Asks at least once, or not at all where `first` is the last turn.
    ///
    /// - Parameters:
    ///   - first: the turn of an answer that is there already.
    ///   - whenCancelled: returns the result for the latest answer when the task is cancelled in a pause. When it
    ///     returns nil, the remaining questions follow without pauses.
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
