import PaymentCore

/// The steps of all workers on one payment in this router: the worker that carries an attempt out, and visitors that
/// handle its payer's return. Each of them uses a separate log, made from the journal as it found it.
///
/// A step has one result, the first. Everything made from it (a key, a body) is the same for all workers. Only one of
/// them begins a mutation.
actor SharedSteps {
    /// Another worker has begun the mutation, and its end is not known here.
    struct StepInFlightError: Error {}

    /// One of the workers.
    final class Run: Sendable {}

    private struct Step: Hashable {
        let attempt: AttemptID
        let name: String
    }

    private struct Beginner {
        weak var run: Run?
    }

    private var results: [Step: JSONValue] = [:]
    /// The mutations that began while the lease was held, except those that certainly did nothing.
    private var mutations: [Step: Beginner] = [:]
    /// True if the payment ended while the lease was held. No attempt is opened any more.
    private(set) var isPaymentEnded = false

    /// Begins a step. If another worker has ended it, returns its result instead. Within the journal's turn.
    ///
    /// - Parameters:
    ///   - isKnown: true if `run` has found the step in the journal, begun and without an end, and may repeat it.
    ///   - record: stores that the step begins.
    /// - Throws: ``StepInFlightError``, and any error of `record`.
    func begin(
        _ name: String, of attempt: AttemptID, by run: Run, movesMoney: Bool, isKnown: Bool,
        _ record: @Sendable () async throws -> Void
    ) async throws -> JSONValue? {
        let step = Step(attempt: attempt, name: name)
        if let result = results[step] { return result }
        if let beginner = mutations[step] {
            // A step that `run` knows as interrupted may be repeated once the worker that began it is gone.
            guard isKnown, beginner.run == nil || beginner.run === run else { throw StepInFlightError() }
        }
        try await record()
        if movesMoney { mutations[step] = Beginner(run: run) }
        return nil
    }

    /// Ends a step with `result`, unless another worker has ended it before. Within the journal's turn.
    ///
    /// - Parameter record: stores the end.
    /// - Returns: the step's one result.
    func end(
        _ name: String, of attempt: AttemptID, with result: JSONValue, _ record: @Sendable () async throws -> Void
    ) async throws -> JSONValue {
        let step = Step(attempt: attempt, name: name)
        if let first = results[step] { return first }
        try await record()
        results[step] = result
        return result
    }

    /// Notes that the payment was cancelled, or is stated as over. Within the journal's turn in which its attempts are
    /// read.
    func endPayment() { isPaymentEnded = true }

    /// Notes that a mutation ended and certainly did nothing.
    func fail(_ name: String, of attempt: AttemptID) { mutations[Step(attempt: attempt, name: name)] = nil }

    /// Returns true if a worker besides `run` has begun this mutation and is still at work.
    func isHeld(_ name: String, of attempt: AttemptID, besides run: Run) -> Bool {
        guard let beginner = mutations[Step(attempt: attempt, name: name)]?.run else { return false }
        return beginner !== run
    }

    /// Returns true if a worker besides `run` has begun a mutation that may have moved money.
    ///
    /// - Parameter unresolved: only one whose end is not known.
    func haveOthersBegun(_ attempt: AttemptID, besides run: Run, unresolved: Bool = false) -> Bool {
        mutations.contains { step, beginner in
            step.attempt == attempt && beginner.run !== run && !(unresolved && results[step] != nil)
        }
    }
}
