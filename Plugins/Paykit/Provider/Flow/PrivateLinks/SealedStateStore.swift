/// Stores sequences of states by name, for programs that must neither lose a state nor return to an earlier one, such
/// as the progress of an encrypted channel and the payments agreed over it. States are sealed by their owner; a store
/// sees names, numbers and lengths.
///
/// A state has rows: states whose names begin with its name and a slash. They are read together, and any of them can be
/// changed in one step.
public protocol SealedStateStore: Sendable {
    /// Returns the state that is stored under a name and all its rows, by name, as they were at one moment.
    ///
    /// - Throws: the storage failure. It does not mean that there is no state.
    func states(named name: String) async throws -> [String: SealedState]

    /// Stores states and removes others durably in one step, if the stored states are the predecessors of the new ones.
    /// Of several concurrent calls with one name in common one succeeds. `states` are the new states by name; the
    /// number of each is one more than that of its predecessor, the first is 1. `names` are the names of the states to
    /// remove, which are then as if they had never been stored.
    ///
    /// - Returns: true if all of it was stored; false if nothing was.
    /// - Throws: the storage failure; all of it may have been stored, or nothing.
    func keep(_ states: [String: SealedState], removing names: [String]) async throws -> Bool
}

extension SealedStateStore {
    /// Returns the state that is stored under a name, without its rows; nil when there is none.
    ///
    /// - Throws: the storage failure.
    public func state(named name: String) async throws -> SealedState? { try await states(named: name)[name] }

    /// Stores one state durably, if the stored one is its predecessor.
    ///
    /// - Returns: true if it was stored.
    /// - Throws: the storage failure; the state may have been stored or not.
    public func keep(_ state: SealedState, named name: String) async throws -> Bool {
        try await keep([name: state], removing: [])
    }
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

    /// Returns the state that is stored under a name and all its rows, by name.
    public func states(named name: String) -> [String: SealedState] {
        states.filter { $0.key == name || $0.key.hasPrefix(name + "/") }
    }

    /// Stores and removes states in one step, if each new one follows the stored one.
    public func keep(_ new: [String: SealedState], removing names: [String]) -> Bool {
        guard new.allSatisfy({ $0.value.number == (states[$0.key]?.number ?? 0) + 1 }) else { return false }
        states.merge(new) { $1 }
        for name in names { states[name] = nil }
        return true
    }
}
