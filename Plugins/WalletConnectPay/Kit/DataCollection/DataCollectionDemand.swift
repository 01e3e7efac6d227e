/// Whether the payer has to state data before paying with an option, and how.
public enum DataCollectionDemand: Sendable, Hashable {
    /// No option of this payment needs data.
    case none
    /// This option needs no data; others might.
    case notForThisOption
    /// Show the option's page and wait for its completion, before the option's actions are asked for.
    case page
    /// The option names no page: ask for its fields, obtain consent to the terms, and hand the values in.
    case form

    /// Creates a demand by reading the vendor's decision table. What the option itself says decides; the response's own
    /// `collectData` only tells whether others need data.
    ///
    /// - Parameters:
    ///   - isInResponse: Whether the response's `collectData` is present.
    ///   - isInOption: Whether the chosen option's is.
    ///   - hasPage: Whether the option's `collectData` names a page.
    public init(isInResponse: Bool, isInOption: Bool, hasPage: Bool) {
        self =
            if isInOption {
                hasPage ? .page : .form
            } else {
                isInResponse ? .notForThisOption : .none
            }
    }
}
