public import Observation
public import PaymentCore
public import PayrailsProvider

/// A whole checkout: stored instruments, a form for a new card, deletion with confirmation, and notices for the payer.
///
/// The checkout is the part that the vendor's guide leaves to the app's view controller, once for all skins:
/// ``CheckoutPage`` in a browser, `CheckoutView` on Apple platforms. Only one payment is in progress at a time. After a
/// payment that was made, or may have been made, no further one is offered.
@MainActor @Observable public final class CheckoutController {
    /// The present state of the checkout.
    public var state: CheckoutState { observed.value }
    /// Called after every change of ``state``.
    public var onChange: (@MainActor (CheckoutState) -> Void)? {
        get { observed.onChange }
        set { observed.onChange = newValue }
    }
    /// Called once, after the service confirmed a payment.
    @ObservationIgnored public var onPaid: (@MainActor () -> Void)?
    /// The stored instruments.
    @ObservationIgnored public let instruments: StoredInstrumentsModel
    /// The form for a new card; nil if cards cannot be entered.
    @ObservationIgnored public let cardForm: CardFormModel?
    /// The pay button of the form.
    @ObservationIgnored public let cardButton: CardPaymentButtonModel
    /// The style.
    @ObservationIgnored public let style: CheckoutStyle

    @ObservationIgnored private let session: any ComponentSession
    @ObservationIgnored private let observed: ObservedState<CheckoutState>
    @ObservationIgnored private var challengePresenter: ChallengePresenterQueue?
    @ObservationIgnored private var deleting: Task<Void, Never>?
    @ObservationIgnored private var paying: Task<Void, Never>?

    /// Creates a checkout.
    ///
    /// - Parameters:
    ///   - session: the session to pay in.
    ///   - card: the content of the form for a new card; nil omits the form.
    ///   - style: the look of the checkout.
    ///   - translations: the texts of the list of stored instruments.
    ///   - cardTranslations: the texts of the card form's button.
    ///   - showDeleteButton: true if stored instruments can be deleted.
    ///   - methods: the further methods to offer, of PayPal and bank redirects; the session has to offer them too.
    ///   - presenter: shows the pages that a payment needs; nil shows them through ``CheckoutState/challenge``. It is
    ///     referenced weakly.
    public init(
        session: any ComponentSession, card: CardFormConfig? = CardFormConfig(),
        style: CheckoutStyle = .legible, translations: StoredInstrumentsTranslations = StoredInstrumentsTranslations(),
        cardTranslations: CardPaymenButtonTranslations = CardPaymenButtonTranslations(), showDeleteButton: Bool = true,
        methods: [Payrails.PaymentType] = [], presenter: (any PaymentPresenter)? = nil
    ) {
        self.session = session
        self.style = style
        instruments = StoredInstrumentsModel(
            session: session, style: style.instruments, translations: translations, showDeleteButton: showDeleteButton,
            showPayButton: true)
        cardForm = card.map { CardFormModel(config: $0, session: session) }
        cardButton = CardPaymentButtonModel(
            cardForm: cardForm, session: session, buttonStyle: style.cardButton, translations: cardTranslations)
        observed = ObservedState(
            CheckoutState(
                instruments: instruments.state, cardForm: cardForm?.state, cardButton: cardButton.state,
                methods: methods.filter { $0 == .payPal || $0 == .genericRedirect }))
        listen(to: presenter)
    }

    /// The states from the present one on.
    public var states: AsyncStream<CheckoutState> { observed.stream() }

    /// Carries out the payer's action.
    ///
    /// - Parameters:
    ///   - action: the action.
    ///   - attempt: the number of the page that the payer acted on. A payment with another number than the present one
    ///     is not made. Nil, for skins that are always up to date, passes.
    public func perform(_ action: CheckoutAction, attempt: Int? = nil) {
        switch action {
        case .leaveChallenge: return payerReturned(by: nil)
        case .keep: return ask(.declined)
        case .select, .payStored, .payCard, .payEncryptedCard, .payElsewhere, .askDeletion, .delete, .payOther: break
        }
        // A second copy of a request in progress changes nothing, not even the notice.
        guard !state.isBusy else { return }
        switch action {
        case .select(let id): select(id)
        case .askDeletion(let id):
            if let view = instruments.view(for: id) { view.tapDelete() } else { show(.outdated) }
        case .delete(let id): ask(.confirmed(id: id))
        case .payStored, .payCard, .payEncryptedCard, .payElsewhere, .payOther:
            guard !state.isFinished else { return }
            guard attempt ?? state.attempt == state.attempt else { return show(.outdated) }
            pay(action)
        case .keep, .leaveChallenge: break
        }
    }

    /// Reports that the payer came back from a page by `link`, one of the session's return URLs; nil means that the
    /// payer left.
    public func payerReturned(by link: PaymentLink?) { challengePresenter?.payerReturned(by: link) }

    /// Waits until no action is in progress.
    public func waitUntilIdle() async {
        while state.isBusy {
            await cardButton.waitUntilIdle()
            for view in instruments.views { await view.payButton.waitUntilIdle() }
            await deleting?.value
            await paying?.value
        }
    }

    // MARK: Parts

    private func select(_ id: String?) {
        for view in instruments.views where view.state.isSelected != (view.state.id == id) { view.tap() }
    }

    private func pay(_ action: CheckoutAction) {
        observed.change {
            $0.notice = nil
            _ = $0.deletion.handle(.declined)
        }
        switch action {
        case .payStored(let id):
            guard let view = instruments.view(for: id) else { return show(.outdated) }
            if !view.state.isSelected { select(id) }
            begin { view.tapPay() }
        case .payCard(let fields, let save):
            guard let cardForm else { return show(.outdated) }
            let fields = fields.reveal()
            for field in cardForm.state.order {
                cardForm.setText("", for: field)
                cardForm.setText(fields[field] ?? "", for: field)
            }
            cardForm.saveInstrument = save && cardForm.config.showSaveInstrument
            begin { cardButton.tap() }
            // A payment in progress has an encrypted copy; otherwise the payer enters number and code again, after a
            // notice.
            if state.isPaying {
                cardForm.forgetSecrets()
            } else {
                for field in cardForm.state.order where field.isSecret { cardForm.setText("", for: field) }
            }
        case .payEncryptedCard(let data, let save):
            guard let cardForm, JWEShape.isCompactJWE(data) else { return show(.cardInvalid) }
            cardForm.clear()
            let save = save && cardForm.config.showSaveInstrument
            begin { cardButton.pay(withEncryptedCard: data, saveInstrument: save) }
        case .payElsewhere(let type):
            guard state.methods.contains(type) else { return show(.outdated) }
            begin { pay(elsewhere: type) }
        case .payOther: show(.mismatch)
        case .select, .askDeletion, .delete, .keep, .leaveChallenge: break
        }
    }

    /// Starts a payment; after the start, older pages cannot start another.
    private func begin(_ payment: () -> Void) {
        payment()
        if state.isPaying { observed.change { $0.attempt += 1 } }
    }

    private func pay(elsewhere type: Payrails.PaymentType) {
        observed.change { $0.isPayingElsewhere = true }
        let (session, presenter) = (session, cardButton.presenter)
        paying = Task { [weak self] in
            let result = await session.pay(withType: type, saveInstrument: false, presenter: presenter)
            self?.observed.change { $0.isPayingElsewhere = false }
            self?.ended(result)
        }
    }

    private func ask(_ event: InstrumentDeletion.Event) {
        var effects: [InstrumentDeletion.Effect] = []
        observed.change {
            $0.notice = nil
            effects = $0.deletion.handle(event)
        }
        for effect in effects {
            switch effect {
            case .delete(let id):
                let session = session
                deleting = Task { [weak self] in
                    let isGone = (try? await session.deleteInstrument(instrumentId: id))?.success ?? false
                    self?.ask(.finished(success: isGone))
                }
            case .refresh:
                instruments.refreshInstruments()
                show(.deleted)
            case .report: show(.notDeleted)
            }
        }
    }

    private func show(_ notice: CheckoutNotice) { observed.change { $0.notice = notice } }

    private func listen(to presenter: (any PaymentPresenter)?) {
        instruments.delegate = self
        cardButton.delegate = self
        cardForm?.delegate = self
        instruments.onChange = { [weak self] new in self?.observed.change { $0.instruments = new } }
        cardForm?.onChange = { [weak self] new in self?.observed.change { $0.cardForm = new } }
        cardButton.onChange = { [weak self] new in self?.observed.change { $0.cardButton = new } }
        if presenter == nil {
            challengePresenter = ChallengePresenterQueue { [weak self] page in
                self?.observed.change { $0.challenge = page }
            }
        }
        instruments.presenter = presenter ?? challengePresenter
        cardButton.presenter = presenter ?? challengePresenter
    }

    private func ended(_ result: OnPayResult?) {
        guard let result else { return }
        show(CheckoutNotice(result))
        if case .success = result { onPaid?() }
    }
}

extension CheckoutController: PayrailsStoredInstrumentsDelegate {
    /// Does nothing: the list's state shows the selection.
    public func storedInstruments(_ view: StoredInstruments, didSelectInstrument instrument: any StoredInstrument) {}
    /// Shows the payer the result.
    public func storedInstruments(
        _ view: StoredInstruments, didCompletePaymentForInstrument instrument: any StoredInstrument
    ) {
        ended(instruments.view(for: instrument.id)?.payButton.lastResult)
    }
    /// Shows the payer the result.
    public func storedInstruments(
        _ view: StoredInstruments, didFailPaymentForInstrument instrument: any StoredInstrument, error: PayrailsError
    ) {
        ended(instruments.view(for: instrument.id)?.payButton.lastResult)
    }
    /// Asks the payer for confirmation.
    public func storedInstruments(
        _ view: StoredInstruments, didRequestDeleteInstrument instrument: any StoredInstrument
    ) {
        ask(.requested(id: instrument.id))
    }
}

extension CheckoutController: PayrailsCardPaymentButtonDelegate {
    /// Does nothing: the button's state shows the payment.
    public func onPaymentButtonClicked(_ button: CardPaymentButton) {}
    /// Shows the payer the result.
    public func onAuthorizeSuccess(_ button: CardPaymentButton) { ended(cardButton.lastResult) }
    /// Does nothing: the page is in the state.
    public func onThreeDSecureChallenge(_ button: CardPaymentButton) {}
    /// Does nothing: the method with the reason is called.
    public func onAuthorizeFailed(_ button: CardPaymentButton) {}
    /// Shows the payer the result.
    public func onAuthorizeFailed(_ button: CardPaymentButton, failure: AuthorizationFailure) {
        ended(cardButton.lastResult)
    }
    /// Shows the payer the result.
    public func onAuthorizePending(_ button: CardPaymentButton) { ended(cardButton.lastResult) }
}

extension CheckoutController: PayrailsCardFormDelegate {
    /// Does nothing: the button pays with the card.
    public func cardForm(_ view: CardForm, didCollectCardData data: String) {}
    /// Shows the payer the error.
    public func cardForm(_ view: CardForm, didFailWithError error: any Error) {
        if case PayrailsError.invalidCardData = error { return show(.cardInvalid) }
        show(.failed(reason: (error as? PayrailsError)?.description ?? "\(type(of: error))"))
    }
}

/// The format of an encrypted card from a browser.
enum JWEShape {
    /// The maximum length of an accepted text, in bytes; a card makes about 800.
    static let maximumLength = 4096

    /// Returns true if `text` has the form of a compact JWE (RFC 7516 section 7.1): five parts of base64url, none
    /// empty.
    static func isCompactJWE(_ text: String) -> Bool {
        guard text.utf8.count <= maximumLength else { return false }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 5
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.allSatisfy { byte in
                        switch byte {
                        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
                        default: false
                        }
                    }
            }
    }
}
