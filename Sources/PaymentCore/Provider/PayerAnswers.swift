import Synchronization

/// What the payer answered in one run of an attempt and no journal stores. Prints nothing of it.
package final class PayerAnswers: Sendable {
    private let answers = Mutex<[String: any Sendable]>([:])

    package init() {}

    /// The answer called `name`, when it is there and of this type.
    func answer<Answer: Sendable>(to name: String) -> Answer? { answers.withLock { $0[name] as? Answer } }

    /// Keeps `answer`, unless there is one.
    ///
    /// - Returns: the one that is kept.
    func keep<Answer: Sendable>(_ answer: Answer, as name: String) -> Answer {
        answers.withLock { answers in
            if let first = answers[name] as? Answer { return first }
            answers[name] = answer
            return answer
        }
    }
}
