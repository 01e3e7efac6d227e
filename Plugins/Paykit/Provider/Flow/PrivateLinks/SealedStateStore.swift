/// Keeps states that follow each other, by name: what one program must not lose, nor go back behind, such as how far an
/// encrypted channel has come. What is kept is sealed by who keeps it; a store sees names, numbers and lengths.
public protocol SealedStateStore: Sendable {
    /// Returns what is kept under a name, with its number; nil when nothing is.
    ///
    /// - Parameter name: whose state.
    /// - Throws: what keeps the store from looking. That is not the same as having nothing.
    func state(named name: String) async throws -> SealedState?

    /// Keeps a state, lasting, if what is kept is still what it followed from. Of several who do it at once one
    /// succeeds.
    ///
    /// - Parameters:
    ///   - state: what is kept from now on; its number is one more than that of what it followed from, the first is 1.
    ///   - name: whose state.
    /// - Returns: whether it was kept.
    /// - Throws: what keeps it from being stored; then it may have been, or not.
    func keep(_ state: SealedState, named name: String) async throws -> Bool
}

/// What is kept under a name.
public struct SealedState: Sendable, Hashable {
    /// Counts the states of a name.
    public let number: UInt64
    /// Sealed: only whoever keeps it can open it.
    public let sealed: [UInt8]

    /// Creates a state.
    public init(number: UInt64, sealed: [UInt8]) {
        self.number = number
        self.sealed = sealed
    }
}

/// Keeps states as long as it lives: for tests, and for programs that have a store of their own behind it.
public actor InMemorySealedStates: SealedStateStore {
    private var states: [String: SealedState] = [:]

    /// Creates an empty store.
    public init() {}

    /// Returns what is kept under a name; nil when nothing is.
    public func state(named name: String) -> SealedState? { states[name] }

    /// Keeps a state, if it follows what is kept.
    ///
    /// - Returns: whether it does.
    public func keep(_ state: SealedState, named name: String) -> Bool {
        guard state.number == (states[name]?.number ?? 0) + 1 else { return false }
        states[name] = state
        return true
    }
}
