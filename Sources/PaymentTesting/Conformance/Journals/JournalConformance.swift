public import PaymentCore
public import PaymentRouting

/// Probes a journal. Every journal gets the same probes.
///
/// ```swift
/// let report = await JournalConformance.check(
///     JournalSubject("my journal") { JournalSubject.Storage(try MyJournal(at: newFolder())) })
/// #expect(report.isPassed, "\(report)")
/// ```
///
/// Capabilities that the subject lacks, such as being opened twice, are reported as not probed.
public enum JournalConformance {
    /// One rule that every journal must keep.
    @nonexhaustive
    public enum Probe: String, Sendable, Hashable, CaseIterable {
        /// While a lease is held, no other holder gets it; the holder may ask again.
        case exclusion = "a lease has one holder"
        /// A silent holder loses the lease at its end, not before.
        case expiry = "a lease ends when its holder was silent for its duration"
        /// Renewals, openings and entries count as a sign of life.
        case renewal = "a lease is kept by renewing and by writing"
        /// A lease that was released is free, and only its holder can release it.
        case release = "only its holder gives a lease back"
        /// Of many simultaneous requests, one gets the lease.
        case race = "of many who ask at once, one gets the lease"
        /// A holder that lost its lease writes nothing any more.
        case fence = "who lost a lease writes nothing"
        /// A lease of one payment does not hold for another.
        case foreignLease = "a lease is good for its payment only"
        /// Written values are read to the last bit.
        case fidelity = "what was written is read exactly"
        /// Entries and attempts keep their order, whatever their dates and names.
        case order = "attempts and entries keep their order"
        /// A payment has one unfinished attempt at most.
        case oneUnfinished = "a payment has one unfinished attempt"
        /// An attempt is identified by its id, once.
        case identity = "an attempt is opened once"
        /// Every ending ends an attempt, and nothing else does.
        case ending = "a finished attempt takes no entries"
        /// The payer's answers are erased at the end; everything else stays.
        case erasure = "the payer's answers are erased at the end"
        /// Names are compared byte by byte.
        case exactNames = "names are compared by their bytes"
        /// Payments and refunds are distinct, also under the same name.
        case subjects = "payments and refunds of one name are apart"
        /// Refunds are found by their id in the whole account, and by their payment.
        case refunds = "refunds are found by their id and by their payment"
        /// Concurrent writes are all kept, each attempt's in order.
        case concurrency = "writes at the same time are all kept"
        /// Two journals on the same storage see each other's writes and leases.
        case sharing = "two who share a storage keep the rules together"
        /// Durable entries survive a loss of power, and the rest is lost from the end.
        case powerLoss = "a loss of power takes only what may be lost"
        /// Filters and pages show each attempt once.
        case pages = "pages show every attempt once"
        /// Pruning removes old attempts, and neither unfinished attempts nor proofs.
        case pruning = "pruning takes only what is old and proves nothing"
    }

    /// The results of probing a journal.
    public typealias Report = ConformanceReport<Probe>

    /// Runs all probes, each with its own journal.
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
        case .refunds: try await trial.refunds()
        case .concurrency: try await trial.concurrency()
        case .sharing: try await trial.sharing()
        case .powerLoss: try await trial.powerLoss()
        case .pages: try await trial.pages()
        case .pruning: try await trial.pruning()
        }
    }
}

/// A kind of journal that ``JournalConformance`` probes. A loss of power takes as much as the storage can lose at all.
public typealias JournalSubject = StorageSubject<any PaymentJournal>

// MARK: - Rules of any history

/// The rules that every journal must obey in any history.
public enum JournalRules {
    /// Returns the ways in which `histories`, all attempts of one journal in order, break the rules. Empty when legal.
    public static func breaches(in histories: [AttemptHistory]) -> [String] {
        var breaches = histories.flatMap(breaches(in:))
        var succeeded: Set<PaymentReference> = []
        var open: Set<PaymentReference> = []
        for history in histories {
            let payment = history.attempt.reference
            if case .succeeded? = history.outcome, !succeeded.insert(payment).inserted {
                breaches.append("the payment \(payment.id) succeeded in two attempts")
            }
            if !history.isFinished, history.mayHaveMovedMoney, !open.insert(payment).inserted {
                breaches.append("two attempts at \(payment.id) may both still move money")
            }
        }
        return breaches
    }

    /// The breaches within one attempt.
    static func breaches(in history: AttemptHistory) -> [String] {
        var breaches: [String] = []
        var running: [String: StepKind] = [:]
        var finished: Set<String> = []
        var (isOver, isPaid) = (false, false)
        func breach(_ text: String) { breaches.append("\(history.attempt.id): \(text)") }
        for entry in history.entries {
            // An attempt that ended unpaid may be corrected, once.
            if isOver, !entry.provesPayment || isPaid { breach("an entry follows the end") }
            isPaid = isPaid || entry.provesPayment
            switch entry.event {
            case .stepStarted(let name, let kind):
                if finished.contains(name) { breach("'\(name)' starts again after it ended") }
                if running[name] != nil, kind == .mutation(replay: .never) || kind == .walletTransfer {
                    breach("'\(name)', which must not be repeated, starts twice")
                }
                running[name] = kind
            case .stepFinished(let name, _):
                if running.removeValue(forKey: name) == nil { breach("'\(name)' ends without a start") }
                finished.insert(name)
            case .stepFailed(let name, _, _):
                if running.removeValue(forKey: name) == nil { breach("'\(name)' fails without a start") }
            case .outcome(let outcome):
                isOver = outcome.isFinal
            case .abandoned:
                isOver = true
            }
        }
        return breaches
    }
}
