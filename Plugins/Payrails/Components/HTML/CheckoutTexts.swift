import PayrailsTypes

/// The texts of a ``CheckoutPage`` that no component has translations for. English unless told otherwise.
public struct CheckoutTexts: Sendable, Hashable {
    /// The page's heading.
    public var title = "Checkout"
    /// Before the amount.
    public var amount = "Amount"
    /// Before the payee's name.
    public var merchant = "To"
    /// Before the time until which it can be paid.
    public var payableUntil = "Pay until"
    /// Before the month until which a stored card is good.
    public var expires = "expires"
    /// The heading of the receipt.
    public var receipt = "Receipt"
    /// Leads back to the shop.
    public var back = "Back to the shop"
    /// Above the stored instruments.
    public var stored = "Saved payment methods"
    /// Above the form for a new card.
    public var newCard = "Pay with a card"
    /// Above the methods that are finished elsewhere.
    public var elsewhere = "Pay another way"
    /// The button that leads to PayPal.
    public var payPal = "Pay with PayPal"
    /// The button that leads to the page of a bank.
    public var bank = "Pay at your bank"
    /// Where there is no way to pay.
    public var nothing = "There is no way to pay here."
    /// What a delete button does; the instrument's text follows.
    public var delete = "Delete"
    /// The question before something is deleted.
    public var deleteQuestion = "Delete this payment method?"
    /// What deleting means.
    public var deleteExplanation = "It cannot be used for payments any more."
    /// Answers the question with no.
    public var keep = "Keep"
    /// Marks fields that must be filled in.
    public var requiredHint = "Fields marked with * are required."
    /// While something is under way.
    public var processing = "Processing..."
    /// While something is under way, for browsers without scripts.
    public var reload = "Check again"
    /// Above the link to the bank.
    public var challenge = "Your bank asks you to confirm the payment."
    /// The link to the bank.
    public var openChallenge = "Continue to your bank"
    /// Gives the bank's page up.
    public var leaveChallenge = "I do not want to confirm"
    /// When the connection was lost while something was under way.
    public var connectionLost = "The connection was lost. Reload this page to see what has become of the payment."
    /// When the payment is made.
    public var paid = "Payment completed."
    /// When the payment goes on.
    public var pending = "The payment is being processed. You need not do anything."
    /// When nobody knows.
    public var unknown = "The payment may have been made. Do not pay again; ask the shop."
    /// When the payment was declined; the reason follows.
    public var declined = "The payment was declined"
    /// What the service's words for reasons mean to a payer; other words are shown as they are. Suspicions are not
    /// told.
    public var reasons = DeclineTexts.english
    /// When the session has expired.
    public var notAuthorised = "This checkout has expired. Nothing was paid; go back to the shop and start again."
    /// When the payment was not made; the reason follows.
    public var failed = "The payment was not made"
    /// When the payer left.
    public var cancelled = "You left before the payment was confirmed. You can try again."
    /// When the card is not complete.
    public var cardInvalid = "Please check the card. Its number and code have to be entered again."
    /// When the instrument is gone.
    public var deleted = "The payment method was deleted."
    /// When the instrument is still there.
    public var notDeleted = "The payment method could not be deleted."
    /// When the page was an old one.
    public var outdated = "This page was not up to date. Nothing was paid with it; please look again."
    /// When no instrument was meant, or two at once.
    public var mismatch = "Nothing was paid. Choose a payment method, then use its own pay button."

    /// Creates the English texts.
    public init() {}

    /// What the payer is told.
    func text(of notice: CheckoutNotice) -> String {
        switch notice {
        case .paid: paid
        case .pending: pending
        case .unknown: unknown
        case .declined(let reason): reason.isEmpty ? "\(declined)." : "\(declined): \(reasons[reason] ?? reason)"
        case .notAuthorised: notAuthorised
        case .failed(let reason): reason.isEmpty ? "\(failed)." : "\(failed): \(reason)"
        case .cancelled: cancelled
        case .cardInvalid: cardInvalid
        case .deleted: deleted
        case .notDeleted: notDeleted
        case .outdated: outdated
        case .mismatch: mismatch
        }
    }
}
