/// Which row of a list is selected: at most one. A value without effects.
struct InstrumentSelection: Sendable, Hashable {
    enum Event: Sendable, Hashable {
        /// The list was made anew.
        case loaded
        /// A row turned itself on.
        case selected(String)
        /// A row turned itself off.
        case deselected(String)
    }

    enum Effect: Sendable, Hashable {
        /// Turn a row off without telling anybody.
        case unmark(String)
        /// Give the bound button this instrument, or none.
        case bind(String?)
        /// Tell the list's delegate.
        case notifySelected(String)
    }

    private(set) var selectedID: String?

    /// Takes an event in and says what is to be done about it, in this order.
    mutating func handle(_ event: Event) -> [Effect] {
        switch event {
        case .loaded:
            guard let old = selectedID else { return [] }
            selectedID = nil
            return [.unmark(old), .bind(nil)]
        case .selected(let id):
            let old = selectedID
            selectedID = id
            let unmarked = old.flatMap { $0 == id ? nil : [Effect.unmark($0)] } ?? []
            return unmarked + [.bind(id), .notifySelected(id)]
        case .deselected(let id):
            guard selectedID == id else { return [] }
            selectedID = nil
            return [.bind(nil)]
        }
    }
}
