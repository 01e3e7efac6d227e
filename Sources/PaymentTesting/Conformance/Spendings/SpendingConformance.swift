import PaymentCore
public import PaymentRouting

/// Probes a store of spendings. Every store gets the same probes.
///
/// ```swift
/// let report = await SpendingConformance.check(
///     SpendingSubject("my store") { SpendingSubject.Storage(try MyStore(at: newFolder())) })
/// #expect(report.isPassed, "\(report)")
/// ```
///
/// Capabilities that the subject lacks, such as being opened twice, are reported as not probed.
public enum SpendingConformance {
    /// One rule that every store must keep.
    @nonexhaustive
    public enum Probe: String, Sendable, Hashable, CaseIterable {
        /// A limit may be reached.
        case limit = "a limit is reached exactly, and never exceeded"
        /// Each limit counts only spendings in its scope.
        case scopes = "a limit counts what it is about, and nothing else"
        /// Days, weeks and months.
        case periods = "each period has its own budget"
        /// Each time zone has its own dates.
        case timeZones = "an account counts by the days of one time zone"
        /// Nothing is guessed.
        case currencies = "what cannot be compared is refused"
        /// Rates that are known, or not, when sums are made.
        case worths = "what has no worth in a limit's currency is refused, and counts as soon as it has one"
        /// Zero, nothing, refunds, sums beyond any number.
        case oddAmounts = "odd amounts neither pass nor trap"
        /// A retry counts once.
        case identity = "a spending counts once"
        /// Committing and releasing, in any order, any number of times.
        case settling = "what was paid counts, and what was not does not"
        /// An attempt is opened while another worker takes its reservation for left behind.
        case opening = "what is reserved for an open attempt stays reserved, and what is released opens none"
        /// Clocks that are set.
        case clocks = "a clock that is set back frees nothing"
        /// Written values are read exactly.
        case fidelity = "what was written is read exactly, in order"
        /// Names are compared byte by byte.
        case exactNames = "names are compared by their bytes"
        /// Of many simultaneous requests, as many as fit are granted.
        case race = "of many who ask at once, no more than fit are granted"
        /// Two stores on the same storage share its limits.
        case sharing = "two who share a storage share its limits"
        /// Granted, paid and released spendings stay so.
        case powerLoss = "a loss of power takes nothing"
    }

    /// The results of probing a store.
    public typealias Report = ConformanceReport<Probe>

    /// Runs all probes, each with its own store.
    public static func check(_ subject: SpendingSubject) async -> Report {
        await Report.probing(subject.name) {
            SpendingTrial(try await subject.make())
        } _: {
            try await run($0, $1)
        }
    }

    private static func run(_ probe: Probe, _ trial: SpendingTrial) async throws {
        switch probe {
        case .limit: try await trial.limit()
        case .scopes: try await trial.scopes()
        case .periods: try await trial.periods()
        case .timeZones: try await trial.timeZones()
        case .currencies: try await trial.currencies()
        case .worths: try await trial.worths()
        case .oddAmounts: try await trial.oddAmounts()
        case .identity: try await trial.identity()
        case .settling: try await trial.settling()
        case .opening: try await trial.opening()
        case .clocks: try await trial.clocks()
        case .fidelity: try await trial.fidelity()
        case .exactNames: try await trial.exactNames()
        case .race: try await trial.race()
        case .sharing: try await trial.sharing()
        case .powerLoss: try await trial.powerLoss()
        }
    }
}

/// A kind of spending store that ``SpendingConformance`` probes.
public typealias SpendingSubject = StorageSubject<any SpendingStore>
