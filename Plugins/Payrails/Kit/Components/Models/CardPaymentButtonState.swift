public import PayrailsProvider

/// The state of a ``CardPaymentButton``: its whole behaviour, as a value without effects.
public struct CardPaymentButtonState: Sendable, Hashable {
    /// The source that a tap pays from.
    public enum Mode: Sendable, Hashable {
        /// The card entered in the card form.
        case cardForm
        /// The stored instrument of this id.
        case storedInstrument(id: String, type: Payrails.PaymentType)
        /// No source: there is neither a form nor an instrument.
        case unavailable
    }

    /// The progress of a payment.
    public enum Phase: Sendable, Hashable, CaseIterable {
        /// No payment is in progress.
        case ready
        /// The card form is being read.
        case collecting
        /// The payment is in flight.
        case paying
    }

    /// The end of a payment, without the reason.
    public enum Outcome: Sendable, Hashable, CaseIterable {
        /// Paid.
        case success
        /// Not paid, or unknown.
        case failure
        /// Continues without the payer.
        case pending
        /// The payer left.
        case cancelled
    }

    enum Event: Sendable, Hashable {
        case tapped
        case payCalled
        case collected
        case collectionFailed
        case finished(Outcome)
        case settled
        case modeChanged(Mode)
    }

    enum Effect: Sendable, Hashable {
        /// Notify the delegate of the tap.
        case notifyClicked
        /// Read the card form.
        case collectCard
        /// Send the payment.
        case startPayment
        /// There is nothing to pay with: fail.
        case failUnavailable
        /// Notify the delegate of the outcome.
        case notify(Outcome)
        /// Become ready, after the delegate received the outcome.
        case settle
        /// Notify the delegate that the button pays with another instrument, or with none.
        case notifyInstrumentChanged
    }

    /// The source that a tap pays from.
    public private(set) var mode: Mode
    /// The progress of the present payment.
    public private(set) var phase: Phase = .ready
    /// The outcome of the last payment.
    public private(set) var lastOutcome: Outcome?
    private let label: String
    private let storedLabels: StoredInstrumentButtonTranslations?

    init(
        mode: Mode, translations: CardPaymenButtonTranslations, storedTranslations: StoredInstrumentButtonTranslations?
    ) {
        self.mode = mode
        label = translations.label ?? ""
        storedLabels = storedTranslations
    }

    /// True if a payment is in progress. Taps are ignored meanwhile.
    public var isProcessing: Bool { phase != .ready }

    /// The text on the button. Empty while a card payment is in progress: an activity indicator replaces it.
    public var title: String {
        switch mode {
        case .storedInstrument: storedLabels.map { isProcessing ? $0.processingLabel : $0.label } ?? label
        case .cardForm, .unavailable: isProcessing ? "" : label
        }
    }

    /// The button's name for assistive technologies; never empty.
    public var accessibleName: String {
        if !title.isEmpty { return title }
        return isProcessing
            ? storedLabels?.processingLabel ?? StoredInstrumentButtonTranslations().processingLabel : "Pay"
    }

    /// Applies an event and returns the effects to carry out, in this order.
    mutating func handle(_ event: Event) -> [Effect] {
        switch (phase, event) {
        case (.ready, .tapped): return [.notifyClicked] + begin()
        case (.ready, .payCalled): return begin()
        case (.collecting, .collected):
            phase = .paying
            return [.startPayment]
        // Nothing was paid, but a delegate that was notified of the tap waits for an outcome.
        case (.collecting, .collectionFailed):
            phase = .ready
            return [.notify(.failure)]
        case (.paying, .finished(let outcome)):
            lastOutcome = outcome
            return [.notify(outcome), .settle]
        case (.paying, .settled):
            phase = .ready
            return []
        // The payment in progress keeps its source; only the next payment has another.
        case (_, .modeChanged(let mode)):
            guard mode != self.mode else { return [] }
            self.mode = mode
            return [.notifyInstrumentChanged]
        case (.collecting, .tapped), (.collecting, .payCalled), (.paying, .tapped), (.paying, .payCalled),
            (.ready, .collected), (.ready, .collectionFailed), (.ready, .finished), (.ready, .settled),
            (.collecting, .finished), (.collecting, .settled), (.paying, .collected), (.paying, .collectionFailed):
            return []
        }
    }

    private mutating func begin() -> [Effect] {
        switch mode {
        case .storedInstrument:
            phase = .paying
            lastOutcome = nil
            return [.startPayment]
        case .cardForm:
            phase = .collecting
            lastOutcome = nil
            return [.collectCard]
        case .unavailable: return [.failUnavailable]
        }
    }
}

extension OnPayResult {
    /// The outcome without the reason.
    var outcome: CardPaymentButtonState.Outcome {
        switch self {
        case .success: .success
        case .cancelledByUser: .cancelled
        case .authorizationFailed, .failure: .failure
        case .error: isPending ? .pending : .failure
        }
    }
}
