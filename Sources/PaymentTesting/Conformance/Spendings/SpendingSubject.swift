import PaymentCore
public import PaymentRouting

/// A kind of spending store that ``SpendingConformance`` probes.
public struct SpendingSubject: Sendable {
    /// One empty store, and what can be done with what it is stored in.
    public struct Storage: Sendable {
        /// The store.
        public let store: any SpendingStore
        /// Opens the same storage once more, as another process would; nil where that cannot be.
        public let reopen: (@Sendable () async throws -> any SpendingStore)?
        /// Cuts the power and opens what is left; nil where there is no such storage, or no way to have that happen.
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
    ///   - name: what reports call it.
    ///   - make: makes an empty store in a storage of its own, every time it is called.
    public init(_ name: String, make: @escaping @Sendable () async throws -> Storage) {
        self.name = name
        self.make = make
    }
}
