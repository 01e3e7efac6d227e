import PaymentCore
import PaymentRouting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The rules of ``LeaseStore``.
extension JournalTrial {
    func exclusion() async throws {
        let (first, second) = (Self.lease(Self.payment(), "first"), Self.lease(Self.payment(), "second"))
        expect(try await journal.acquire(first, at: Self.start), "a free lease is not given")
        expect(try await journal.acquire(first, at: Self.start), "the holder may not ask for its lease again")
        expect(!(try await journal.acquire(second, at: Self.start)), "a lease that is held is given to another holder")
        do { try await journal.renew(first, at: Self.start) } catch {
            expect(false, "another's asking takes the lease away: \(error)")
        }
        await refuses(.leaseLost(second.payment), "renewing a lease that was not given") {
            try await journal.renew(second, at: Self.start)
        }
        expect(
            try await journal.acquire(Self.lease(Self.payment("other"), "second"), at: Self.start),
            "the lease of one payment keeps another payment's from being given")
        expect(
            try await journal.acquire(Self.lease(Self.payment(provider: "other"), "second"), at: Self.start),
            "the lease of one provider's payment keeps another provider's from being given")
    }

    func expiry() async throws {
        let (first, second) = (Self.lease(Self.payment(), "first"), Self.lease(Self.payment(), "second"))
        _ = try await journal.acquire(first, at: Self.start)
        expect(
            !(try await journal.acquire(second, at: Self.moment(Self.seconds - 0.01))),
            "a lease is given before its end")
        expect(
            try await journal.acquire(second, at: first.end(from: Self.start)), "a lease is not given at its end")
        await refuses(.leaseLost(first.payment), "renewing a lease that another took over") {
            try await journal.renew(first, at: Self.moment(Self.seconds))
        }
        expect(
            !(try await journal.acquire(first, at: Self.moment(Self.seconds))),
            "a lease that was taken over returns to its former holder at once")
        expect(
            try await journal.acquire(first, at: Self.moment(2 * Self.seconds)),
            "a lease that was taken over does not end in its turn")
        // No other holder took over: a late renewal is valid.
        let late = try await take(Self.payment("late"))
        do { try await journal.renew(late, at: Self.moment(10 * Self.seconds)) } catch {
            expect(false, "a lease that was not taken over cannot be renewed after its end: \(error)")
        }
    }

    func renewal() async throws {
        let second = Self.lease(Self.payment(), "second")
        let lease = try await take()
        try await journal.renew(lease, at: Self.moment(30))
        expect(!(try await journal.acquire(second, at: Self.moment(89.9))), "renewing does not keep a lease")
        try await journal.open(try Self.attempt("a", at: Self.moment(80)), under: lease)
        expect(!(try await journal.acquire(second, at: Self.moment(139.9))), "opening an attempt does not keep a lease")
        try await journal.append(
            Self.entry(Self.ask, at: Self.moment(130)), to: AttemptID(rawValue: "a"), under: lease)
        expect(!(try await journal.acquire(second, at: Self.moment(189.9))), "an entry does not keep a lease")
        _ = try await journal.acquire(lease, at: Self.moment(180))
        expect(!(try await journal.acquire(second, at: Self.moment(239.9))), "asking again does not keep a lease")
        expect(try await journal.acquire(second, at: Self.moment(240)), "a lease that was renewed never ends")
    }

    func release() async throws {
        let (first, second) = (try await take(Self.payment(), "first"), Self.lease(Self.payment(), "second"))
        try await journal.release(second)
        expect(
            !(try await journal.acquire(second, at: Self.start)), "a lease can be released without being held")
        try await journal.release(first)
        try await journal.release(first)
        await refuses(.leaseLost(first.payment), "renewing a lease that was released") {
            try await journal.renew(first, at: Self.start)
        }
        expect(try await journal.acquire(second, at: Self.start), "a lease that was released is not free")
        try await journal.release(first)
        do { try await journal.renew(second, at: Self.start) } catch {
            expect(false, "a former holder releases its successor's lease")
        }
    }

    func race() async throws {
        let journal = journal
        let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<32 {
                group.addTask {
                    try await journal.acquire(Self.lease(Self.payment(), "holder \(index)"), at: Self.start)
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        expect(winners == 1, "\(winners) of 32 who asked at once got the lease")
    }

    func fence() async throws {
        let first = try await take(Self.payment(), "first")
        let attempt = try Self.attempt("a")
        try await journal.open(attempt, under: first)
        try await journal.append(Self.entry(Self.ask), to: attempt.id, under: first)
        let second = Self.lease(Self.payment(), "second")
        _ = try await journal.acquire(second, at: Self.moment(Self.seconds))
        // A stalled holder continues with the dates of its past.
        for date in [Self.start, Self.moment(Self.seconds), Self.moment(1000)] {
            await refuses(.leaseLost(first.payment), "an entry under a lease that was taken over") {
                try await journal.append(Self.entry(Self.abandoned, at: date), to: attempt.id, under: first)
            }
        }
        expect(
            try await journal.history(of: attempt.id)?.entries == [Self.entry(Self.ask)],
            "a refused entry is stored, or one is lost")
        try await journal.append(
            Self.entry(Self.abandoned, at: Self.moment(Self.seconds)), to: attempt.id, under: second)
        await refuses(.leaseLost(first.payment), "an attempt under a lease that was taken over") {
            try await journal.open(try Self.attempt("b"), under: first)
        }
        try await journal.release(second)
        await refuses(.leaseLost(first.payment), "an attempt under a lease that was released") {
            try await journal.open(try Self.attempt("c"), under: second)
        }
        expect(
            Self.ids(try await journal.histories(of: first.payment)) == ["a"], "a refused attempt is stored")
    }

    func foreignLease() async throws {
        let own = try await take()
        let other = try await take(Self.payment("other"))
        let attempt = try Self.attempt("a")
        await refuses(.leaseLost(own.payment), "an attempt under another payment's lease") {
            try await journal.open(attempt, under: other)
        }
        try await journal.open(attempt, under: own)
        await refuses(.leaseLost(own.payment), "an entry under another payment's lease") {
            try await journal.append(Self.entry(Self.ask), to: attempt.id, under: other)
        }
        await refuses(.leaseLost(Self.payment("free")), "an attempt under a lease that was never taken") {
            try await journal.open(
                try Self.attempt("b", Self.payment("free")), under: Self.lease(Self.payment("free")))
        }
        expect(try await journal.history(of: attempt.id)?.entries.isEmpty == true, "a refused entry is stored")
    }
}

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
        // Several share a lease, as a payer's return and the payment do.
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

/// The rules of ``AttemptArchive``.
extension JournalTrial {
    private var archive: any AttemptArchive {
        get throws {
            guard let archive = journal as? any AttemptArchive else {
                throw SkipError(reason: "the journal is no archive: it neither lists nor prunes")
            }
            return archive
        }
    }

    func pages() async throws {
        let archive = try archive
        var all: [AttemptHistory] = []
        let states: [[JournalEntry.Event]] = [
            [Self.ask], [Self.ask, Self.abandoned], [.outcome(.declined(DeclineReason(.refused, "no")))], [],
        ]
        for number in 0..<20 {
            let payment = Self.payment("p\(number)", provider: number % 3 == 0 ? "acme" : "other")
            let paid = JournalEntry.Event.outcome(.succeeded(PaymentReceipt(reference: payment)))
            let lease = try await take(payment)
            // Clocks are set back at times; the order of the openings counts.
            let attempt = try Self.attempt("a\(number)", payment, at: Self.moment(Double(number * 7 % 20)))
            try await journal.open(attempt, under: lease)
            var entries: [JournalEntry] = []
            for event in number % 5 == 4 ? [paid] : states[number % 5] {
                entries.append(Self.entry(event))
                try await journal.append(Self.entry(event), to: attempt.id, under: lease)
            }
            all.append(AttemptHistory(attempt: attempt, entries: entries))
        }
        for order in [AttemptQuery.Order.newestFirst, .oldestFirst] {
            for state in [nil] + AttemptQuery.State.allCases.map(Optional.some) {
                for (provider, since): (ProviderID?, Date?) in [
                    (nil, nil), ("acme", nil), (nil, Self.moment(8)), ("other", Self.moment(8)),
                ] {
                    for limit in [1, 3, 100] {
                        try await read(
                            AttemptQuery(provider: provider, state: state, since: since, order: order, limit: limit),
                            of: all, archive)
                    }
                }
            }
        }
    }

    private func read(_ query: AttemptQuery, of all: [AttemptHistory], _ archive: any AttemptArchive) async throws {
        let wanted = (query.order == .oldestFirst ? all : all.reversed()).filter(query.includes)
        var (query, found, pages) = (query, [AttemptHistory](), 0)
        repeat {
            let page = try await archive.attempts(query)
            expect(page.histories.count <= query.limit, "a page has more attempts than were asked for")
            expect(
                page.next == nil || page.histories.count == query.limit, "a page has room left, and there is a next one"
            )
            found += page.histories
            query.cursor = page.next
            pages += 1
        } while query.cursor != nil && pages <= all.count
        expect(
            found == wanted,
            "pages of \(query.limit) show \(Self.ids(found)), and not \(Self.ids(wanted))")
    }

    func pruning() async throws {
        let archive = try archive
        let refund = Self.refund("note")
        let samples: [(String, PaymentReference, [JournalEntry.Event])] = [
            ("open", Self.payment("open"), [Self.ask]),
            ("sent", Self.payment("sent"), [.stepStarted(name: "move", kind: .mutation(replay: .never))]),
            ("left", Self.payment("left"), [Self.ask, Self.abandoned]),
            ("declined", Self.payment("declined"), [.outcome(.declined(DeclineReason(.refused, "no")))]),
            (
                "paid", Self.payment("paid"),
                [.outcome(.succeeded(PaymentReceipt(reference: Self.payment("paid"))))]
            ),
            ("refunded", refund, [.outcome(.succeeded(PaymentReceipt(reference: refund)))]),
            (
                "begun", Self.payment("begun"),
                [.stepStarted(name: "send", kind: .walletTransfer), .outcome(.expired)]
            ),
        ]
        for (id, payment, events) in samples { try await store(id, payment, events) }
        let long = Self.moment(1_000_000)
        expect(
            try await archive.prune(endedBefore: Self.start, keepingProofsSince: Self.start) == 0,
            "something is removed that ended later, or at that moment")
        expect(
            Self.ids(try await archive.attempts(AttemptQuery(order: .oldestFirst)).histories) == samples.map(\.0),
            "something is removed that ended later")
        let removed = try await archive.prune(endedBefore: long, keepingProofsSince: Self.start)
        expect(
            Self.ids(try await archive.attempts(AttemptQuery(order: .oldestFirst)).histories)
                == ["open", "sent", "paid", "refunded", "begun"],
            "what is left after removing all but proofs is not what is unfinished or proves something")
        expect(removed == 2, "2 attempts are removed, and \(removed) are said to be")
        expect(try await journal.history(of: AttemptID(rawValue: "left")) == nil, "a removed attempt is still known")
        expect(
            try await journal.histories(of: Self.payment("left")).isEmpty, "a removed attempt is still its payment's")
        expect(
            try await archive.prune(endedBefore: Self.start, keepingProofsSince: long) == 0,
            "a proof is removed before what proves nothing")
        _ = try await archive.prune(endedBefore: long, keepingProofsSince: long)
        expect(
            Self.ids(try await journal.unfinished()) == ["open", "sent"], "an unfinished attempt is removed")
        expect(
            Self.ids(try await archive.attempts(AttemptQuery(order: .oldestFirst)).histories) == ["open", "sent"],
            "old proofs are not removed")
        // The journal stays usable.
        try await store("again", Self.payment("left"), [Self.ask])
        expect(
            Self.ids(try await archive.attempts(AttemptQuery(limit: 1)).histories) == ["again"],
            "an attempt after a removal is not the latest")
        // An intent's attempts have the same names again.
        try await store("declined", Self.payment("declined"), [Self.ask])
        expect(
            Self.ids(try await journal.histories(of: Self.payment("declined"))) == ["declined"],
            "an attempt with the name of a removed one is not there once")
    }
}
