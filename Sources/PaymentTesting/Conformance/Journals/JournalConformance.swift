import PaymentCore

/// Probes a journal: the same battery for every one of them.
///
/// ```swift
/// let report = await JournalConformance.check(
///     JournalSubject("my journal") { JournalSubject.Storage(try MyJournal(at: newFolder())) })
/// #expect(report.isPassed, "\(report)")
/// ```
///
/// What the subject cannot do, such as being opened twice, is reported as not probed.
public enum JournalConformance {
    /// One rule that every journal must keep.
    @nonexhaustive
    public enum Probe: String, Sendable, Hashable, CaseIterable {
        /// While a lease is held, nobody else gets it; the holder may ask again.
        case exclusion = "a lease has one holder"
        /// A silent holder loses the lease at its end, not before.
        case expiry = "a lease ends when its holder was silent for its duration"
        /// Renewals, openings and entries count as a sign of life.
        case renewal = "a lease is kept by renewing and by writing"
        /// A lease that was given back is free, and only its holder can give it back.
        case release = "only its holder gives a lease back"
        /// Of many who ask at once, one gets the lease.
        case race = "of many who ask at once, one gets the lease"
        /// Whoever lost a lease writes nothing any more.
        case fence = "who lost a lease writes nothing"
        /// A lease of one payment is none of another.
        case foreignLease = "a lease is good for its payment only"
        /// What was written is read to the last bit.
        case fidelity = "what was written is read exactly"
        /// Entries and attempts keep their order, whatever their dates and names.
        case order = "attempts and entries keep their order"
        /// At one payment there is one unfinished attempt.
        case oneUnfinished = "a payment has one unfinished attempt"
        /// An attempt is known by its id, once.
        case identity = "an attempt is opened once"
        /// Every ending ends an attempt, and nothing else does.
        case ending = "a finished attempt takes no entries"
        /// What the payer answered is erased at the end; everything else stays.
        case erasure = "the payer's answers are erased at the end"
        /// Names are compared byte by byte.
        case exactNames = "names are compared by their bytes"
        /// Payments and refunds are apart, whatever they are called.
        case subjects = "payments and refunds of one name are apart"
        /// Writes at the same time are all kept, each attempt's in order.
        case concurrency = "writes at the same time are all kept"
        /// Two who opened the same storage see each other's writes and leases.
        case sharing = "two who share a storage keep the rules together"
        /// What was promised to survive a loss of power does, and the rest is lost from the end.
        case powerLoss = "a loss of power takes only what may be lost"
        /// Filters and pages show each attempt once.
        case pages = "pages show every attempt once"
        /// Pruning takes what is old, and neither unfinished attempts nor proofs.
        case pruning = "pruning takes only what is old and proves nothing"
    }

    /// What was found of a journal.
    public typealias Report = ConformanceReport<Probe>

    /// Runs all probes, each with a journal of its own.
    public static func check(_ subject: JournalSubject) async -> Report {
        await Report.probing(subject.name) {
            JournalTrial(try await subject.make())
        } _: {
            try await run($0, $1)
        }
    }

    private static func run(_ probe: Probe, _ trial: JournalTrial) async throws {
        switch probe {
        case .exclusion: try await trial.exclusion()
        case .expiry: try await trial.expiry()
        case .renewal: try await trial.renewal()
        case .release: try await trial.release()
        case .race: try await trial.race()
        case .fence: try await trial.fence()
        case .foreignLease: try await trial.foreignLease()
        case .fidelity: try await trial.fidelity()
        case .order: try await trial.order()
        case .oneUnfinished: try await trial.oneUnfinished()
        case .identity: try await trial.identity()
        case .ending: try await trial.ending()
        case .erasure: try await trial.erasure()
        case .exactNames: try await trial.exactNames()
        case .subjects: try await trial.subjects()
        case .concurrency: try await trial.concurrency()
        case .sharing: try await trial.sharing()
        case .powerLoss: try await trial.powerLoss()
        case .pages: try await trial.pages()
        case .pruning: try await trial.pruning()
        }
    }
}
