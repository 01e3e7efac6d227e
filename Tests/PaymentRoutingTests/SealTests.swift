import Foundation
import PaymentCore
import PaymentStore
import PaymentTesting
import Synchronization
import TestSupport
import Testing

@testable import PaymentRouting

/// A journal that another program has changed.
@Suite("Sealed journals")
struct SealTests {
    private static let paid = ServiceReport.succeeded(PaymentReceipt(reference: ScriptedProvider.reference))

    @Test("No byte of a sealed field counts for the next one")
    func boundaries() throws {
        func seal(_ name: String, _ reason: String) throws -> String {
            let entry = JournalEntry(date: .distantPast, event: .stepFailed(name: name, reason: reason))
            return try Self.key().seal(entry, of: AttemptID(rawValue: "a"), at: 0, after: "")
        }
        #expect(try seal("a:b", "c") != seal("a", "b:c"))
        #expect(try seal("ab", "c") != seal("a", "bc"))
    }

    private static func key(_ byte: UInt8 = 1) throws -> JournalKey {
        try JournalKey(Redacted([UInt8](repeating: byte, count: JournalKey.minimumLength)))
    }

    /// Fetches the call to sign, has it signed, captures. The service answers the fetch with `call`.
    private static func world(call: String = "call", seed: UInt64 = 1) throws -> World {
        var world = World()
        world.key = try key()
        world.random = SeededRandomSource(seed: seed)
        world.provider.payBody = { attempt, context in
            let call = try await context.step("fetch", .query) { call }
            let signed = try await context.step("sign", .interaction) { "signed " + call }
            _ = try await context.step("capture", .mutation(replay: .never)) { () -> String in
                _ = try await context.http.send(.capture())
                return signed
            }
            return .succeeded(PaymentReceipt(reference: attempt.reference))
        }
        return world
    }

    /// The entries of a process that ended after `last` of them.
    private static func left(upTo last: Int, call: String = "call", seed: UInt64 = 1) async throws -> AttemptHistory {
        var world = try world(call: call, seed: seed)
        let journal = RecordingJournal()
        world.journal = journal
        _ = try await world.pay()
        let history = try #require(await journal.written)
        return AttemptHistory(attempt: history.attempt, entries: Array(history.entries.prefix(last)))
    }

    /// fetch, sign, capture: each started and finished, then the outcome.
    private static let beforeCapture = 4

    // MARK: Honest journals

    @Test("A sealed attempt is resumed after a crash at every entry, from the file as well", arguments: 0...7)
    func honest(entries: Int) async throws {
        let folder = ScratchFolder()
        let history = try await Self.left(upTo: entries)
        #expect(history.entries.count == entries && history.entries.allSatisfy { $0.seal != nil })
        for isFile in [false, true] {
            var world = try Self.world()
            let path = folder.file("journal\(isFile)")
            if isFile { world.journal = try SQLiteJournal(path: path) }
            try await world.leave(history)
            if isFile { world.journal = try SQLiteJournal(path: path) }
            #expect(try await world.router.resume(history.attempt.id, as: Payer()) == Self.paid)
            #expect(world.transport.requests.count == (entries <= Self.beforeCapture ? 1 : 0))
            #expect(try await world.pay() == Self.paid, "what ended is known again")
            #expect(try await world.histories.count == 1)
        }
    }

    @Test("Entries of a payer's return beside the payment keep the seals right")
    func besides() async throws {
        let pause = Pause()
        var world = World()
        world.key = try Self.key()
        world.provider.payBody = { attempt, context in
            try await context.hold("page", .interaction, at: pause)
            _ = try await context.step("capture", .mutation(replay: .never)) { true }
            return .pending(retryAfter: nil)
        }
        world.provider.completeBody = { _, context in
            _ = try await context.step("returned", .query) { 1 }
            return .pending(retryAfter: nil)
        }
        let router = try world.router
        async let outcome = router.pay(ScriptedProvider.link, as: .careless)
        await pause.reached()
        async let one = router.handle("shop://paid?id=p1")
        async let two = router.handle("shop://paid?id=p1")
        _ = try await [one, two]
        await pause.end()
        #expect(try await outcome == .pending(retryAfter: nil))
        world.provider.payBody = { _, _ in Self.paid }
        #expect(try await world.router.pay(ScriptedProvider.link, as: .careless) == Self.paid)
    }

    @Test("Answers that are erased at the end leave the record sound; nothing else that is missing does")
    func erased() async throws {
        let world = try Self.world()
        _ = try await world.pay()
        let history = try #require(try await world.histories.first)
        func places(_ name: String) -> [Int] {
            history.entries.indices.filter {
                if case .stepFinished(name, .null) = history.entries[$0].event { true } else { false }
            }
        }
        #expect(places("sign").count == 1 && places("fetch").isEmpty)
        #expect(try Self.key().isSound(history))
        #expect(try !Self.key(2).isSound(history))
        var missing = history
        for (index, entry) in missing.entries.enumerated() {
            guard case .stepFinished("fetch", _) = entry.event else { continue }
            missing.replace(index, by: .stepFinished(name: "fetch", result: .null))
        }
        #expect(missing != history)
        #expect(try !Self.key().isSound(missing), "the answer of a service is not erased")
        var open = history
        open.entries.removeLast()
        #expect(try !Self.key().isSound(open), "nothing is erased before the end")
    }

    // MARK: Changed journals

    /// A journal that another program changes while a payment is in progress.
    private actor ChangedJournal: ForwardingJournal {
        let base = InMemoryJournal()
        private var isChanged = false

        func change() { isChanged = true }

        func history(of attempt: AttemptID) async throws -> AttemptHistory? {
            var history = await base.history(of: attempt)
            if isChanged {
                history?.entries.append(
                    JournalEntry(date: .distantPast, event: .stepStarted(name: "other", kind: .query)))
            }
            return history
        }
    }

    @Test(
        "A record that is changed during a payment stops it, with an error that says whether anything may have been sent"
    )
    func changedMeanwhile() async throws {
        for (isInterrupted, phase) in [(false, PaymentError.Phase.beforeSend), (true, .maybeSent)] {
            let journal = ChangedJournal()
            let phases = Mutex<[PaymentError.Phase?]>([])
            var world = World()
            world.key = try Self.key()
            world.journal = journal
            world.provider.descriptor = .acme(replayWindow: .seconds(600))
            world.provider.statusBody = { _, _ in .pending(retryAfter: nil) }
            world.provider.payBody = { _, context in
                _ = try await context.step("capture", .mutation(replay: .sameKey)) { () -> Int in
                    throw TransportError(.maybeSent, .timedOut, origin: "api.acme.example")
                }
                return Self.paid
            }
            if isInterrupted { _ = try? await world.pay() }
            world.provider.payBody = { _, context in
                await journal.change()
                do { _ = try await context.step("capture", .mutation(replay: .sameKey)) { 1 } } catch {
                    phases.withLock { $0.append((error as? PaymentError)?.phase) }
                    throw error
                }
                return Self.paid
            }
            _ = try? await world.pay()
            #expect(phases.withLock { $0 } == [phase])
        }
    }

    /// A journal in which another program ends an attempt.
    private actor EndedJournal: ForwardingJournal {
        let base = InMemoryJournal()
        private var lease: PaymentLease?

        func open(_ attempt: PaymentAttempt, under lease: PaymentLease) async throws {
            self.lease = lease
            try await base.open(attempt, under: lease)
        }

        func end(_ attempt: PaymentAttempt, as outcome: PaymentOutcome) async throws {
            guard let lease else { return }
            let entry = JournalEntry(date: attempt.startedAt, event: .outcome(outcome))
            try await base.append(entry, to: attempt.id, under: lease)
        }
    }

    @Test(
        "An end that another program adds during a payment is not the payment's", arguments: [true, false],
        [true, false])
    func addedEnd(hasStep: Bool, isAfterStep: Bool) async throws {
        let (journal, paid) = (EndedJournal(), try await World().pay())
        var world = World()
        (world.key, world.journal) = (try Self.key(), journal)
        world.provider.payBody = { attempt, context in
            if isAfterStep { _ = try await context.step("look", .query) { 1 } }
            try await journal.end(attempt, as: paid)
            if hasStep { _ = try await context.step("capture", .mutation(replay: .never)) { 1 } }
            return .declined(DeclineReason(.refused, "no"))
        }
        let outcome = try? await world.pay()
        #expect(paid == Self.paid && outcome?.report != paid.report)
    }

    @Test("Without seals an end that another worker adds is the payment's, unless it denies what may still be paid")
    func storedEnd() async throws {
        let (paid, refused) = (Self.paid, ServiceReport.declined(DeclineReason(.refused, "no")))
        for (stored, report, stated) in [
            (paid, ServiceReport.pending(retryAfter: nil), paid), (paid, refused, paid),
            (refused, .pending(retryAfter: nil), .pending(retryAfter: nil)),
        ] {
            let (journal, outcome) = (EndedJournal(), try await Self.outcome(stored))
            var world = World()
            world.journal = journal
            world.provider.payBody = { attempt, _ in
                try await journal.end(attempt, as: outcome)
                return report
            }
            #expect(try await world.pay() == stated)
        }
    }

    /// The outcome of a payment of which the service reports this.
    private static func outcome(_ report: ServiceReport) async throws -> PaymentOutcome {
        var world = World()
        world.provider.payBody = { _, _ in report }
        return try await world.pay()
    }

    typealias Change = @Sendable (inout AttemptHistory, _ other: AttemptHistory) -> Void

    /// The possible changes of the four entries before the capture; `other` is another sealed attempt.
    static let changes: [(String, Change)] = [
        ("another option", { history, _ in history.change(option: .euros("dearer")) }),
        (
            "another price under the option's name",
            { history, _ in
                let option = history.attempt.option
                history.change(option: PaymentMethodOption(id: option.id, title: option.title, amount: .cents(100_000)))
            }
        ),
        (
            "another attempt's option and seal",
            { history, other in history.change(option: other.attempt.option, seal: .some(other.attempt.seal)) }
        ),
        ("another key for the service", { history, _ in history.change(key: "k") }),
        (
            "another beginning",
            { history, _ in history.change(startedAt: Date(timeIntervalSince1970: 2_000_000_000)) }
        ),
        ("an attempt without its seal", { history, _ in history.change(seal: .some(nil)) }),
        ("another call", { history, _ in history.replace(1, by: .stepFinished(name: "fetch", result: "evil")) }),
        ("another attempt's call", { history, other in history.entries[1] = other.entries[1] }),
        ("an entry without its seal", { history, _ in history.entries[3].seal = nil }),
        ("an entry taken out", { history, _ in history.entries.remove(at: 1) }),
        ("the first entries taken out", { history, _ in history.entries.removeFirst(2) }),
        ("two entries swapped", { history, _ in history.entries.swapAt(1, 3) }),
        ("an entry twice", { history, _ in history.entries.append(history.entries[3]) }),
        (
            "an ending added",
            { history, _ in
                history.entries.append(JournalEntry(date: history.attempt.startedAt, event: .abandoned(reason: "no")))
            }
        ),
        ("a signature erased", { history, _ in history.replace(3, by: .stepFinished(name: "sign", result: .null)) }),
    ]

    @Test("What was changed is neither signed nor sent", arguments: changes.indices)
    func changed(index: Int) async throws {
        let (what, change) = Self.changes[index]
        var history = try await Self.left(upTo: Self.beforeCapture)
        let other = try await Self.left(upTo: Self.beforeCapture, call: "other", seed: 2)
        change(&history, other)
        let world = try Self.world()
        try await world.leave(history)
        let (router, id, before) = (try world.router, history.attempt.id, try await world.histories)
        let asks: [@Sendable () async throws -> PaymentOutcome] = [
            { try await router.resume(id, as: .careless) },
            { try await router.pay(ScriptedProvider.link, as: .careless) },
        ]
        for ask in asks {
            let error = await #expect(throws: PaymentError.self, "\(what)") { _ = try await ask() }
            #expect(error?.code == .integrity && error?.phase == .beforeSend, "\(what): \(String(describing: error))")
            #expect(error?.message.contains(id.rawValue) == true)
        }
        for report in try await router.recover(as: .careless) {
            guard case .failure(let error) = report.result else { Issue.record("\(what)"); continue }
            #expect(error.code == .integrity)
        }
        #expect(world.provider.calls["pay"] == 0 && world.transport.requests.isEmpty, "\(what)")
        #expect(try await world.histories == before, "nothing is written to it")
    }

    @Test("An older answer put back in its place does not fit what came after it")
    func olderAnswer() async throws {
        var history = try await Self.left(upTo: Self.beforeCapture, call: "new")
        // The same attempt, from an earlier copy of the journal: another answer at the same place.
        let older = try await Self.left(upTo: Self.beforeCapture, call: "old")
        #expect(older.attempt == history.attempt)
        history.entries[1] = older.entries[1]
        let world = try Self.world()
        try await world.leave(history)
        #expect(await failure { try await world.pay() }?.code == .integrity)
        #expect(world.transport.requests.isEmpty)
    }

    @Test("When something may have been sent already, only the service's status that it is paid counts")
    func changedLater() async throws {
        for status in [Self.paid, .declined(DeclineReason(.refused, "no")), .pending(retryAfter: nil)] {
            for last in [5, 6, 7] {
                var history = try await Self.left(upTo: last)
                history.entries[1].seal = history.entries[0].seal
                var world = try Self.world()
                world.provider.statusBody = { _, _ in status }
                try await world.leave(history)
                for outcome in [
                    try await world.pay(), try await world.router.resume(history.attempt.id, as: .careless),
                ] {
                    if status == Self.paid {
                        #expect(outcome == status)
                    } else if case .unknown(let unknown) = outcome {
                        #expect(unknown.message.contains(history.attempt.id.rawValue))
                    } else {
                        Issue.record("\(outcome)")
                    }
                }
                #expect(world.transport.requests.isEmpty && world.provider.calls["pay"] == 0)
                #expect(try await world.histories.first?.entries.count == last)
            }
        }
    }

    @Test("A step's name is no part of its result's seal: a failure cannot be made another step's")
    func lentBytes() async throws {
        var world = try Self.world()
        let journal = RecordingJournal()
        world.journal = journal
        world.provider.statusBody = { _, _ in .pending(retryAfter: nil) }
        world.provider.payBody = { _, context in
            _ = try? await context.step("capture", .mutation(replay: .never)) { () async throws -> Bool in
                throw PaymentError(.network, "lost", phase: .maybeSent)
            }
            _ = try? await context.step("capture:look", .query) { () async throws -> Bool in
                throw PaymentError(.network, "down")
            }
            return .pending(retryAfter: nil)
        }
        _ = try await world.pay()
        var history = try #require(await journal.written)
        let failed = try #require(
            history.entries.firstIndex { $0.event == .stepFailed(name: "capture:look", reason: "down", wasSent: false) }
        )
        history.entries.removeSubrange((failed + 1)...)
        // As if the capture had certainly done nothing.
        history.replace(failed, by: .stepFailed(name: "capture", reason: "look:down"))
        let later = try Self.world()
        try await later.leave(history)
        _ = try? await later.router.resume(history.attempt.id, as: .careless)
        #expect(later.transport.requests.isEmpty && later.provider.calls["pay"] == 0)
    }

    @Test("An attempt that was put under another payment's name does not return that payment's outcome")
    func otherPayment() async throws {
        var moved = try await Self.left(upTo: 5)
        moved.change(payment: PaymentReference(provider: "acme", id: "p2"))
        let world = try Self.world()
        try await world.leave(moved)
        #expect(
            try await world.router.resume(moved.attempt.id, as: .careless).unknownOutcome != nil,
            "the other payment's status was taken")
        #expect(world.provider.calls["status"] == 0)
    }

    @Test("A return URL writes nothing to a changed record")
    func callback() async throws {
        var history = try await Self.left(upTo: Self.beforeCapture)
        history.entries[1].seal = nil
        let world = try Self.world()
        try await world.leave(history)
        #expect(await failure { try await world.router.handle("shop://paid?id=p1") }?.code == .integrity)
        #expect(world.provider.calls["complete"] == 0)
        #expect(try await world.histories == [history])
    }

    // MARK: Keys

    @Test("Without a key everything is read; with one only what it sealed")
    func keys() async throws {
        let sealed = try await Self.left(upTo: 2)
        var bare = sealed
        bare.change(seal: .some(nil))
        for index in bare.entries.indices { bare.entries[index].seal = nil }
        let cases: [(AttemptHistory, JournalKey?, isRead: Bool)] = [
            (sealed, nil, true), (bare, nil, true), (sealed, try Self.key(), true), (bare, try Self.key(), false),
            (sealed, try Self.key(2), false),
        ]
        for (history, key, isRead) in cases {
            var world = try Self.world()
            world.key = key
            try await world.leave(history)
            let outcome = try? await world.router.resume(history.attempt.id, as: .careless)
            #expect((outcome == Self.paid) == isRead)
            #expect(world.transport.requests.count == (isRead ? 1 : 0))
        }
    }

    @Test("Short keys are refused, and no key is ever shown")
    func shortKeys() throws {
        #expect(throws: PaymentError.self) { try JournalKey(Redacted([UInt8](repeating: 1, count: 31))) }
        var dumped = ""
        dump(try JournalKey(Redacted(Array("the key that nobody may ever see".utf8))), to: &dumped)
        #expect(!dumped.contains("116"), "no byte of it: \(dumped)")
    }
}

extension AttemptHistory {
    /// Changes parts of the attempt, and keeps the seal unless it is changed as well.
    fileprivate mutating func change(
        payment: PaymentReference? = nil, option: PaymentMethodOption? = nil, key: String? = nil,
        startedAt: Date? = nil, seal: String?? = nil
    ) {
        self = AttemptHistory(
            attempt: PaymentAttempt(
                id: attempt.id, reference: payment ?? attempt.reference, option: option ?? attempt.option,
                idempotencyKey: key ?? attempt.idempotencyKey, startedAt: startedAt ?? attempt.startedAt,
                expiresAt: attempt.expiresAt, seal: seal ?? attempt.seal),
            entries: entries)
    }

    /// Replaces the event of an entry, and keeps its date and its seal.
    fileprivate mutating func replace(_ index: Int, by event: JournalEntry.Event) {
        entries[index] = JournalEntry(date: entries[index].date, event: event, seal: entries[index].seal)
    }
}

/// Keeps every entry as it was written: ends erase nothing.
private actor RecordingJournal: ForwardingJournal {
    let base = InMemoryJournal()
    private(set) var written: AttemptHistory?

    func open(_ attempt: PaymentAttempt, under lease: PaymentLease) async throws {
        written = AttemptHistory(attempt: attempt)
        try await base.open(attempt, under: lease)
    }
    func append(_ entry: JournalEntry, to attempt: AttemptID, under lease: PaymentLease) async throws {
        written?.entries.append(entry)
        try await base.append(entry, to: attempt, under: lease)
    }
}
