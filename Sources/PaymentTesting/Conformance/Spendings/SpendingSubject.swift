import PaymentCore
public import PaymentRouting

/// A kind of spending store that ``SpendingConformance`` probes.
public struct SpendingSubject: Sendable {
    /// One empty store, and the functions of its storage.
    public struct Storage: Sendable {
        /// The store.
        public let store: any SpendingStore
        /// Opens the same storage once more, as another process would; nil where that is impossible.
        public let reopen: (@Sendable () async throws -> any SpendingStore)?
        /// Cuts the power and opens the remains; nil where there is no such storage, or no way to cut its power.
        /// Nothing opened before is used afterwards.
        public let losePower: (@Sendable () async throws -> any SpendingStore)?

        /// Creates a storage.
        public init(
            _ store: any SpendingStore, reopen: (@Sendable () async throws -> any SpendingStore)? = nil,
            losePower: (@Sendable () async throws -> any SpendingStore)? = nil
        ) {
            self.store = store
            self.reopen = reopen
            self.losePower = losePower
        }
    }

    /// The name for reports.
    public let name: String
    let make: @Sendable () async throws -> Storage

    /// Creates a subject.
    ///
    /// - Parameters:
    ///   - name: The name in reports.
    ///   - make: Makes an empty store in its own storage, at every call.
    public init(_ name: String, make: @escaping @Sendable () async throws -> Storage) {
        self.name = name
        self.make = make
    }
}
