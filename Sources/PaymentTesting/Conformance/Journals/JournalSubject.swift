public import PaymentCore

/// A kind of journal that ``JournalConformance`` probes.
public struct JournalSubject: Sendable {
    /// One empty journal, and what can be done with what it is stored in.
    public struct Storage: Sendable {
        /// The journal.
        public let journal: any PaymentJournal
        /// Opens the same storage once more, as another process would; nil where that cannot be.
        public let reopen: (@Sendable () async throws -> any PaymentJournal)?
        /// Cuts the power and opens what is left, with as much lost as the storage can lose at all; nil where there is
        /// no such storage, or no way to have that happen. Nothing opened before is used afterwards.
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
    ///   - name: what reports call it.
    ///   - make: makes an empty journal in a storage of its own, every time it is called.
    public init(_ name: String, make: @escaping @Sendable () async throws -> Storage) {
        self.name = name
        self.make = make
    }
}
