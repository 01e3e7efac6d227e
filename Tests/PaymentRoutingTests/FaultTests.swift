import Foundation
import PaymentCore
import PaymentRouting
import PaymentStore
import TestSupport
import Testing

@Suite("Faults while paying")
struct FaultTests {
    private static let paid = ServiceReport.succeeded(PaymentReceipt(reference: ScriptedProvider.reference))

    /// Sends one capture in a mutation step.
    private static let capture: ScriptedProvider.Pay = { attempt, context in
        let status = try await context.step("capture", .mutation(replay: .never)) { () -> Int in
            try await context.http.send(.capture()).status
        }
        _ = try await context.step("confirm", .query) { status }
        return .succeeded(PaymentReceipt(reference: attempt.reference))
    }

    private static func world(_ answer: @escaping RecordingTransport.Answer) -> World {
        var world = World()
        world.provider.payBody = capture
        world.transport = RecordingTransport(answer)
        return world
    }

    private static func lost(_ phase: TransportError.Phase) -> RecordingTransport.Answer {
        { request throws(TransportError) in
            throw TransportError(phase, .connectionLost("reset"), origin: request.url.origin)
        }
    }

    // MARK: Journal

    @Test("When the journal fails before sending, nothing is sent")
    func journalBeforeSend() async throws {
        let failures: [@Sendable (JournalEntry.Event?) -> Bool] = [
            { $0 == nil }, { $0 == .stepStarted(name: "capture", kind: .mutation(replay: .never)) }, { _ in true },
        ]
        for fails in failures {
            var world = Self.world { _ throws(TransportError) in HTTPResponse(status: 200) }
            world.journal = FailingJournal(fails)
            await #expect { try await world.pay() } throws: {
                let error = $0 as? PaymentError
                return error?.code == .journal && error?.phase == .beforeSend
            }
            #expect(world.transport.requests.isEmpty)
        }
    }

    @Test("When the journal fails after sending, the service's status counts and nothing is sent again")
    func journalAfterSend() async throws {
        let failures: [@Sendable (JournalEntry.Event?) -> Bool] = [
            { if case .stepFinished? = $0 { true } else { false } },
            { $0 == .stepStarted(name: "confirm", kind: .query) },
            { if case .outcome? = $0 { true } else { false } },
        ]
        for fails in failures {
            for status in [Self.paid, .unknown(UnknownOutcome(reference: ScriptedProvider.reference, message: "?"))] {
                var world = Self.world { _ throws(TransportError) in HTTPResponse(status: 200) }
                world.journal = FailingJournal(fails)
                world.provider.statusBody = { _, _ in status }
                let outcome = try await world.pay()
                if case .unknown = outcome { #expect(status != Self.paid) } else { #expect(outcome == Self.paid) }
                _ = try await world.pay()
                #expect(world.transport.requests.count == 1)
            }
        }
    }

    @Test("An answer that is not final is returned even when it cannot be stored")
    func pendingUnstored() async throws {
        var world = World()
        world.provider.payBody = { _, _ in .pending(retryAfter: .seconds(3)) }
        world.journal = FailingJournal { if case .outcome? = $0 { true } else { false } }
        #expect(try await world.pay() == .pending(retryAfter: .seconds(3)))
    }

    // MARK: Network

    @Test("A mutation whose answer is lost is settled by status")
    func lostAnswer() async throws {
        for settled in [Self.paid, .declined(DeclineReason(.refused, "no")), .cancelled, .expired] {
            var world = Self.world(Self.lost(.maybeSent))
            world.provider.statusBody = { _, _ in settled }
            #expect(try await world.pay() == settled)
            #expect(world.transport.requests.count == 1)
            #expect(try await world.histories.map(\.report) == [settled])
        }
    }

    @Test("A mutation that was not sent is an error, and may be tried again")
    func notSent() async throws {
        let world = Self.world(Self.lost(.notSent))
        await #expect { try await world.pay() } throws: {
            let error = $0 as? PaymentError
            return error?.code == .network && error?.phase == .beforeSend
        }
        #expect(world.provider.calls["status"] == 0)
        await #expect(throws: PaymentError.self) { try await world.pay() }
        #expect(try await world.histories.count == 2)
        #expect(try await world.histories.allSatisfy(\.isFinished))
    }

    @Test("When the status cannot be had either, the outcome is unknown within bounded time")
    func unreachable() async throws {
        for status in [nil, ServiceReport.pending(retryAfter: .seconds(1))] {
            var world = Self.world(Self.lost(.maybeSent))
            world.provider.statusBody = { payment, _ in
                guard let status else { throw PaymentError(.network, "gone", provider: "acme") }
                return status
            }
            guard case .unknown(let unknown) = try await world.pay() else { throw CancellationError() }
            #expect(unknown.reference == ScriptedProvider.reference)
            #expect(world.clock.slept <= .seconds(60))
            #expect(world.provider.calls["status"] > 1)
            #expect(world.provider.calls["status"] <= 10)
            // Later the service works again: the same attempt is settled, nothing is sent again.
            world.provider.statusBody = { _, _ in Self.paid }
            #expect(try await world.pay() == Self.paid)
            #expect(world.transport.requests.count == 1)
            #expect(try await world.histories.count == 1)
        }
    }

    @Test("A provider cannot talk away what may have been sent")
    func swallowedError() async throws {
        for claimed in [ServiceReport.cancelled, .expired, .declined(DeclineReason(.refused, "no"))] {
            var world = Self.world(Self.lost(.maybeSent))
            world.provider.payBody = { attempt, context in
                do { return try await Self.capture(attempt, context) } catch { return claimed }
            }
            world.provider.statusBody = { _, _ in Self.paid }
            #expect(try await world.pay() == Self.paid)
        }
    }

    @Test("A provider that mislabels a lost answer as unsent is not believed")
    func mislabelledError() async throws {
        var world = Self.world(Self.lost(.maybeSent))
        world.provider.payBody = { _, context in
            _ = try await context.step("capture", .mutation(replay: .never)) { () -> Int in
                do { return try await context.http.send(.capture()).status } catch {
                    throw PaymentError(.network, "failed", provider: "acme", phase: .beforeSend)
                }
            }
            return .cancelled
        }
        world.provider.statusBody = { _, _ in Self.paid }
        #expect(try await world.pay() == Self.paid)
        #expect(world.transport.requests.count == 1)
    }

    @Test("A refusal that the service answered ends the attempt, and another may begin")
    func refused() async throws {
        var world = Self.world { _ throws(TransportError) in HTTPResponse(status: 402) }
        world.provider.payBody = { _, context in
            _ = try await context.step("capture", .mutation(replay: .never)) { () -> Int in
                let status = try await context.http.send(.capture()).status
                throw PaymentError(.requestRefused, "refused with \(status)", provider: "acme", phase: .answered)
            }
            return .cancelled
        }
        #expect(await failure { try await world.pay() }?.code == .requestRefused)
        #expect(world.provider.calls["status"] == 0)
        #expect(try await world.histories.first?.isFinished == true)
    }

    // MARK: Cancellation

    @Test("Cancelling before anything is sent is an error, and nothing is sent")
    func cancelBefore() async throws {
        let entered = Gate()
        var world = World()
        world.provider.payBody = { attempt, context in
            await entered.open()
            while !Task.isCancelled { await Task.yield() }
            return try await Self.capture(attempt, context)
        }
        let router = try world.router
        let task = Task { try await router.pay(ScriptedProvider.link, as: .careless) }
        await entered.pass()
        task.cancel()
        await #expect { try await task.value } throws: {
            let error = $0 as? PaymentError
            return error?.code == .cancelled && error?.phase == .beforeSend
        }
        #expect(world.transport.requests.isEmpty)
        #expect(try await world.histories.first?.isFinished == true)
    }

    @Test("Cancelling after dispatch is unknown, never cancelled; the next payment settles it")
    func cancelAfter() async throws {
        let entered = Gate()
        var world = Self.world { request throws(TransportError) in
            await entered.open()
            while !Task.isCancelled { await Task.yield() }
            throw TransportError(.maybeSent, .cancelled, origin: request.url.origin)
        }
        let router = try world.router
        let task = Task { try await router.pay(ScriptedProvider.link, as: .careless) }
        await entered.pass()
        task.cancel()
        guard case .unknown = try await task.value else { throw CancellationError() }
        world.provider.statusBody = { _, _ in Self.paid }
        #expect(try await world.pay() == Self.paid)
        #expect(world.transport.requests.count == 1)
    }

    @Test("A caller that stops waiting does not cancel the others' payment")
    func cancelOneOfTwo() async throws {
        let pause = Pause()
        var world = World()
        world.provider.payBody = { attempt, context in
            await pause.hold()
            return try await Self.capture(attempt, context)
        }
        let router = try world.router
        async let first = router.pay(ScriptedProvider.link, as: .careless)
        await pause.reached()
        let second = Task { try await router.pay(ScriptedProvider.link, as: .careless) }
        second.cancel()
        await pause.end()
        #expect(try await first == Self.paid)
        #expect(try await second.value == Self.paid, "who waits is told the true ending")
        #expect(world.transport.requests.count == 1)
    }

    // MARK: Crashes

    @Test("A crash after every journal entry resumes to one outcome with at most one capture", arguments: 0..<7)
    func crashEverywhere(entries: Int) async throws {
        let whole = Self.world { _ throws(TransportError) in HTTPResponse(status: 200) }
        _ = try await whole.pay()
        let history = try #require(try await whole.histories.first)
        #expect(history.entries.count == 5)
        let survived = history.entries.prefix(entries)
        let world = Self.world { _ throws(TransportError) in HTTPResponse(status: 200) }
        try await world.leave(AttemptHistory(attempt: history.attempt, entries: Array(survived)))
        let wasDispatched = survived.contains {
            $0.event == .stepStarted(name: "capture", kind: .mutation(replay: .never))
        }
        #expect(try await world.router.resume(history.attempt.id, as: Payer()) == Self.paid)
        #expect(world.transport.requests.count == (wasDispatched ? 0 : 1))
    }
}
