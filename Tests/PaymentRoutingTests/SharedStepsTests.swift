import PaymentCore
import TestSupport
import Testing

@testable import PaymentRouting

/// The rules by which workers on one payment share its steps. What they mean for a payment is in `VisitorTests`.
@Suite("Steps that workers share")
struct SharedStepsTests {
    private let steps = SharedSteps()
    private let one = AttemptID(rawValue: "one")
    private let other = AttemptID(rawValue: "other")
    private let records = Tally()

    private func begin(
        _ name: String = "charge", of attempt: AttemptID? = nil, by run: SharedSteps.Run, movesMoney: Bool = true,
        isKnown: Bool = false
    ) async throws -> JSONValue? {
        let records = records
        return try await steps.begin(
            name, of: attempt ?? one, by: run, movesMoney: movesMoney, isKnown: isKnown
        ) { records.count("begun") }
    }

    private func end(_ name: String = "charge", of attempt: AttemptID? = nil, with result: JSONValue) async throws
        -> JSONValue
    {
        let records = records
        return try await steps.end(name, of: attempt ?? one, with: result) { records.count("ended") }
    }

    @Test("A mutation that a worker has begun is begun by no other one while that one is at work")
    func onlyOne() async throws {
        let (first, second) = (SharedSteps.Run(), SharedSteps.Run())
        #expect(try await begin(by: first) == nil)
        for isKnown in [false, true] {
            await #expect(throws: SharedSteps.StepInFlightError.self) { try await begin(by: second, isKnown: isKnown) }
        }
        await #expect(throws: SharedSteps.StepInFlightError.self) { try await begin(by: first) }
        #expect(try await begin(by: first, isKnown: true) == nil, "a worker that knows it may repeat its own")
        #expect(records["begun"] == 2)
        #expect(try await begin("refund", by: second) == nil, "another step")
        #expect(try await begin(of: other, by: second) == nil, "another attempt's")
        withExtendedLifetime(first) {}
    }

    @Test("One whose worker is gone is repeated by a worker that has found it in the journal")
    func gone() async throws {
        let second = SharedSteps.Run()
        #expect(try await begin(by: SharedSteps.Run()) == nil)
        await #expect(throws: SharedSteps.StepInFlightError.self) { try await begin(by: second) }
        #expect(try await begin(by: second, isKnown: true) == nil)
        #expect(records["begun"] == 2)
    }

    @Test("A question may be asked by each, and the first answer is everybody's")
    func results() async throws {
        let (first, second) = (SharedSteps.Run(), SharedSteps.Run())
        #expect(try await begin("key", by: first, movesMoney: false) == nil)
        #expect(try await begin("key", by: second, movesMoney: false) == nil)
        #expect(try await end("key", with: "first") == "first")
        #expect(try await end("key", with: "second") == "first")
        #expect(records["ended"] == 1)
        #expect(try await begin("key", by: second, movesMoney: false) == "first")
        #expect(records["begun"] == 2, "what has ended begins no more")
        #expect(try await begin("key", of: other, by: second, movesMoney: false) == nil)
    }

    @Test("What could not be stored has not begun, or ended")
    func unstored() async throws {
        struct Full: Error {}
        let run = SharedSteps.Run()
        await #expect(throws: Full.self) {
            try await steps.begin("charge", of: one, by: run, movesMoney: true, isKnown: false) { throw Full() }
        }
        #expect(await !steps.haveOthersBegun(one, besides: SharedSteps.Run()))
        await #expect(throws: Full.self) { try await steps.end("key", of: one, with: 1) { throw Full() } }
        #expect(try await begin("key", by: run, movesMoney: false) == nil)
    }

    @Test("A mutation is held while another worker that has begun it is at work, and it did not fail")
    func held() async throws {
        let (first, second) = (SharedSteps.Run(), SharedSteps.Run())
        #expect(await !steps.isHeld("charge", of: one, besides: second))
        _ = try await begin(by: first)
        #expect(await steps.isHeld("charge", of: one, besides: second))
        #expect(await !steps.isHeld("charge", of: one, besides: first))
        #expect(await !steps.isHeld("charge", of: other, besides: second))
        #expect(await !steps.isHeld("refund", of: one, besides: second))
        await steps.fail("charge", of: one)
        #expect(await !steps.isHeld("charge", of: one, besides: second))
        #expect(try await begin(by: second) == nil, "what surely did nothing may begin")
        #expect(await steps.isHeld("charge", of: one, besides: first))
        withExtendedLifetime((first, second)) {}
    }

    @Test(
        "Others have begun what may have moved money of this attempt, until it failed; with its result it is resolved")
    func othersBegun() async throws {
        let (first, second) = (SharedSteps.Run(), SharedSteps.Run())
        func have(_ attempt: AttemptID, besides run: SharedSteps.Run) async -> [Bool] {
            [
                await steps.haveOthersBegun(attempt, besides: run),
                await steps.haveOthersBegun(attempt, besides: run, unresolved: true),
            ]
        }
        _ = try await begin("key", by: first, movesMoney: false)
        #expect(await have(one, besides: second) == [false, false], "a question moves nothing")
        _ = try await begin(by: first)
        #expect(await have(one, besides: second) == [true, true])
        #expect(await have(one, besides: first) == [false, false], "its own")
        #expect(await have(other, besides: second) == [false, false], "another attempt's")
        _ = try await end(of: other, with: true)
        #expect(await have(one, besides: second) == [true, true], "another attempt's end")
        _ = try await end(with: true)
        #expect(await have(one, besides: second) == [true, false])
        await steps.fail("charge", of: one)
        #expect(await have(one, besides: second) == [false, false])
        withExtendedLifetime(first) {}
    }

    @Test("A payment that has ended stays so")
    func ended() async {
        #expect(await !steps.isPaymentEnded)
        await steps.endPayment()
        #expect(await steps.isPaymentEnded)
    }
}
