public import PaymentCore
public import PayrailsTypes

/// What a whole checkout is at. Skins are functions of it.
public struct CheckoutState: Sendable, Hashable {
    /// The stored instruments.
    public internal(set) var instruments: StoredInstrumentsState
    /// The form for a new card, where cards can be entered.
    public internal(set) var cardForm: CardFormState?
    /// The pay button of the form.
    public internal(set) var cardButton: CardPaymentButtonState
    /// The methods that are finished elsewhere, one button each: PayPal, a page of a bank.
    public internal(set) var methods: [Payrails.PaymentType] = []
    /// Whether a payment by one of ``methods`` is under way.
    public internal(set) var isPayingElsewhere = false
    /// The deletion of an instrument.
    public internal(set) var deletion = InstrumentDeletion()
    /// The page of the bank or of another service that the payer has to see now.
    public internal(set) var challenge: HTTPURL?
    /// What the payer is told.
    public internal(set) var notice: CheckoutNotice?
    /// Counts payments: one that was asked for with an older number is not made, so that a page that is sent twice
    /// pays once.
    public internal(set) var attempt = 1

    /// Whether a payment is under way.
    public var isPaying: Bool { instruments.isProcessing || cardButton.isProcessing || isPayingElsewhere }

    /// Whether something is under way, so that nothing else can be begun.
    public var isBusy: Bool {
        if case .deleting = deletion.phase { return true }
        return isPaying
    }

    /// Whether no further payment is offered: it is made, or may have been.
    public var isFinished: Bool {
        switch notice {
        case .paid, .pending, .unknown: true
        case .declined, .notAuthorised, .failed, .cancelled, .cardInvalid, .deleted, .notDeleted, .outdated, .mismatch,
            nil:
            false
        }
    }
}

/// What the payer is told after something happened.
public enum CheckoutNotice: Sendable, Hashable {
    /// The service confirmed the payment.
    case paid
    /// The payment goes on without the payer.
    case pending
    /// Nobody knows whether the payment was made.
    case unknown
    /// The payment was declined, with the service's word for the reason.
    case declined(reason: String)
    /// The session has expired; nothing was paid.
    case notAuthorised
    /// The payment was not made; the text says why.
    case failed(reason: String)
    /// The payer left the page of the bank.
    case cancelled
    /// The card is not complete.
    case cardInvalid
    /// The instrument is deleted.
    case deleted
    /// The instrument is still there, or nobody knows.
    case notDeleted
    /// The page was an old one; nothing was done.
    case outdated
    /// The button was not that of the chosen instrument; nothing was paid.
    case mismatch

    /// What is told of a payment's result.
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

    /// Whether it is bad news.
    public var isError: Bool {
        switch self {
        case .paid, .pending, .deleted: false
        case .unknown, .declined, .notAuthorised, .failed, .cancelled, .cardInvalid, .notDeleted, .outdated, .mismatch:
            true
        }
    }
}

/// What a payer can do in a checkout.
public enum CheckoutAction: Sendable, Hashable {
    /// Choose an instrument, or none.
    case select(String?)
    /// Pay with a stored instrument.
    case payStored(String)
    /// Pay with a card in plain.
    case payCard(fields: Redacted<[CardFieldType: String]>, save: Bool)
    /// Pay with a card that the browser encrypted.
    case payEncryptedCard(String, save: Bool)
    /// Pay by a method that is finished elsewhere, one of ``CheckoutState/methods``.
    case payElsewhere(Payrails.PaymentType)
    /// Ask whether to delete an instrument.
    case askDeletion(String)
    /// Delete what was asked about.
    case delete(String)
    /// Keep what was asked about.
    case keep
    /// Give up the page of the bank.
    case leaveChallenge
    /// A pay button was pressed that is not that of the chosen instrument.
    case payOther
}
