import PaymentCore
public import PaymentRecurring
public import PaymentTesting

/// A kind of journal that ``RecurringConformance`` probes.
public struct RecurringSubject: Sendable {
    /// One empty journal, and the functions of its storage.
    public struct Storage: Sendable {
        /// The journal.
        public let journal: any RecurringJournal
        /// Opens the same storage once more, as another process would; nil where that is impossible.
        public let reopen: (@Sendable () async throws -> any RecurringJournal)?

        /// Creates a storage.
        public init(
            _ journal: any RecurringJournal, reopen: (@Sendable () async throws -> any RecurringJournal)? = nil
        ) {
            self.journal = journal
            self.reopen = reopen
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

/// Probes a recurring journal. Every journal gets the same probes.
///
/// ```swift
/// let report = await RecurringConformance.check(
///     RecurringSubject("my journal") { RecurringSubject.Storage(try MyJournal(at: newFolder())) })
/// #expect(report.isPassed, "\(report)")
/// ```
public enum RecurringConformance {
    /// One rule that every journal must keep.
    @nonexhaustive
    public enum Probe: String, Sendable, Hashable, CaseIterable {
        /// A plan is stored over the one that was read, and over no other.
        case planRace = "of many who change a plan at once, one does"
        /// Periods are opened in their order, each once.
        case opening = "a period is opened once"
        /// Written values are read to the last bit.
        case fidelity = "what was written is read exactly"
        /// Lists hold the due items, the longest due first, and nothing else.
        case lists = "lists hold what is due, in order"
        /// A period that was paid or missed stays so.
        case finality = "a period that is paid or missed stays so"
        /// A lease has one holder at a time, and ends.
        case exclusion = "a lease has one holder, until it ends"
        /// A holder that lost its lease writes nothing any more.
        case fence = "who has no lease writes nothing"
        /// Names are compared byte by byte.
        case exactNames = "names are compared by their bytes"
        /// The trusted time only advances, unless it is corrected.
        case time = "the trusted time goes back only by correction"
        /// Two journals on the same storage see each other's writes and leases.
        case sharing = "two who share a storage keep the rules together"
    }

    /// The results of probing a journal.
    public typealias Report = ConformanceReport<Probe>

    /// Runs all probes, each with its own journal.
    public static func check(_ subject: RecurringSubject) async -> Report {
        await Report.probing(subject.name) {
            RecurringTrial(try await subject.make())
        } _: {
            try await run($0, $1)
        }
    }

    private static func run(_ probe: Probe, _ trial: RecurringTrial) async throws {
        switch probe {
        case .planRace: try await trial.planRace()
        case .opening: try await trial.opening()
        case .fidelity: try await trial.fidelity()
        case .lists: try await trial.lists()
        case .finality: try await trial.finality()
        case .exclusion: try await trial.exclusion(trial.journal)
        case .fence: try await trial.fence()
        case .exactNames: try await trial.exactNames()
        case .time: try await trial.time()
        case .sharing: try await trial.sharing()
        }
    }
}
