public import PaymentCore

extension PaymentOutcome {
    /// Creates the outcome that the ledger states where nothing is recorded: for testing code that handles outcomes.
    ///
    /// - Parameter report: the service's report.
    public init(stating report: ServiceReport) {
        self = Ledger.empty.verdict(on: CheckedReport(uncompared: report), at: .run)
    }
}

extension JournalEntry.Event {
    /// Creates the event of an attempt that reached the outcome of `report`: for testing journals.
    ///
    /// It is disfavoured because the case itself takes `pending` and `unknown`, which any code can make.
    ///
    /// - Parameter report: the service's report.
    @_disfavoredOverload
    public static func outcome(_ report: ServiceReport) -> Self { .outcome(PaymentOutcome(stating: report)) }
}
