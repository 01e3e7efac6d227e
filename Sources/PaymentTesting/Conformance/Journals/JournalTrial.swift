import PaymentCore
import PaymentRouting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One probe of one journal: it writes to the journal and collects the defects.
final class JournalTrial: StorageTrial {
    let storage: JournalSubject.Storage
    var journal: any PaymentJournal { storage.store }
    let findings = Findings()

    init(_ storage: JournalSubject.Storage) { self.storage = storage }

    // MARK: Findings

    /// Expects a write to be refused with exactly this error.
    func refuses(_ error: JournalError, _ what: String, _ write: () async throws -> Void) async {
        await expects(error, what, write)
    }

    // MARK: Samples

    static let start = Date(timeIntervalSinceReferenceDate: 800_000_000.123_456_7)
    static let seconds = 60.0

    static func moment(_ seconds: Double) -> Date { start.addingTimeInterval(seconds) }

    static func payment(_ id: String = "p", provider: ProviderID = "acme") -> PaymentReference {
        PaymentReference(provider: provider, id: id)
    }

    static func refund(_ id: String, of payment: String = "p") -> PaymentReference {
        PaymentReference(provider: "acme", id: id, subject: .refund(of: payment))
    }

    static func lease(_ payment: PaymentReference = payment(), _ holder: String = "holder") -> PaymentLease {
        PaymentLease(payment: payment, holder: holder, duration: .seconds(seconds))
    }

    static func attempt(
        _ id: String, _ payment: PaymentReference = payment(), at start: Date = start, seal: String? = nil
    ) throws -> PaymentAttempt {
        let amount = try Money(minorUnits: 12_345_678_901_234_567_890_123, currency: .eur)
        var option = PaymentMethodOption(
            id: "o", title: "Naïve \"euros\" \u{0}\u{1F4B6}", amount: amount, isEstimate: true,
            account: try AccountID("eip155:8453:0xab16a96D359eC26a11e2C2b3d8f8B8942d5Bfcdb"),
            needs: [.signing(method: "m_sign"), .data, .page, .app(name: "Lark"), .code],
            expiresAt: start.addingTimeInterval(1 / 3),
            providerData: ["list": [1, "2.5", nil, true, ["deep": [:]]], "text": "a\u{0}b\u{2028}\u{1F600}"])
        option.unmet = [.page]
        return PaymentAttempt(
            id: AttemptID(rawValue: id), reference: payment, option: option, idempotencyKey: "key of " + id,
            startedAt: start, expiresAt: start.addingTimeInterval(0.1), seal: seal)
    }

    static func entry(_ event: JournalEntry.Event, at date: Date = start, seal: String? = nil) -> JournalEntry {
        JournalEntry(date: date, event: event, seal: seal)
    }

    static let ask = JournalEntry.Event.stepStarted(name: "ask", kind: .query)
    static let abandoned = JournalEntry.Event.abandoned(reason: "changed their mind")

    // MARK: Writing

    /// Takes the lease of a payment for a writer, and notes a finding when it is not granted.
    @discardableResult
    func take(_ payment: PaymentReference = payment(), _ holder: String = "holder") async throws -> PaymentLease {
        let lease = Self.lease(payment, holder)
        expect(try await journal.acquire(lease, at: Self.start), "the free lease of '\(payment)' is not given")
        return lease
    }

    /// Returns an attempt with these entries, as it is then stored.
    @discardableResult
    func store(
        _ id: String, _ payment: PaymentReference = payment(), _ events: [JournalEntry.Event] = []
    ) async throws -> AttemptHistory {
        let lease = try await take(payment)
        var history = AttemptHistory(attempt: try Self.attempt(id, payment))
        try await journal.open(history.attempt, under: lease)
        for (index, event) in events.enumerated() {
            let entry = Self.entry(event, at: Self.moment(Double(index) / 3))
            try await journal.append(entry, to: history.attempt.id, under: lease)
            history.entries.append(entry)
        }
        if history.isFinished { history.eraseInteractions() }
        return history
    }

    /// Returns the ids of some attempts.
    static func ids(_ histories: [AttemptHistory]) -> [String] { histories.map(\.attempt.id.rawValue) }
}

/// The rules of ``AttemptStore``.
extension JournalTrial {
    /// Returns one event of each kind, with steps of every kind among them; the last ends the attempt.
    private static func events(_ payment: PaymentReference) throws -> [JournalEntry.Event] {
        let steps: [JournalEntry.Event] = [
            ask, .stepFinished(name: "ask", result: ["a": [1, nil, "x\u{0}y\u{1F600}"], "n": .number(JSONNumber(1))]),
            .stepStarted(name: "sign", kind: .interaction), .stepFinished(name: "sign", result: "0xs1gnature"),
            .stepStarted(name: "move", kind: .mutation(replay: .sameKey)), .stepFailed(name: "move", reason: "not now"),
            .stepStarted(name: "move", kind: .mutation(replay: .never)), .stepFinished(name: "move", result: nil),
        ]
        let kinds = StepKind.all.flatMap { kind -> [JournalEntry.Event] in
            let name = "a step of the kind \(kind.rawValue)"
            return [.stepStarted(name: name, kind: kind), .stepFinished(name: name, result: "0xabc")]
        }
        let receipt = PaymentReceipt(
            reference: payment, amount: try Money(minorUnits: 1, currency: .satoshi), transactionID: "tx")
        return steps + kinds + [
            .outcome(.pending(retryAfter: .seconds(1.5))), .outcome(.pending(retryAfter: nil)),
            .outcome(.unknown(UnknownOutcome(reference: payment, rawStatus: "odd", message: "an odd word"))),
            .outcome(.unknown(UnknownOutcome(reference: payment, message: "no word"))), .outcome(.succeeded(receipt)),
        ]
    }

    private static let endings: [JournalEntry.Event] = [
        .outcome(.succeeded(PaymentReceipt(reference: payment()))), .outcome(.cancelled), .outcome(.expired),
        .outcome(.declined(DeclineReason(.refused, "no"))), abandoned,
    ]

    func fidelity() async throws {
        let lease = try await take()
        let attempt = try Self.attempt("a", seal: "the seal of a")
        try await journal.open(attempt, under: lease)
        expect(
            try await journal.history(of: attempt.id) == AttemptHistory(attempt: attempt),
            "an attempt is not read as it was written")
        var entries: [JournalEntry] = []
        for (index, event) in try Self.events(lease.payment).enumerated() {
            // No text of thirds is exact, and some seals are missing.
            let entry = Self.entry(
                event, at: Self.moment(Double(index) / 3), seal: index % 2 == 0 ? "the seal of \(index)" : nil)
            entries.append(entry)
            try await journal.append(entry, to: attempt.id, under: lease)
            var expected = AttemptHistory(attempt: attempt, entries: entries)
            if entry.isEnding { expected.eraseInteractions() }
            let found = try await journal.history(of: attempt.id)
            guard found == expected else { return expect(false, "entry \(index + 1) is not read as it was written") }
            expect(
                try await journal.histories(of: lease.payment) == [expected],
                "after entry \(index + 1) the payment's attempts say something else than the attempt")
            expect(
                try await journal.unfinished() == (entry.isEnding ? [] : [expected]),
                "after entry \(index + 1) the unfinished attempts are others")
        }
        expect(
            try await journal.history(of: AttemptID(rawValue: "none")) == nil, "an attempt is there that was not opened"
        )
        expect(try await journal.histories(of: Self.payment("none")).isEmpty, "an unknown payment has attempts")
        let refund = Self.refund("note 7")
        let stored = try await store("refund", refund, [.outcome(.succeeded(PaymentReceipt(reference: refund)))])
        expect(try await journal.history(of: stored.attempt.id) == stored, "a refund is not read as it was written")
    }

    func order() async throws {
        for (index, id) in ["z", "a", "m"].enumerated() {
            let lease = try await take(Self.payment("p\(index % 2)"))
            // The clock was set back in between.
            try await journal.open(
                try Self.attempt(id, lease.payment, at: Self.moment(-Double(index))), under: lease)
            for number in 0..<12 {
                try await journal.append(
                    Self.entry(
                        .stepStarted(name: "\(number)", kind: .query), at: Self.moment(-Double(number))),
                    to: AttemptID(rawValue: id), under: lease)
            }
            if id == "z" {
                try await journal.append(Self.entry(Self.abandoned), to: AttemptID(rawValue: id), under: lease)
            }
        }
        expect(
            Self.ids(try await journal.histories(of: Self.payment("p0"))) == ["z", "m"],
            "a payment's attempts are not in the order in which they were opened")
        expect(
            Self.ids(try await journal.unfinished()) == ["a", "m"],
            "the unfinished attempts are not those, in the order in which they were opened")
        let names = try await journal.history(of: AttemptID(rawValue: "m"))?.entries.map(\.event)
        expect(
            names == (0..<12).map { .stepStarted(name: "\($0)", kind: .query) },
            "entries are not in the order in which they were added")
    }

    func oneUnfinished() async throws {
        let lease = try await take()
        try await journal.open(try Self.attempt("a"), under: lease)
        for event in [Self.ask, .outcome(.pending(retryAfter: nil))] {
            try await journal.append(Self.entry(event), to: AttemptID(rawValue: "a"), under: lease)
            await refuses(.unfinishedAttempt(AttemptID(rawValue: "a")), "a second attempt beside an unfinished one") {
                try await journal.open(try Self.attempt("b"), under: lease)
            }
        }
        try await journal.append(Self.entry(Self.abandoned), to: AttemptID(rawValue: "a"), under: lease)
        do { try await journal.open(try Self.attempt("b"), under: lease) } catch {
            expect(false, "no attempt is taken after one that has ended: \(error)")
        }
        expect(Self.ids(try await journal.histories(of: lease.payment)) == ["a", "b"], "an attempt is lost")
    }

    func identity() async throws {
        let stored = try await store("a", Self.payment(), [Self.ask, Self.abandoned])
        await refuses(.duplicateAttempt(stored.attempt.id), "a second attempt of the same id") {
            try await journal.open(stored.attempt, under: Self.lease())
        }
        let other = try await take(Self.payment("other"))
        await refuses(.duplicateAttempt(stored.attempt.id), "an attempt at another payment of an id that is taken") {
            try await journal.open(try Self.attempt("a", other.payment), under: other)
        }
        await refuses(.unknownAttempt(AttemptID(rawValue: "none")), "an entry for an attempt that was not opened") {
            try await journal.append(Self.entry(Self.ask), to: AttemptID(rawValue: "none"), under: Self.lease())
        }
        expect(try await journal.history(of: stored.attempt.id) == stored, "a refused attempt changes the first one")
        expect(try await journal.histories(of: other.payment).isEmpty, "a refused attempt is stored")
    }

    /// Checks that an attempt that ended unpaid takes the correction that it was paid, once, and nothing else.
    private func correction() async throws {
        let stored = try await store("corrected", Self.payment("corrected"), [Self.ask, Self.abandoned])
        let lease = Self.lease(stored.attempt.reference)
        guard let paid = Self.endings.first(where: { Self.entry($0).provesPayment }) else { return }
        try await journal.append(Self.entry(paid), to: stored.attempt.id, under: lease)
        let corrected = try await journal.history(of: stored.attempt.id)
        expect(
            corrected?.entries == stored.entries + [Self.entry(paid)] && corrected?.state == .paid,
            "an attempt that ended unpaid does not take the correction that it was paid")
        for event in [paid, Self.ask, Self.abandoned] {
            await refuses(.finishedAttempt(stored.attempt.id), "an entry after a correction") {
                try await journal.append(Self.entry(event), to: stored.attempt.id, under: lease)
            }
        }
    }

    func ending() async throws {
        for (index, ending) in Self.endings.enumerated() {
            let stored = try await store("a\(index)", Self.payment("p\(index)"), [Self.ask, ending])
            for event in [Self.ask, Self.abandoned] {
                await refuses(.finishedAttempt(stored.attempt.id), "an entry after '\(ending)'") {
                    try await journal.append(
                        Self.entry(event), to: stored.attempt.id, under: Self.lease(stored.attempt.reference))
                }
            }
            expect(
                try await journal.history(of: stored.attempt.id) == stored,
                "a refused entry is stored after '\(ending)'")
        }
        expect(try await journal.unfinished().isEmpty, "attempts that have ended are called unfinished")
        try await correction()
        let open = try await store(
            "open", Self.payment("open"),
            [
                Self.ask, .outcome(.pending(retryAfter: .seconds(1))),
                .outcome(.unknown(UnknownOutcome(reference: Self.payment("open"), message: "?"))),
            ])
        do {
            try await journal.append(
                Self.entry(Self.ask), to: open.attempt.id, under: Self.lease(open.attempt.reference))
        } catch { expect(false, "an outcome that is not final ends the attempt: \(error)") }
        expect(Self.ids(try await journal.unfinished()) == ["open"], "an attempt that has not ended is not unfinished")
    }

    func erasure() async throws {
        let before: [JournalEntry.Event] = [
            Self.ask, .stepFinished(name: "ask", result: "what the service said"),
            .stepStarted(name: "sign", kind: .interaction), .stepFailed(name: "sign", reason: "the payer was away"),
            .stepStarted(name: "sign", kind: .interaction), .stepFinished(name: "sign", result: "0xs1gnature"),
            .stepStarted(name: "form", kind: .interaction), .stepFinished(name: "form", result: ["name": "Ada"]),
            .stepStarted(name: "move", kind: .mutation(replay: .never)), .stepFinished(name: "move", result: "taken"),
            .outcome(.pending(retryAfter: nil)),
        ]
        for (index, ending) in Self.endings.enumerated() {
            let payment = Self.payment("p\(index)")
            let open = try await store("a\(index)", payment, before)
            expect(
                try await journal.history(of: open.attempt.id) == open,
                "answers of the payer are not there before the end, when a resumption needs them")
            let entry = Self.entry(ending, seal: "the last seal")
            try await journal.append(entry, to: open.attempt.id, under: Self.lease(payment))
            var expected = AttemptHistory(attempt: open.attempt, entries: open.entries + [entry])
            expected.eraseInteractions()
            let found = try await journal.history(of: open.attempt.id)
            let answers = found?.entries.count { entry in
                if case .stepFinished(let name, let result) = entry.event, name != "ask", name != "move" {
                    return !result.isNull
                }
                return false
            }
            expect(answers == 0, "after '\(ending)' answers of the payer are still there")
            expect(
                answers != 0 || found == expected, "after '\(ending)' more than the answers of the payer has changed")
        }
    }

    func exactNames() async throws {
        // One letter, and a letter with an accent upon it: equal texts to Swift (Unicode canonical equivalence).
        let names = ["caf\u{E9}", "cafe\u{301}"]
        for name in names { try await take(Self.payment(name), "holder of \(name.utf8.count)") }
        guard findings.isEmpty else { return }
        for name in names {
            try await journal.open(
                try Self.attempt("id " + name, Self.payment(name)),
                under: Self.lease(Self.payment(name), "holder of \(name.utf8.count)"))
        }
        for name in names {
            let found = try await journal.histories(of: Self.payment(name))
            expect(
                found.map { Array($0.attempt.reference.id.utf8) } == [Array(name.utf8)],
                "payments whose names only look alike are taken for one")
            let history = try await journal.history(of: AttemptID(rawValue: "id " + name))
            expect(
                history.map { Array($0.attempt.id.rawValue.utf8) } == Array(("id " + name).utf8),
                "attempts whose ids only look alike are taken for one")
        }
        let holders = names.map { Self.lease(Self.payment("third"), $0) }
        _ = try await journal.acquire(holders[0], at: Self.start)
        expect(
            !(try await journal.acquire(holders[1], at: Self.start)),
            "holders whose names only look alike are taken for one")
        try await journal.release(holders[1])
        expect(
            !(try await journal.acquire(Self.lease(Self.payment("third"), "other"), at: Self.start)),
            "a holder whose name only looks alike gives the lease back")
    }

    func subjects() async throws {
        let references =
            [Self.refund("7"), Self.refund("7", of: "other"), Self.refund("7", of: ""), Self.refund("refund:7")]
            + [PaymentReference(provider: "acme", id: "7", subject: .capture)]
            + ["7", "refund:7", "payment:refund:7", "payment:", "payment:payment:refund:7", ""].map { Self.payment($0) }
        for (index, reference) in references.enumerated() {
            let lease = try await take(reference, "holder \(index)")
            guard findings.isEmpty else { return }
            try await journal.open(try Self.attempt("a\(index)", reference), under: lease)
        }
        for (index, reference) in references.enumerated() {
            expect(
                Self.ids(try await journal.histories(of: reference)) == ["a\(index)"],
                "'\(reference)' (\(reference.subject.kind)) is taken for another one")
            let next = (index + 1) % references.count
            await refuses(.leaseLost(reference), "an entry for '\(reference)' under the lease of '\(references[next])'")
            {
                try await journal.append(
                    Self.entry(Self.ask), to: AttemptID(rawValue: "a\(index)"),
                    under: Self.lease(references[next], "holder \(next)"))
            }
        }
        expect(
            try await journal.unfinished().map(\.attempt.reference) == references,
            "payments, captures and refunds are mixed up")
    }

    func refunds() async throws {
        // No text of the second pair is the other one's, byte by byte.
        let (name, lookalike) = ("caf\u{E9} 2024/7", "cafe\u{301} 2024/7")
        let references = [
            Self.refund(name), Self.refund(name, of: "other"), Self.refund("8"), Self.refund(lookalike, of: "third"),
            Self.refund("9", of: "third"),
            PaymentReference(provider: "other", id: name, subject: .refund(of: "p")),
            PaymentReference(provider: "acme", id: name, subject: .refund(of: "")),
            Self.payment(name), PaymentReference(provider: "acme", id: name, subject: .capture), Self.payment("p"),
        ]
        // Ended or not, and whatever the end.
        let endings = [[Self.ask], [Self.ask, Self.abandoned], [.outcome(.cancelled)]]
        var stored: [AttemptHistory] = []
        for (index, reference) in references.enumerated() {
            stored.append(try await store("a\(index)", reference, endings[index % endings.count]))
        }
        stored.append(try await store("again", references[1], []))
        func expectRelated(_ refund: PaymentReference, _ numbers: [Int]) async throws {
            let found = try await journal.refunds(relatedTo: refund)
            expect(
                found == numbers.map { stored[$0] },
                "the refunds related to '\(refund)' are \(Self.ids(found)), not \(Self.ids(numbers.map { stored[$0] }))"
            )
        }
        try await expectRelated(references[0], [0, 1, 2, 6, 10])
        try await expectRelated(references[1], [0, 1, 6, 10])
        try await expectRelated(references[3], [3, 4])
        try await expectRelated(Self.refund(name, of: "unknown"), [0, 1, 6, 10])
        try await expectRelated(Self.refund("none", of: "third"), [3, 4])
        try await expectRelated(references[5], [5])
        try await expectRelated(Self.refund("none", of: "none"), [])
    }
}
