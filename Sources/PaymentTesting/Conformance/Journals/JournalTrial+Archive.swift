import PaymentCore
import PaymentRouting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
