/// The selection in a list: at most one row. A value without effects.
struct InstrumentSelection: Sendable, Hashable {
    enum Event: Sendable, Hashable {
        /// The list was reloaded.
        case loaded
        /// A row was selected.
        case selected(String)
        /// A row was deselected.
        case deselected(String)
    }

    enum Effect: Sendable, Hashable {
        /// Deselect a row without an event.
        case unmark(String)
        /// Set the instrument of the bound button, or none.
        case bind(String?)
        /// Notify the list's delegate.
        case notifySelected(String)
    }

    private(set) var selectedID: String?

    /// Applies an event and returns the effects to carry out, in this order.
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
