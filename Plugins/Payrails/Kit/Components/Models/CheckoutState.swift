public import PaymentCore
public import PayrailsProvider

/// The state of a whole checkout. Skins are functions of it.
public struct CheckoutState: Sendable, Hashable {
    /// The stored instruments.
    public internal(set) var instruments: StoredInstrumentsState
    /// The form for a new card; nil if cards cannot be entered.
    public internal(set) var cardForm: CardFormState?
    /// The pay button of the form.
    public internal(set) var cardButton: CardPaymentButtonState
    /// The methods that are completed on another site, one button each: PayPal, a page of a bank.
    public internal(set) var methods: [Payrails.PaymentType] = []
    /// True if a payment by one of ``methods`` is in progress.
    public internal(set) var isPayingElsewhere = false
    /// The deletion of an instrument.
    public internal(set) var deletion = InstrumentDeletion()
    /// The page of the bank or of another service that the payer has to visit now.
    public internal(set) var challenge: HTTPURL?
    /// The notice for the payer.
    public internal(set) var notice: CheckoutNotice?
    /// The number of the next payment. A request with an older number is not carried out: a page that is sent twice
    /// pays once.
    public internal(set) var attempt = 1

    /// True if a payment is in progress.
    public var isPaying: Bool { instruments.isProcessing || cardButton.isProcessing || isPayingElsewhere }

    /// True if an action is in progress. No other action can begin then.
    public var isBusy: Bool {
        if case .deleting = deletion.phase { return true }
        return isPaying
    }

    /// True if no further payment is offered: it is made, or may have been made.
    public var isFinished: Bool {
        switch notice {
        case .paid, .pending, .unknown: true
        case .declined, .notAuthorised, .failed, .cancelled, .cardInvalid, .deleted, .notDeleted, .outdated, .mismatch,
            nil:
            false
        }
    }
}

/// A notice for the payer after an event.
public enum CheckoutNotice: Sendable, Hashable {
    /// The service confirmed the payment.
    case paid
    /// The payment continues without the payer.
    case pending
    /// The payment may have been made; the result is unknown.
    case unknown
    /// The payment was declined, with the service's reason code.
    case declined(reason: String)
    /// The session has expired; nothing was paid.
    case notAuthorised
    /// The payment was not made; the text says why.
    case failed(reason: String)
    /// The payer left the page of the bank.
    case cancelled
    /// The card is incomplete or invalid.
    case cardInvalid
    /// The instrument is deleted.
    case deleted
    /// The instrument still exists, or the result of the deletion is unknown.
    case notDeleted
    /// The page was outdated; nothing was done.
    case outdated
    /// The button was not that of the chosen instrument; nothing was paid.
    case mismatch

    /// Creates the notice of a payment's result.
    init(_ result: OnPayResult) {
        switch result {
        case .success: self = .paid
        case .failure(let failure): self = .declined(reason: InstrumentLabel.clean(failure.message))
        case .authorizationFailed: self = .notAuthorised
        case .cancelledByUser: self = .cancelled
        case .error(.invalidCardData): self = .cardInvalid
        case .error(let error):
            if result.isPending {
                self = .pending
            } else if result.mayHaveBeenPaid {
                self = .unknown
            } else {
                self = .failed(reason: InstrumentLabel.clean(error.description))
            }
        }
    }

    /// True if the notice reports an error.
    public var isError: Bool {
        switch self {
        case .paid, .pending, .deleted: false
        case .unknown, .declined, .notAuthorised, .failed, .cancelled, .cardInvalid, .notDeleted, .outdated, .mismatch:
            true
        }
    }
}

/// An action of a payer in a checkout.
public enum CheckoutAction: Sendable, Hashable {
    /// Choose an instrument, or none.
    case select(String?)
    /// Pay with a stored instrument.
    case payStored(String)
    /// Pay with a card in plain.
    case payCard(fields: Redacted<[CardFieldType: String]>, save: Bool)
    /// Pay with a card that the browser encrypted.
    case payEncryptedCard(String, save: Bool)
    /// Pay by a method that is completed on another site, one of ``CheckoutState/methods``.
    case payElsewhere(Payrails.PaymentType)
    /// Request the deletion of an instrument, which the payer then confirms or declines.
    case askDeletion(String)
    /// Confirm the deletion.
    case delete(String)
    /// Decline the deletion.
    case keep
    /// Abandon the page of the bank.
    case leaveChallenge
    /// Press a pay button other than that of the chosen instrument.
    case payOther
}

/// The deletion of a stored instrument, with confirmation: its whole behaviour, as a value without effects.
public struct InstrumentDeletion: Sendable, Hashable {
    /// The progress of a deletion.
    public enum Phase: Sendable, Hashable {
        /// No deletion is requested.
        case idle
        /// The payer is asked to confirm the deletion of the instrument of this id.
        case asking(id: String)
        /// The deletion is in flight.
        case deleting(id: String)
    }

    enum Event: Sendable, Hashable {
        case requested(id: String)
        case declined
        case confirmed(id: String)
        case finished(success: Bool)
    }

    enum Effect: Sendable, Hashable {
        /// Delete the instrument at the service.
        case delete(id: String)
        /// Show the list without the instrument.
        case refresh
        /// Report that the instrument still exists.
        case report
    }

    /// The progress of the deletion.
    public private(set) var phase: Phase = .idle

    /// Creates a deletion in the idle phase.
    public init() {}

    /// Applies an event and returns the effects to carry out.
    mutating func handle(_ event: Event) -> [Effect] {
        switch (phase, event) {
        case (.idle, .requested(let id)), (.asking, .requested(let id)):
            phase = .asking(id: id)
            return []
        case (.asking, .declined):
            phase = .idle
            return []
        // A confirmation counts only for the instrument of the question.
        case (.asking(let asked), .confirmed(let id)) where asked == id:
            phase = .deleting(id: id)
            return [.delete(id: id)]
        case (.deleting, .finished(let success)):
            phase = .idle
            return [success ? .refresh : .report]
        case (.idle, .declined), (.idle, .confirmed), (.idle, .finished), (.asking, .confirmed), (.asking, .finished),
            (.deleting, .requested), (.deleting, .declined), (.deleting, .confirmed):
            return []
        }
    }
}
