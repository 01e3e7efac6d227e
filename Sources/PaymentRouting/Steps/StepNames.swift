import PaymentCore

/// The mutations that an attempt's history knows, and those of them that this run has not met again.
///
/// A step's name outlives the program that gave it. Where another version of a provider gives a mutation another name,
/// the history does not have the new name, and the old one's request may have been carried out: a mutation that is not
/// in the history never starts while one that is in it has not been met again.
struct StepNames {
    private let known: Set<String>
    private var unmet: Set<String>

    /// - Parameter isVisit: true if the run is one beside the worker that carries the attempt out. It has separate
    ///   steps, and does not meet those that ended; the others stand in its way all the same.
    init(_ history: AttemptHistory, isVisit: Bool) {
        var known: Set<String> = []
        var ended: Set<String> = []
        for entry in history.entries {
            switch entry.event {
            case .stepStarted(let name, let kind): if kind.movesMoney { known.insert(name) }
            case .stepFinished(let name, _): ended.insert(name)
            case .stepFailed(let name, _, _): known.remove(name)
            case .outcome, .abandoned: break
            }
        }
        self.known = known
        unmet = isVisit ? known.subtracting(ended) : known
    }

    /// Meets the step `name`.
    ///
    /// - Returns: the mutation in whose place it must not start, or nil.
    mutating func meet(_ name: String, movesMoney: Bool) -> String? {
        unmet.remove(name)
        guard movesMoney, !known.contains(name) else { return nil }
        return unmet.min()
    }
}
