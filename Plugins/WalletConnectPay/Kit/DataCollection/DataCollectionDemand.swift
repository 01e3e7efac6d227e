/// The requirement, if any, that the payer provides data before paying with an option.
public enum DataCollectionDemand: Sendable, Hashable {
    /// No option of this payment needs data.
    case none
    /// This option needs no data; others might.
    case notForThisOption
    /// Show the option's page and wait for its completion before requesting the option's actions.
    case page
    /// The option names no page: ask for its fields, obtain consent to the terms, and submit the values.
    case form

    /// Creates a demand by the vendor's decision table. The option decides; the response's own `collectData` only shows
    /// if other options need data.
    ///
    /// - Parameters:
    ///   - isInResponse: true if the response's `collectData` is present.
    ///   - isInOption: true if the chosen option's `collectData` is present.
    ///   - hasPage: true if the option's `collectData` names a page.
    public init(isInResponse: Bool, isInOption: Bool, hasPage: Bool) {
        self =
            if isInOption {
                hasPage ? .page : .form
            } else {
                isInResponse ? .notForThisOption : .none
            }
    }
}
