/// A simulated node's behaviour with the payments that it is asked for.
package struct NodeScenario: Sendable, CaseIterable, CustomStringConvertible {
    /// The end of a payment.
    enum End: Sendable { case arrives, fails, staysInFlight }

    /// The name.
    package let description: String
    let end: End
    /// The time that a payment is in flight, in seconds.
    let seconds: Double
    /// True if the node states a preimage that does not fit.
    let hasWrongPreimage: Bool
    /// True if another program has paid every invoice before.
    let isPaidBefore: Bool

    private init(
        _ name: String, _ end: End, after seconds: Double = 0, wrongPreimage: Bool = false, paidBefore: Bool = false
    ) {
        (description, self.end, self.seconds) = (name, end, seconds)
        (hasWrongPreimage, isPaidBefore) = (wrongPreimage, paidBefore)
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
    /// The node says that it paid, and has no proof.
    package static let wrongPreimage = NodeScenario("wrong-preimage", .arrives, wrongPreimage: true)
    /// Another program has paid the invoice from the same wallet.
    package static let paidBefore = NodeScenario("paid-before", .arrives, paidBefore: true)

    /// Returns payments that are in flight for a time.
    ///
    /// - Parameter arrives: true if they arrive then, and do not come back.
    package static func inFlight(for seconds: Double, arrives: Bool) -> NodeScenario {
        NodeScenario("in-flight-for-\(seconds)-s", arrives ? .arrives : .fails, after: seconds)
    }

    /// All scenarios.
    package static let allCases = [
        pays, refuses, paysAfterADay, failsAfterADay, staysInFlight, wrongPreimage, paidBefore,
    ]
}
