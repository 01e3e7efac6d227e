import Foundation
import PaymentCore
import PaymentRecurring
import Testing

@Suite("The lines of events of what recurs")
struct RecurringEventTests {
    @Test("A report on a period gives its reason")
    func reasons() throws {
        var plan = try PlanTests.plan()
        var charge = try #require(plan.open(at: PlanTests.start).first)
        func line(_ event: (RecurringCharge) -> RecurringEvent, _ state: RecurringCharge.State) -> String {
            charge.state = state
            return "\(event(charge))"
        }
        #expect(line(RecurringEvent.missed, .missed(.refused)) == "sub_1/0: missed, the payer said no")
        #expect(line(RecurringEvent.waiting, .waiting("above")) == "sub_1/0: waits for the payer, above")
        #expect(line(RecurringEvent.unknown, .unknown("lost")) == "sub_1/0: not known whether it was paid, lost")
    }

    @Test(
        "A doubtful clock has gone on too far, or is behind",
        arguments: [(1.0, "the clock has gone on further"), (-1, "the clock is behind"), (0, "the clock is behind")])
    func clock(seconds: Double, text: String) {
        let now = PlanTests.start.addingTimeInterval(seconds)
        #expect("\(RecurringEvent.doubtfulClock(now: now, trusted: PlanTests.start))".hasPrefix(text))
    }
}
