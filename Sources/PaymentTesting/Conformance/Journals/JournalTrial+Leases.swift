import PaymentCore
import PaymentRouting

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
