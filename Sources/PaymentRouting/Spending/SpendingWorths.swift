public import PaymentCore

/// The worth of earlier spendings in currencies that they have no amount in, by the rates of now.
///
/// An amount that could not be converted when it was spent counts as soon as its worth is known.
public struct SpendingWorths: Sendable, Hashable {
    private var amounts: [AttemptID: [Money]] = [:]

    /// Creates worths of no spending: everything counts by its own amounts.
    public init() {}

    /// Adds the worth of a spending. The first one in a currency counts.
    ///
    /// - Parameters:
    ///   - worth: the worth, in a currency that the spending has no amount in.
    ///   - attempt: the attempt that the spending belongs to.
    public mutating func add(_ worth: Money, of attempt: AttemptID) { amounts[attempt, default: []].append(worth) }

    /// Returns the worth of a spending in a currency; nil where it is unknown.
    func worth(of attempt: AttemptID, in currency: Currency) -> Money? {
        amounts[attempt]?.first { $0.currency.denotesSame(as: currency) }
    }
}
