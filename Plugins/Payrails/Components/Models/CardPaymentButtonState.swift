public import PayrailsTypes

/// What a ``CardPaymentButton`` is at: its whole behaviour, as a value without effects.
public struct CardPaymentButtonState: Sendable, Hashable {
    /// What a tap pays with.
    public enum Mode: Sendable, Hashable {
        /// With what is entered in the card form.
        case cardForm
        /// With the stored instrument of this id.
        case storedInstrument(id: String, type: Payrails.PaymentType)
        /// With nothing: there is neither a form nor an instrument.
        case unavailable
    }

    /// How far a payment is.
    public enum Phase: Sendable, Hashable, CaseIterable {
        /// There is none.
        case ready
        /// The card form is being read.
        case collecting
        /// It is on its way.
        case paying
    }

    /// How a payment ended, without the words.
    public enum Outcome: Sendable, Hashable, CaseIterable {
        /// Paid.
        case success
        /// Not paid, or nobody knows.
        case failure
        /// Goes on without the payer.
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
        /// Tell the delegate of the tap.
        case notifyClicked
        /// Read the card form.
        case collectCard
        /// Send the payment.
        case startPayment
        /// There is nothing to pay with: fail.
        case failUnavailable
        /// Tell the delegate of the ending.
        case notify(Outcome)
        /// Become ready, once the delegate knows.
        case settle
        /// Tell the delegate that another instrument is paid with, or none.
        case notifyInstrumentChanged
    }

    /// What a tap pays with.
    public private(set) var mode: Mode
    /// How far a payment is.
    public private(set) var phase: Phase = .ready
    /// How the last payment ended.
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

    /// Whether a payment is under way. Taps are ignored meanwhile.
    public var isProcessing: Bool { phase != .ready }

    /// The text on the button. Empty while a card payment is under way: an activity indicator stands in its place.
    public var title: String {
        switch mode {
        case .storedInstrument: storedLabels.map { isProcessing ? $0.processingLabel : $0.label } ?? label
        case .cardForm, .unavailable: isProcessing ? "" : label
        }
    }

    /// What the button is called by those who do not see it; never empty.
    public var accessibleName: String {
        if !title.isEmpty { return title }
        return isProcessing
            ? storedLabels?.processingLabel ?? StoredInstrumentButtonTranslations().processingLabel : "Pay"
    }

    /// Takes an event in and says what is to be done about it, in this order.
    mutating func handle(_ event: Event) -> [Effect] {
        switch (phase, event) {
        case (.ready, .tapped): return [.notifyClicked] + begin()
        case (.ready, .payCalled): return begin()
        case (.collecting, .collected):
            phase = .paying
            return [.startPayment]
        // Nothing was paid, but whoever heard of the tap waits for an ending.
        case (.collecting, .collectionFailed):
            phase = .ready
            return [.notify(.failure)]
        case (.paying, .finished(let outcome)):
            lastOutcome = outcome
            return [.notify(outcome), .settle]
        case (.paying, .settled):
            phase = .ready
            return []
        // What is under way goes on with what it began with; only the next payment is another.
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
    /// The ending without its words.
    var outcome: CardPaymentButtonState.Outcome {
        switch self {
        case .success: .success
        case .cancelledByUser: .cancelled
        case .authorizationFailed, .failure: .failure
        case .error: isPending ? .pending : .failure
        }
    }
}
