/// Stores sequences of states by name, for programs that must neither lose a state nor return to an earlier one, such
/// as the progress of an encrypted channel. States are sealed by their owner; a store sees names, numbers and lengths.
public protocol SealedStateStore: Sendable {
    /// Returns the state that is stored under a name, with its number; nil when there is none.
    ///
    /// - Parameter name: the name of the state.
    /// - Throws: the storage failure. It does not mean that there is no state.
    func state(named name: String) async throws -> SealedState?

    /// Stores a state durably, if the stored one is its predecessor. Of several concurrent calls one succeeds.
    ///
    /// - Parameters:
    ///   - state: the new state; its number is one more than that of its predecessor, the first is 1.
    ///   - name: the name of the state.
    /// - Returns: true if it was stored.
    /// - Throws: the storage failure; the state may have been stored or not.
    func keep(_ state: SealedState, named name: String) async throws -> Bool
}

/// The state that is stored under a name.
public struct SealedState: Sendable, Hashable {
    /// The position in the sequence of a name's states.
    public let number: UInt64
    /// The sealed content: only its owner can open it.
    public let sealed: [UInt8]

    /// Creates a state.
    public init(number: UInt64, sealed: [UInt8]) {
        self.number = number
        self.sealed = sealed
    }
}

/// A store in memory: for tests, and for programs with their own store behind it.
public actor InMemorySealedStates: SealedStateStore {
    private var states: [String: SealedState] = [:]

    /// Creates an empty store.
    public init() {}

    /// Returns the state that is stored under a name; nil when there is none.
    public func state(named name: String) -> SealedState? { states[name] }

    /// Stores a state, if it follows the stored one.
    ///
    /// - Returns: true if it was stored.
    public func keep(_ state: SealedState, named name: String) -> Bool {
        guard state.number == (states[name]?.number ?? 0) + 1 else { return false }
        states[name] = state
        return true
    }
}
