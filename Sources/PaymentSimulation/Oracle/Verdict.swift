/// The result of a history.
package struct Verdict: Sendable {
    /// The breaches of promises that should have been kept, in words. Empty if there are none.
    package var breaches: [String] = []
    /// Breaches of promises that are not given yet.
    package var open: [Breach] = []
    /// The events, line by line, if the history was traced.
    package var trace: [String] = []
    /// The number of payments.
    package var payments = 0
    /// The number of captures of services.
    package var captures = 0
    /// The number of transfers of wallets.
    package var broadcasts = 0
    /// The number of statements.
    package var words = 0
    /// The number of started processes.
    package var processes = 0
    /// The number of virtual seconds.
    package var seconds = 0.0

    package init() {}
}
