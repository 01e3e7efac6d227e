/// What is to be said of a history.
package struct Verdict: Sendable {
    /// Every promise that was broken and should have been kept, in words. Empty when all is well.
    package var breaches: [String] = []
    /// Breaches of promises that are not given yet.
    package var open: [Breach] = []
    /// What happened, line by line, when the history was traced.
    package var trace: [String] = []
    /// How many payments there were.
    package var payments = 0
    /// How often services took money.
    package var captures = 0
    /// How often wallets sent coins.
    package var broadcasts = 0
    /// How many things were told.
    package var words = 0
    /// How many processes were started.
    package var processes = 0
    /// How many seconds passed.
    package var seconds = 0.0

    package init() {}
}
