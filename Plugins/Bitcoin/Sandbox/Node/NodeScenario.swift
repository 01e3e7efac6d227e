/// A simulated node's behaviour with the payments that it is asked for.
package struct NodeScenario: Sendable, CaseIterable, CustomStringConvertible {
    /// The end of a payment.
    enum End: Sendable { case arrives, fails, staysInFlight }

    /// A payment's preimage as the node states it.
    enum Preimage: Sendable { case fits, wrong, none }

    /// The name.
    package let description: String
    let end: End
    /// The time that a payment is in flight, in seconds.
    let seconds: Double
    /// The preimage that the node states.
    let preimage: Preimage
    /// True if a server before the node calls a payment failed while it is in flight.
    let isCalledFailed: Bool
    /// True if another program has paid every invoice before.
    let isPaidBefore: Bool

    private init(
        _ name: String, _ end: End, after seconds: Double = 0, _ preimage: Preimage = .fits, paidBefore: Bool = false,
        calledFailed: Bool = false
    ) {
        (description, self.end, self.seconds) = (name, end, seconds)
        (self.preimage, isPaidBefore, isCalledFailed) = (preimage, paidBefore, calledFailed)
    }

    /// Payments arrive at once.
    package static let pays = NodeScenario("pays", .arrives)
    /// There is no route.
    package static let refuses = NodeScenario("refuses", .fails)
    /// The payee holds the money for a day, and takes it.
    package static let paysAfterADay = NodeScenario("pays-after-a-day", .arrives, after: 86_400)
    /// The payee holds the money for a day, and sends it back.
    package static let failsAfterADay = NodeScenario("fails-after-a-day", .fails, after: 86_400)
    /// A part of the payment never comes back.
    package static let staysInFlight = NodeScenario("stays-in-flight", .staysInFlight)
    /// The node says that it paid, and states a preimage of another invoice.
    package static let wrongPreimage = NodeScenario("wrong-preimage", .arrives, .wrong)
    /// The node says that it paid, and has no preimage.
    package static let noPreimage = NodeScenario("no-preimage", .arrives, .none)
    /// A server calls the payment failed for nine seconds; then it is paid.
    package static let failsThenPays = calledFailed(for: 9)
    /// Another program has paid the invoice from the same wallet.
    package static let paidBefore = NodeScenario("paid-before", .arrives, paidBefore: true)

    /// Returns payments that are in flight for a time.
    ///
    /// - Parameter arrives: true if they arrive then, and do not come back.
    package static func inFlight(for seconds: Double, arrives: Bool) -> NodeScenario {
        NodeScenario("in-flight-for-\(seconds)-s", arrives ? .arrives : .fails, after: seconds)
    }

    /// Returns payments that arrive after a time, in which a server before the node calls them failed.
    package static func calledFailed(for seconds: Double) -> NodeScenario {
        NodeScenario("called-failed-for-\(seconds)-s", .arrives, after: seconds, calledFailed: true)
    }

    /// All scenarios.
    package static let allCases = [
        pays, refuses, paysAfterADay, failsAfterADay, staysInFlight, wrongPreimage, noPreimage, paidBefore,
        failsThenPays,
    ]
}
