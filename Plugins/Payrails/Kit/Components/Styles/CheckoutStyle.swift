import PayrailsProvider

/// The look of a whole checkout.
public struct CheckoutStyle: Sendable, Hashable {
    /// The style of the stored instruments.
    public let instruments: StoredInstrumentsStyle
    /// The style of the card form's pay button.
    public let cardButton: CardButtonStyle
    /// The style of the card form, if its own configuration has none.
    public let cardForm: CardFormStylesConfig

    /// Creates a style.
    public init(
        instruments: StoredInstrumentsStyle = .defaultStyle, cardButton: CardButtonStyle = .defaultStyle,
        cardForm: CardFormStylesConfig = .defaultConfig
    ) {
        self.instruments = instruments
        self.cardButton = cardButton
        self.cardForm = cardForm
    }

    /// The vendor's look. Its buttons, labels and borders have less contrast than WCAG 2.2 level AA requires.
    public static let vendor = CheckoutStyle()

    /// The vendor's look with colours that have the contrast of WCAG 2.2 level AA, on light and on dark ground.
    public static let legible: CheckoutStyle = {
        func color(_ light: UInt32, _ dark: UInt32) -> StyleColor {
            StyleColor(light: StyleColor.Components(hex: light), dark: StyleColor.Components(hex: dark))
        }
        let blue = color(0x0058B8, 0x0A5FC4)
        let red = color(0xB3261E, 0xFF8A80)
        let green = color(0x1B6E2F, 0x57D37A)
        let grey = color(0x4A4A4F, 0xC7C7CC)
        let line = color(0x76767B, 0x8E8E93)
        let focus = color(0x0058B8, 0x5AA9FF)
        let labels = Dictionary(
            uniqueKeysWithValues: CardFieldType.cardFields.map { ($0, CardStyle(textColor: grey)) })
        return CheckoutStyle(
            instruments: StoredInstrumentsStyle(
                buttonStyle: StoredInstrumentButtonStyle(backgroundColor: blue),
                deleteButtonStyle: DeleteButtonStyle(
                    backgroundColor: color(0xB3261E, 0xA3211A), size: StyleSize(width: 44, height: 44)),
                updateButtonStyle: UpdateButtonStyle(backgroundColor: blue, size: StyleSize(width: 44, height: 44))),
            cardButton: CardButtonStyle(backgroundColor: blue, textColor: .white, cornerRadius: 8),
            cardForm: CardFormStylesConfig(
                wrapperStyle: CardWrapperStyle(borderColor: line), errorTextStyle: CardStyle(textColor: red),
                allInputFieldStyles: CardFieldSpecificStyles(
                    base: CardStyle(
                        borderColor: line, textColor: .label, backgroundColor: .systemBackground,
                        placeholderColor: grey),
                    focus: CardStyle(borderColor: focus), completed: CardStyle(borderColor: green),
                    invalid: CardStyle(borderColor: red)),
                labelStyles: labels
            ).merged(over: .defaultConfig))
    }()
}

/// The texts of a ``CheckoutPage`` that no component has translations for. English by default.
public struct CheckoutTexts: Sendable, Hashable {
    /// The page's heading.
    public var title = "Checkout"
    /// The label of the amount.
    public var amount = "Amount"
    /// The label of the payee's name.
    public var merchant = "To"
    /// The label of the time until which the order can be paid.
    public var payableUntil = "Pay until"
    /// The label of the month until which a stored card is valid.
    public var expires = "expires"
    /// The heading of the receipt.
    public var receipt = "Receipt"
    /// The link back to the shop.
    public var back = "Back to the shop"
    /// The heading of the stored instruments.
    public var stored = "Saved payment methods"
    /// The heading of the form for a new card.
    public var newCard = "Pay with a card"
    /// The heading of the methods that are completed on another site.
    public var elsewhere = "Pay another way"
    /// The button that leads to PayPal.
    public var payPal = "Pay with PayPal"
    /// The button that leads to the page of a bank.
    public var bank = "Pay at your bank"
    /// The text of a page that has no way to pay.
    public var nothing = "There is no way to pay here."
    /// The label of a delete button; the instrument's label follows.
    public var delete = "Delete"
    /// The question before the deletion of an instrument.
    public var deleteQuestion = "Delete this payment method?"
    /// The consequence of the deletion.
    public var deleteExplanation = "It cannot be used for payments any more."
    /// The button that answers the question with no.
    public var keep = "Keep"
    /// The explanation of the mark of required fields.
    public var requiredHint = "Fields marked with * are required."
    /// The text while an action is in progress.
    public var processing = "Processing..."
    /// The link that reloads the page while an action is in progress, for browsers without scripts.
    public var reload = "Check again"
    /// The heading of the link to the bank.
    public var challenge = "Your bank asks you to confirm the payment."
    /// The link to the bank.
    public var openChallenge = "Continue to your bank"
    /// The button that abandons the bank's page.
    public var leaveChallenge = "I do not want to confirm"
    /// The text after the connection was lost while an action was in progress.
    public var connectionLost = "The connection was lost. Reload this page to see what has become of the payment."
    /// The text after the payment was made.
    public var paid = "Payment completed."
    /// The text while the payment continues without the payer.
    public var pending = "The payment is being processed. You need not do anything."
    /// The text for a payment whose outcome is unknown.
    public var unknown = "The payment may have been made. Do not pay again; ask the shop."
    /// The text after the payment was declined; the reason follows.
    public var declined = "The payment was declined"
    /// Texts for payers for the service's reason codes; other codes are shown unchanged. Suspicions of fraud are not
    /// revealed.
    public var reasons = DeclineTexts.english
    /// The text after the session has expired.
    public var notAuthorised = "This checkout has expired. Nothing was paid; go back to the shop and start again."
    /// The text after the payment was not made; the reason follows.
    public var failed = "The payment was not made"
    /// The text after the payer left.
    public var cancelled = "You left before the payment was confirmed. You can try again."
    /// The text for a card that is incomplete or invalid.
    public var cardInvalid = "Please check the card. Its number and code have to be entered again."
    /// The text after the instrument was deleted.
    public var deleted = "The payment method was deleted."
    /// The text after a deletion failed.
    public var notDeleted = "The payment method could not be deleted."
    /// The text for a request from an outdated page.
    public var outdated = "This page was not up to date. Nothing was paid with it; please look again."
    /// The text for a request that names no instrument, or two at once.
    public var mismatch = "Nothing was paid. Choose a payment method, then use its own pay button."

    /// Creates the English texts.
    public init() {}

    /// Returns the text of the button for a method that is completed on another site.
    func text(of type: Payrails.PaymentType) -> String { type == .payPal ? payPal : bank }

    /// Returns the text of a notice.
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
