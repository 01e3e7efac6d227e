import Synchronization

/// The payer's answers in one run of an attempt that no journal stores. Prints nothing of them.
package final class PayerAnswers: Sendable {
    private let answers = Mutex<[String: any Sendable]>([:])

    package init() {}

    /// Returns the answer named `name`, if there is one of this type.
    func answer<Answer: Sendable>(to name: String) -> Answer? { answers.withLock { $0[name] as? Answer } }

    /// Keeps `answer`, unless there is one already.
    ///
    /// - Returns: the answer that is kept.
    func keep<Answer: Sendable>(_ answer: Answer, as name: String) -> Answer {
        answers.withLock { answers in
            if let first = answers[name] as? Answer { return first }
            answers[name] = answer
            return answer
        }
    }
}
