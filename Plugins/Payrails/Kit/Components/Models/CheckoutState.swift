public import PaymentCore
public import PayrailsProvider

/// The state of a whole checkout. Skins are functions of it.
public struct CheckoutState: Sendable, Hashable {
    /// The stored instruments.
    public internal(set) var instruments: StoredInstrumentsState
    /// The form for a new card, where cards can be entered.
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
    /// The number of the next payment. A request with an older number is not carried out, so that a page that is sent
    /// twice pays once.
    public internal(set) var attempt = 1

    /// True if a payment is in progress.
    public var isPaying: Bool { instruments.isProcessing || cardButton.isProcessing || isPayingElsewhere }

    /// True if an action is in progress, so that no other can begin.
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
