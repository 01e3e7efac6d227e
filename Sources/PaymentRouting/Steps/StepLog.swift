import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Runs one attempt's steps over the journal. A step that ended is replayed. A step that may have moved money is not
/// run again unless the provider allows it.
actor StepLog: StepRunner {
    private let attempt: PaymentAttempt
    private let replayWindow: Duration
    private let journal: LeasedJournal
    private let effects: RouterEffects
    private var finished: [String: JSONValue] = [:]
    private var started: [String: StepKind] = [:]
    private var usedNames: Set<String> = []
    /// The mutations of the history that this run has not met again.
    ///
    /// A step's name outlives the program that gave it. If another version of a provider gives a mutation another name,
    /// the history does not have the new name, and the request under the old one may have been carried out. So a
    /// mutation that is not in the history never starts while one in the history has not been met again.
    private var unmet: Set<String> = []
    /// The identity of this worker to others on the same payment.
    private let me = SharedSteps.Run()
    /// True if a mutation was met that another worker on the attempt has begun.
    private(set) var isLeftToOthers = false
    /// True if another worker ended the attempt while this one ran it.
    private(set) var hasEndedElsewhere = false
    /// The latest date of the entries stored before this run.
    private let latest: Date
    /// Everything that the attempt has begun and that can move money, before this run and in it.
    private var authorities: Authorities

    /// - Parameter isVisit: true if another worker carries the attempt out. A visit has separate steps, and does not
    ///   meet those that ended. The others still prevent its mutations.
    init(
        _ history: AttemptHistory, replayWindow: Duration, journal: LeasedJournal, effects: RouterEffects,
        isVisit: Bool = false
    ) {
        attempt = history.attempt
        authorities = history.authorities
        latest = history.entries.map(\.date).reduce(history.attempt.startedAt, max)
        self.replayWindow = replayWindow
        self.journal = journal
        self.effects = effects
        for entry in history.entries {
            switch entry.event {
            case .stepStarted(let name, let kind): started[name] = kind
            // The first result counts: requests made from it have been sent.
            case .stepFinished(let name, let result): finished[name] = finished[name] ?? result
            case .stepFailed(let name, _, _): started[name] = nil
            case .outcome, .abandoned: break
            }
        }
        unmet = Set(started.filter { $0.value.movesMoney }.keys)
        if isVisit { unmet.subtract(finished.keys) }
    }

    /// True if a mutation ever began, whatever its end.
    var hasBegunMutation: Bool { authorities.haveBegun }

    /// True if a mutation began, in this run or another worker's, that is not known to be without effect, or if one
    /// handed in a signature, whatever the answer.
    var mayHaveMovedMoney: Bool {
        get async {
            if authorities.mayHaveMovedMoney { return true }
            return await journal.steps.haveOthersBegun(attempt.id, besides: me)
        }
    }

    /// True if a mutation began whose end is unknown here.
    var hasUnresolvedMutation: Bool {
        get async {
            if authorities.areUnresolved { return true }
            return await journal.steps.haveOthersBegun(attempt.id, besides: me, unresolved: true)
        }
    }

    func ensureInCharge() async throws {
        try await writing(isAfterEffect: false) {
            try await journal.renew(at: effects.clock.now)
            guard try await journal.base.history(of: attempt.id)?.isFinished == false else {
                throw JournalError.finishedAttempt(attempt.id)
            }
        }
    }

    func hasRun(_ name: String) -> Bool { finished[name] != nil || started[name]?.movesMoney == true }

    /// Returns true if an ending stored by another worker can be true of the requests sent here.
    func agrees(with outcome: PaymentOutcome) -> Bool {
        if case .succeeded = outcome { true } else { !authorities.haveOpenSteps }
    }

    func run(
        _ name: String, _ kind: StepKind, _ body: @escaping @Sendable () async throws -> JSONValue
    ) async throws -> JSONValue {
        guard usedNames.insert(name).inserted else {
            throw error(.providerFault, "the step '\(name)' ran twice in one attempt; step names must be unique")
        }
        unmet.remove(name)
        let obstacle = kind.movesMoney && started[name]?.movesMoney != true ? unmet.min() : nil
        if let result = finished[name] {
            effects.emit(.stepReplayed(name, kind), of: attempt)
            return result
        }
        if let obstacle {
            throw error(
                .network,
                "'\(obstacle)' was begun before, and has not been come to again where '\(name)' would begin; another "
                    + "version may use that name; ask for the payment's status", phase: .maybeSent)
        }
        do { try checkInterruptedMutation(name, kind) } catch {
            isLeftToOthers = await journal.steps.isHeld(name, of: attempt.id, besides: me)
            throw error
        }
        try Task.checkCancellation()
        // An earlier run may have moved money, however this one ends.
        let wasInterrupted = authorities.isOpen(name)
        if let result = try await begin(name, kind, isKnown: wasInterrupted) {
            finish(name, with: result)
            effects.emit(.stepReplayed(name, kind), of: attempt)
            return result
        }
        authorities.take(.stepStarted(name: name, kind: kind))
        effects.emit(.stepStarted(name, kind), of: attempt)
        let scope = StepScope(kind)
        let own: JSONValue
        do {
            own = try await StepScope.$current.withValue(scope) { try await body() }
        } catch {
            effects.emit(.stepFailed(name, kind), of: attempt)
            if Self.isUndone(kind, by: error, scope, wasInterrupted) {
                let failure = JournalEntry.Event.stepFailed(
                    name: name, reason: Self.reason(error), wasSent: !scope.hasSentNothing(error))
                authorities.take(failure)
                // If this cannot be stored, a later run only sends one unnecessary query.
                try? await journal.inTurn { try await write(failure, isAfterEffect: false) }
                // Only now: this end would also seem to end a start that came before it in the journal.
                await journal.steps.fail(name, of: attempt.id)
            }
            throw scope.thrown(error)
        }
        let result = try await journal.inTurn {
            try await journal.steps.end(name, of: attempt.id, with: own) {
                try await self.write(
                    .stepFinished(name: name, result: own), isAfterEffect: self.authorities.haveOpenSteps)
            }
        }
        finish(name, with: result)
        effects.emit(.stepFinished(name, kind), of: attempt)
        return result
    }

    private func finish(_ name: String, with result: JSONValue) {
        finished[name] = result
        authorities.take(.stepFinished(name: name, result: result))
    }

    /// Returns true if a step that ended by throwing `error` has certainly moved nothing, in this run and in all before
    /// it. After an interrupted run, only a settler knows the effect.
    private static func isUndone(
        _ kind: StepKind, by error: any Error, _ scope: StepScope, _ wasInterrupted: Bool
    ) -> Bool {
        guard scope.isWithoutEffect(error) else { return false }
        guard wasInterrupted else { return true }
        return kind.repetition == .ifSettlerSentNothing && (error as? PaymentError)?.code == .notSettled
    }

    /// Stores that a step begins. If another worker on the attempt has ended it, returns its result instead.
    private func begin(_ name: String, _ kind: StepKind, isKnown: Bool) async throws -> JSONValue? {
        do {
            return try await journal.inTurn {
                try await journal.steps.begin(
                    name, of: attempt.id, by: me, movesMoney: kind.movesMoney, isKnown: isKnown
                ) {
                    try await self.write(.stepStarted(name: name, kind: kind), isAfterEffect: isKnown)
                }
            }
        } catch is SharedSteps.StepInFlightError {
            isLeftToOthers = true
            throw error(
                .network, "'\(name)' was begun by another caller that works on this payment; ask for its outcome later",
                phase: .maybeSent)
        }
    }

    /// Throws if a mutation began and never ended, and may not be sent again. It may be sent again only if the service
    /// will recognise it, or after a settler has reported its state.
    private func checkInterruptedMutation(_ name: String, _ kind: StepKind) throws {
        guard let earlier = started[name], earlier.movesMoney else { return }
        let now = effects.clock.now
        let age = Duration.seconds(now.timeIntervalSince(attempt.startedAt))
        switch kind.repetition {
        case .ifSettlerSentNothing where kind == earlier: return
        // An entry from the future proves that the clock was set. The age of the first sending is then unknown.
        case .always where kind == earlier: return
        case .withSameKey where kind == earlier && now >= latest && age < replayWindow: return
        case .ifSettlerSentNothing:
            if case .settlement(let settler) = earlier {
                throw error(
                    .payer,
                    "the payment was begun with another settler (\(settler)), which alone knows what it has sent; resume it "
                        + "with that one", phase: .maybeSent)
            }
        case .always, .withSameKey, .never: break
        }
        throw error(
            .network, "the payment was interrupted while '\(name)' was in progress; ask for its status",
            phase: .maybeSent)
    }

    /// Within the journal's turn.
    private func write(_ event: JournalEntry.Event, isAfterEffect: Bool) async throws {
        try await writing(isAfterEffect: isAfterEffect) {
            try await journal.write(JournalEntry(date: effects.clock.now, event: event), to: attempt.id)
        }
    }

    /// Does work that only the worker in charge of the attempt may do.
    private func writing(isAfterEffect: Bool, _ work: () async throws -> Void) async throws {
        do { try await work() } catch JournalError.leaseLost {
            throw PaymentError.inUse(attempt.reference.provider)
        } catch JournalError.finishedAttempt {
            hasEndedElsewhere = true
            throw self.error(
                .journal, "the attempt has ended meanwhile; ask again for its outcome",
                phase: isAfterEffect ? .maybeSent : .beforeSend)
        } catch is SealedWriter.SealFormatError {
            throw self.error(
                .integrity, "the journal's record of the attempt \(attempt.id) was changed by another program",
                phase: isAfterEffect ? .maybeSent : .beforeSend)
        } catch {
            throw self.error(
                .journal, "the journal cannot be written: \(error)", phase: isAfterEffect ? .maybeSent : .beforeSend,
                cause: error)
        }
    }

    private func error(
        _ code: PaymentError.Code, _ message: String, phase: PaymentError.Phase = .beforeSend,
        cause: (any Error)? = nil
    ) -> PaymentError {
        PaymentError(code, message, provider: attempt.reference.provider, phase: phase, cause: cause)
    }

    /// Returns the text to store. Only the library's errors certainly hold no secrets.
    private static func reason(_ error: any Error) -> String {
        (error as? PaymentError)?.message ?? (error as? TransportError)?.description ?? "\(type(of: error))"
    }
}
