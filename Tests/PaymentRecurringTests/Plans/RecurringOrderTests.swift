import PaymentCore
import PaymentRecurring
import Testing

@Suite("Orders of plans")
struct RecurringOrderTests {
    private func plan(_ details: JSONValue) throws -> RecurringPlan {
        var plan = try PlanTests.plan()
        plan.details = details
        return plan
    }

    @Test(
        "An order is read as it was written",
        arguments: [
            RecurringOrder(link: "bitcoin:bc1q", option: "onchain", paysByItself: true),
            RecurringOrder(link: "bitcoin:bc1q", paysByItself: false),
        ])
    func kept(order: RecurringOrder) throws {
        #expect(try RecurringOrder(plan(order.details)) == order)
    }

    @Test("A plan pays by itself only if it says so, and without a link it has no order")
    func incomplete() throws {
        #expect(try RecurringOrder(plan(["link": "x"])) == RecurringOrder(link: "x", paysByItself: false))
        #expect(try RecurringOrder(plan(["paysByItself": true])) == nil)
    }
}
