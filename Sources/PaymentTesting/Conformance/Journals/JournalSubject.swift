import PaymentCore
public import PaymentRouting

/// A kind of journal that ``JournalConformance`` probes.
public struct JournalSubject: Sendable {
    /// One empty journal, and the functions of its storage.
    public struct Storage: Sendable {
        /// The journal.
        public let journal: any PaymentJournal
        /// Opens the same storage once more, as another process would; nil where that is impossible.
        public let reopen: (@Sendable () async throws -> any PaymentJournal)?
        /// Cuts the power and opens the remains, with as much lost as the storage can lose at all; nil where there is
        /// no such storage, or no way to cut its power. Nothing opened before is used afterwards.
        public let losePower: (@Sendable () async throws -> any PaymentJournal)?

        /// Creates a storage.
        public init(
            _ journal: any PaymentJournal, reopen: (@Sendable () async throws -> any PaymentJournal)? = nil,
            losePower: (@Sendable () async throws -> any PaymentJournal)? = nil
        ) {
            self.journal = journal
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
    ///   - make: Makes an empty journal in its own storage, at every call.
    public init(_ name: String, make: @escaping @Sendable () async throws -> Storage) {
        self.name = name
        self.make = make
    }
}
