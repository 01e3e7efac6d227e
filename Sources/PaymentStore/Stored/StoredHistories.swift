package import PaymentCore
package import PaymentRouting

/// Attempts with their entries, while the rows of both are read: each attempt once for each of its entries, or once
/// without any.
package struct StoredHistories {
    /// Each with its number, in the order of the rows.
    package private(set) var all: [(number: Int64, history: AttemptHistory)] = []

    package init() {}

    package mutating func add(
        _ attempt: Row<StoredAttempt.Column>, _ entry: Row<StoredEntry.Column>?
    ) throws(JournalError) {
        let number = attempt.integer(.number)
        if all.last?.number != number {
            all.append((number, AttemptHistory(attempt: try StoredAttempt.read(attempt))))
        }
        if let entry { all[all.count - 1].history.entries.append(try StoredEntry.read(entry)) }
    }

    /// Returns the page of a query, which all of these and perhaps one more were read for.
    package func page(_ query: AttemptQuery) -> AttemptPage {
        let page = all.prefix(query.limit)
        return AttemptPage(
            histories: page.map(\.history),
            next: all.count > query.limit ? page.last.map { AttemptCursor(position: $0.number) } : nil)
    }
}
