import PaymentCore
import PaymentRouting

/// The rules for concurrent writers, shared storage and loss of power.
extension JournalTrial {
    func concurrency() async throws {
        let (journal, payments, count) = (journal, 12, 20)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<payments {
                group.addTask {
                    do { try await self.write(count, to: Self.payment("p\(number)"), journal) } catch {
                        self.expect(false, "a write beside others fails: \(error)")
                    }
                }
            }
        }
        for number in 0..<payments {
            let found = try await journal.histories(of: Self.payment("p\(number)"))
            expect(
                found == [try Self.written(count, Self.payment("p\(number)"))], "entries written beside others differ")
        }
        expect(try await journal.unfinished().count == payments, "attempts that were opened at the same time are lost")
        // Several share a lease, as a payer's return does beside the payment.
        let lease = try await take(Self.payment("shared"))
        try await journal.open(try Self.attempt("shared", lease.payment), under: lease)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                group.addTask {
                    do {
                        try await journal.append(
                            Self.entry(.stepStarted(name: "\(number)", kind: .mutation(replay: .never))),
                            to: AttemptID(rawValue: "shared"), under: lease)
                    } catch { self.expect(false, "an entry beside others fails: \(error)") }
                }
            }
        }
        let entries = try await journal.history(of: AttemptID(rawValue: "shared"))?.entries ?? []
        expect(
            entries.count == count && Set(entries).count == count,
            "of \(count) entries written to one attempt at the same time \(Set(entries).count) are there")
        // Of many simultaneous openings of an attempt, one succeeds.
        let opened = await withTaskGroup(of: Bool.self) { group in
            let lease = Self.lease(Self.payment("once"))
            _ = try? await journal.acquire(lease, at: Self.start)
            for number in 0..<count {
                group.addTask {
                    guard let attempt = try? Self.attempt("once \(number)", lease.payment) else { return false }
                    return (try? await journal.open(attempt, under: lease)) != nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        expect(opened == 1, "\(opened) unfinished attempts at one payment were opened at the same time")
    }

    /// Every third entry begins a mutation: entries that must be durable stand between others.
    private static func written(_ count: Int, _ payment: PaymentReference) throws -> AttemptHistory {
        AttemptHistory(
            attempt: try attempt("attempt at " + payment.id, payment),
            entries: (0..<count).map { number in
                entry(
                    .stepStarted(name: "\(number)", kind: number % 3 == 2 ? .mutation(replay: .never) : .query),
                    at: moment(Double(number)))
            })
    }

    private func write(
        _ count: Int, to payment: PaymentReference, _ journal: any PaymentJournal
    ) async throws {
        let history = try Self.written(count, payment)
        let lease = Self.lease(payment)
        expect(try await journal.acquire(lease, at: Self.start), "a free lease is not given beside others")
        try await journal.open(history.attempt, under: lease)
        for entry in history.entries { try await journal.append(entry, to: history.attempt.id, under: lease) }
    }

    func sharing() async throws {
        guard let reopen = storage.reopen else { throw SkipError(reason: "the journal cannot be opened twice") }
        let other = try await reopen()
        let stored = try await store("a", Self.payment(), [Self.ask])
        expect(try await other.history(of: stored.attempt.id) == stored, "the other does not see what was written")
        expect(try await other.unfinished() == [stored], "the other does not see what is unfinished")
        let second = Self.lease(Self.payment(), "second")
        expect(!(try await other.acquire(second, at: Self.moment(1))), "the other is given a lease that is held")
        expect(try await other.acquire(second, at: Self.moment(1000)), "the other is not given a lease that has ended")
        await refuses(.leaseLost(second.payment), "an entry under a lease that the other took over") {
            try await journal.append(Self.entry(Self.abandoned), to: stored.attempt.id, under: Self.lease())
        }
        let end = Self.entry(Self.abandoned, at: Self.moment(1000))
        try await other.append(end, to: stored.attempt.id, under: second)
        expect(
            try await journal.history(of: stored.attempt.id)?.entries == stored.entries + [end],
            "what the other wrote is not seen")
        try await other.release(second)
        expect(
            try await journal.acquire(Self.lease(), at: Self.moment(1000)),
            "a lease that the other released is not free")
        let third = try await reopen()
        expect(
            try await third.histories(of: Self.payment()).count == 1, "what was written is not there when opened again")
        // Many simultaneous requests on both sides.
        let journals = [journal, other, third]
        let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<30 {
                group.addTask {
                    try await journals[index % 3].acquire(Self.lease(Self.payment("race"), "h\(index)"), at: Self.start)
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        expect(winners == 1, "\(winners) of 30 who asked at once through three got the lease")
    }

    func powerLoss() async throws {
        guard let losePower = storage.losePower else {
            throw SkipError(reason: "there is no way to have the journal's storage lose power")
        }
        let beginnings: [JournalEntry.Event] = [
            Self.ask, .stepFinished(name: "ask", result: "x"), .stepStarted(name: "sign", kind: .interaction),
            .stepFinished(name: "sign", result: "0x1"),
        ]
        let middles: [[JournalEntry.Event]] = [
            [],
            [.stepStarted(name: "move", kind: .mutation(replay: .never))],
            [
                .stepStarted(name: "move", kind: .mutation(replay: .sameKey)),
                .stepFinished(name: "move", result: "ok"),
            ],
            [.stepStarted(name: "move", kind: .mutation(replay: .never)), .stepFailed(name: "move", reason: "no")],
            [.stepStarted(name: "send", kind: .walletTransfer), .stepFinished(name: "send", result: "0xabc")],
            [.outcome(.pending(retryAfter: nil))], [.outcome(.cancelled)], [Self.abandoned],
        ]
        var expected: [(history: AttemptHistory, promised: Int)] = []
        // The history that may lose the most comes last: nothing after it makes its entries durable.
        for (index, middle) in middles.reversed().enumerated() {
            let events = beginnings + middle
            let history = try await store("a\(index)", Self.payment("p\(index)"), events)
            var (promised, hasBegun) = (0, false)
            for (position, entry) in history.entries.enumerated() {
                if case .stepStarted(_, let kind) = entry.event, kind.movesMoney { hasBegun = true }
                if !entry.mayBeLost(afterMutation: hasBegun) { promised = position + 1 }
            }
            expected.append((history, promised))
        }
        let left = try await losePower()
        for (history, promised) in expected {
            guard let found = try await left.history(of: history.attempt.id) else {
                expect(false, "an attempt that was opened is lost")
                continue
            }
            expect(found.attempt == history.attempt, "an attempt is another one after a loss of power")
            expect(
                found.entries.count >= promised,
                "\(promised) entries of '\(history.attempt.id)' were promised, \(found.entries.count) are left")
            // The end erases the answers; without it nothing does.
            var rest = AttemptHistory(
                attempt: history.attempt, entries: Array(history.entries.prefix(found.entries.count)))
            if rest.isFinished { rest.eraseInteractions() }
            expect(found == rest, "what is left of '\(history.attempt.id)' is not the beginning of what was written")
        }
        let lease = Self.lease(Self.payment("next"))
        expect(try await left.acquire(lease, at: Self.moment(1000)), "no lease is given after a loss of power")
        try await left.open(try Self.attempt("next", lease.payment), under: lease)
    }
}
