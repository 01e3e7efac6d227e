import PaymentCore
import PaymentRouting

/// The rules of reservations and of their storage.
extension SpendingTrial {
    func identity() async throws {
        let limits = try Self.daily(100)
        let spending = try Self.spending("a", 60)
        try await grants(spending, limits, "a spending")
        try await grants(spending, limits, "the same one, asked for again")
        try await grants(
            try Self.spending("a", 60, on: Self.today.earlier(by: -1)), limits, "the same one, asked for after midnight"
        )
        expect(try await store.reservedSpendings().count == 1, "one spending is reserved several times")
        expect(
            try await store.spending(of: spending.attempt)?.spending == spending, "a repetition changes what is stored")
        try await grants(try Self.spending("b", 40), limits, "what one spending, asked for thrice, leaves room for")
        for (other, what) in [
            (try Self.spending("a", 1), "another amount"),
            (try Self.spending("a", 60, at: "other"), "another provider"),
            (try Self.spending("a", 60, to: "shop"), "another payee"),
            (try Self.spending("a", 60, by: "card"), "a method"),
        ] {
            await fails(.taken(spending.attempt), "a spending of the same attempt with \(what)") {
                _ = try await store.reserve(other, within: limits)
            }
        }
        try await store.release(spending.attempt)
        await fails(.taken(spending.attempt), "a spending whose attempt has ended") {
            _ = try await store.reserve(spending, within: limits)
        }
        try await store.commit(AttemptID(rawValue: "b"))
        await fails(.taken(AttemptID(rawValue: "b")), "a spending that is paid already") {
            _ = try await store.reserve(try Self.spending("b", 40), within: limits)
        }
    }

    func settling() async throws {
        let limits = try Self.daily(100)
        let (paid, unpaid) = (AttemptID(rawValue: "paid"), AttemptID(rawValue: "unpaid"))
        try await grants(try Self.spending("paid", 60), limits, "a spending")
        try await grants(try Self.spending("unpaid", 40), limits, "a second one")
        for _ in 0..<2 { try await store.commit(paid) }
        await fails(.paid(paid), "releasing what was paid") { try await store.release(paid) }
        expect(try await store.spending(of: paid)?.state == .paid, "what was paid is not called so")
        try await refuses(try Self.spending("a", 1), limits, "what a paid and a reserved spending leave no room for")
        for _ in 0..<2 { try await store.release(unpaid) }
        expect(try await store.spending(of: unpaid)?.state == .released, "what was released is not called so")
        expect(try await store.reservedSpendings().isEmpty, "something stays reserved")
        try await refuses(try Self.spending("b", 41), limits, "what a spending released twice leaves no room for")
        try await grants(try Self.spending("c", 30), limits, "what a released spending leaves room for")
        // Money that moved counts, whatever was reported before; it may then be more than the limit.
        try await store.commit(unpaid)
        expect(try await store.spending(of: unpaid)?.state == .paid, "a late word that it was paid is not taken")
        try await refuses(try Self.spending("d", 1), limits, "what a late payment leaves no room for")
        let nobody = AttemptID(rawValue: "nobody")
        await fails(.unknown(nobody), "committing what was never reserved") { try await store.commit(nobody) }
        try await store.release(nobody)
        expect(try await store.spending(of: nobody) == nil, "releasing what was never reserved leaves something")
    }

    func opening() async throws {
        guard let journal = store as? any PaymentJournal else { throw SkipError(reason: "the store is no journal") }
        let limits = try Self.daily(100)
        func reserve(_ id: String) async throws -> PaymentAttempt {
            let spending = try Self.spending(id, 1)
            try await grants(spending, limits, "a spending")
            return try JournalTrial.attempt(id, spending.payment)
        }
        func open(_ attempt: PaymentAttempt) async throws -> PaymentLease {
            let lease = JournalTrial.lease(attempt.reference)
            expect(try await journal.acquire(lease, at: attempt.startedAt), "the lease of a payment is not granted")
            try await journal.open(attempt, under: lease)
            return lease
        }
        func state(_ attempt: PaymentAttempt) async throws -> SpendingRecord.State? {
            try await store.spending(of: attempt.id)?.state
        }
        let first = try await reserve("open")
        let lease = try await open(first)
        await fails(.open(first.id), "releasing what an open attempt may pay") { try await store.release(first.id) }
        expect(try await state(first) == .reserved, "a refused release has released something")
        try await journal.append(JournalTrial.entry(JournalTrial.abandoned), to: first.id, under: lease)
        try await store.release(first.id)
        expect(try await state(first) == .released, "what an ended attempt has not paid stays reserved")
        let second = try await reserve("released")
        try await store.release(second.id)
        await expects(JournalError.leaseLost(second.reference), "opening an attempt whose reservation is released") {
            _ = try await open(second)
        }
        expect(try await journal.history(of: second.id) == nil, "an attempt that is refused is opened")
        let other = try await storage.reopen?() ?? store
        for number in 0..<20 {
            let attempt = try await reserve("race \(number)")
            async let release: Void? = try? other.release(attempt.id)
            _ = try? await open(attempt)
            _ = await release
            let isOpen = try await journal.history(of: attempt.id) != nil
            expect(
                try await state(attempt) == (isOpen ? .reserved : .released),
                "a reservation is released while its attempt is opened")
        }
    }

    func fidelity() async throws {
        let token = "caip19/eip155:1/erc20:0x" + String(repeating: "aa", count: 20)
        let first = Spending(
            attempt: AttemptID(rawValue: "z\u{0}\u{1F600}"), payment: PaymentReference(provider: "acme", id: "p'\""),
            amounts: [
                try Money(minorUnits: Money.maximumMinorUnits, currency: Currency(unit: token), exponent: 38),
                try Money(minorUnits: 12_345_678_901_234_567_890_123, currency: .satoshi),
            ], day: Self.today, payee: "", method: nil, keeper: .journal,
            timeZone: "Europe/Berlin")
        let second = try Self.spending("a", 7, on: Self.today.earlier(by: 40), to: "shop", by: "card")
        let third = try Self.spending("m", 7, on: Self.today.earlier(by: -1))
        let limits = [
            SpendingLimit(try Money(minorUnits: Money.maximumMinorUnits, currency: .satoshi), per: .day),
            SpendingLimit(try Self.cents(14), per: .day),
        ]
        try await grants(first, limits, "a spending with odd names")
        // Dated by a clock that is behind: it still comes after the other one and counts it.
        try await grants(second, limits, "a spending by a clock that is behind")
        try await grants(third, limits, "a spending on the next day")
        let records = [SpendingRecord(first, noticed: second.day), SpendingRecord(second), SpendingRecord(third)]
        for record in records {
            expect(
                try await store.spending(of: record.spending.attempt) == record,
                "the spending of '\(record.spending.attempt)' is not read as it was written")
        }
        expect(try await store.reservedSpendings() == records, "what is reserved is not what was, in order")
        try await store.commit(third.attempt)
        let paid = SpendingRecord(third, state: .paid)
        expect(try await store.reservedSpendings() == Array(records.prefix(2)), "what is paid is called reserved")
        expect(try await store.spendings(since: second.day) == records.prefix(2) + [paid], "some spendings are missing")
        expect(try await store.spendings(since: Self.today) == [records[0], paid], "spendings of a day are others")
        expect(
            try await store.spendings(since: Self.today.earlier(by: -2)).isEmpty, "spendings are there of days to come")
    }

    func exactNames() async throws {
        // Two texts that look alike, and are equal to Swift.
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        let limits = [
            SpendingLimit(try Self.cents(10), per: .day, on: .payee(composed)),
            SpendingLimit(try Self.cents(99), per: .day),
        ]
        try await grants(try Self.spending(composed, 10, to: composed), limits, "a spending")
        try await grants(
            try Self.spending(decomposed, 10, to: decomposed), limits, "another payee's by another attempt")
        expect(try await store.reservedSpendings().count == 2, "two attempts are taken for one")
        try await store.release(AttemptID(rawValue: decomposed))
        expect(
            try await store.spending(of: AttemptID(rawValue: composed))?.state == .reserved,
            "another attempt's reservation is released")
    }

    func race() async throws {
        let limits = try Self.daily(100)
        let store = store
        let granted = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<40 {
                group.addTask {
                    guard let spending = try? Self.spending("\(number)", 10) else { return false }
                    return (try? await store.reserve(spending, within: limits)) == .granted
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        expect(granted == 10, "\(granted) spendings of 10 are granted at the same time within 100")
        expect(try await store.reservedSpendings().count == granted, "what is granted is not what is reserved")
    }

    func sharing() async throws {
        guard let reopen = storage.reopen else { throw SkipError(reason: "the storage cannot be opened twice") }
        let (other, limits) = (try await reopen(), try Self.daily(100))
        try await grants(try Self.spending("a", 60), limits, "a spending")
        try await refuses(try Self.spending("b", 41), limits, "what another one leaves no room for", by: other)
        try await grants(try Self.spending("c", 40), limits, "what another one leaves room for", by: other)
        try await refuses(try Self.spending("d", 1), limits, "what the other one leaves no room for")
        try await other.release(AttemptID(rawValue: "a"))
        try await store.commit(AttemptID(rawValue: "c"))
        try await grants(try Self.spending("e", 60), limits, "what another one has released")
        expect(
            try await other.spending(of: AttemptID(rawValue: "c"))?.state == .paid, "another one's commit is not seen")
        let (store, count) = (store, 24)
        let granted = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<count {
                group.addTask {
                    guard let spending = try? Self.spending("race \(number)", 10, on: Self.today.earlier(by: -1)) else {
                        return false
                    }
                    return (try? await (number % 2 == 0 ? store : other).reserve(spending, within: limits)) == .granted
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        expect(granted == 10, "\(granted) spendings of 10 are granted at the same time by two within 100")
    }

    func powerLoss() async throws {
        guard let losePower = storage.losePower else { throw SkipError(reason: "the storage cannot lose power") }
        let limits = try Self.daily(100)
        for id in ["paid", "unpaid", "open"] { try await grants(try Self.spending(id, 30), limits, "a spending") }
        try await store.commit(AttemptID(rawValue: "paid"))
        try await store.release(AttemptID(rawValue: "unpaid"))
        let left = try await losePower()
        let states = try await left.spendings(since: Self.today).map(\.state)
        expect(states == [.paid, .released, .reserved], "after a loss of power the spendings are \(states)")
        try await refuses(try Self.spending("more", 41), limits, "what there was no room for before", by: left)
    }
}
