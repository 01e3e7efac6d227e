import PaymentCore
import PaymentRouting

/// Writes that wait for the disk together: those that arrive while the disk is busy become one transaction afterwards,
/// with one sync for all of them. Each write takes effect, or fails, as if it were alone. Not for sharing: its journal
/// uses it.
final class GroupCommit {
    /// A write, which may be made a second time when the transaction that it was part of came to nothing.
    typealias Write = () throws(JournalError) -> Void
    typealias Answer = Result<Void, JournalError>

    private let database: Database
    private var waiting: [(write: Write, answer: (Answer) -> Void)] = []

    init(_ database: Database) { self.database = database }

    /// Adds a write to the next transaction.
    ///
    /// - Parameter answer: called when the write is on the disk, or is known not to be.
    /// - Returns: true if it is the first one, for which ``commit()`` has to be called.
    func add(_ write: @escaping Write, _ answer: @escaping (Answer) -> Void) -> Bool {
        waiting.append((write, answer))
        return waiting.count == 1
    }

    /// Makes all waiting writes, and passes each its result.
    func commit() {
        let batch = waiting
        waiting = []
        for (write, answer) in zip(batch, answers(to: batch.map(\.write))) { write.answer(answer) }
    }

    private func answers(to writes: [Write]) -> [Answer] {
        guard writes.count > 1 else { return writes.map(alone) }
        do {
            return try database.transaction { () throws(JournalError) in
                var answers: [Answer] = []
                for write in writes { answers.append(try database.part(write)) }
                return answers
            }
        } catch {
            switch error {
            // No write is possible now; trying each would only take as many times as long.
            case .locked, .replaced: return writes.map { _ in .failure(error) }
            // Nothing is stored. There may be room for some of them.
            default: return writes.map(alone)
            }
        }
    }

    private func alone(_ write: Write) -> Answer {
        do { return .success(try database.transaction(write)) } catch { return .failure(error) }
    }
}
