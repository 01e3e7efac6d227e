public import Observation
public import PaymentCore
public import PayrailsTypes

/// A whole checkout: stored instruments, a form for a new card, deletion that asks first, and what the payer is told.
///
/// It is the part that the vendor's guide leaves to the app's view controller, once for all skins: ``CheckoutPage`` in
/// a browser, `CheckoutView` on Apple platforms. One payment at a time; none after one that was made, or may have been.
@MainActor @Observable public final class CheckoutController {
    /// What the checkout is at.
    public var state: CheckoutState { observed.value }
    /// Called after every change of ``state``.
    public var onChange: (@MainActor (CheckoutState) -> Void)? {
        get { observed.onChange }
        set { observed.onChange = newValue }
    }
    /// Called once, when a payment was confirmed by the service.
    @ObservationIgnored public var onPaid: (@MainActor () -> Void)?
    /// The stored instruments.
    @ObservationIgnored public let instruments: StoredInstrumentsModel
    /// The form for a new card; nil where cards cannot be entered.
    @ObservationIgnored public let cardForm: CardFormModel?
    /// The pay button of the form.
    @ObservationIgnored public let cardButton: CardPaymentButtonModel
    /// The look.
    @ObservationIgnored public let style: CheckoutStyle

    @ObservationIgnored private let session: any ComponentSession
    @ObservationIgnored private let observed: ObservedState<CheckoutState>
    @ObservationIgnored private var challengePresenter: ChallengePresenterQueue?
    @ObservationIgnored private var deleting: Task<Void, Never>?
    @ObservationIgnored private var paying: Task<Void, Never>?

    /// Creates a checkout.
    ///
    /// - Parameters:
    ///   - session: the session that is paid in.
    ///   - card: what the form for a new card shows; nil leaves the form out.
    ///   - style: how skins draw it.
    ///   - translations: the texts of the list of stored instruments.
    ///   - cardTranslations: the texts of the card form's button.
    ///   - showDeleteButton: whether stored instruments can be deleted.
    ///   - methods: what else is offered, of PayPal and pages of banks; the session has to have it.
    ///   - presenter: shows the pages that a payment needs; nil shows them through ``CheckoutState/challenge``. It is
    ///     kept weakly.
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

    /// The states from now on, beginning with the present one.
    public var states: AsyncStream<CheckoutState> { observed.stream() }

    /// Does what the payer asked for.
    ///
    /// - Parameters:
    ///   - action: what they asked for.
    ///   - attempt: the number of the page that it was asked in. A payment with another than the present one is not
    ///     made. Nil, for skins that are always up to date, passes.
    public func perform(_ action: CheckoutAction, attempt: Int? = nil) {
        switch action {
        case .leaveChallenge: return payerReturned(by: nil)
        case .keep: return ask(.declined)
        case .select, .payStored, .payCard, .payEncryptedCard, .payElsewhere, .askDeletion, .delete, .payOther: break
        }
        // A second copy of a request that is being carried out changes nothing, not even what the payer is told.
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

    /// The payer came back from a page by `link`, one of the session's return URLs.
    public func payerReturned(by link: PaymentLink?) { challengePresenter?.payerReturned(by: link) }

    /// Waits until nothing is under way.
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
            // What goes on has an encrypted copy; what does not is to be entered again, and told so.
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

    /// Starts a payment; when it did start, pages from before cannot start another.
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
    /// Nothing: the list's state says so already.
    public func storedInstruments(_ view: StoredInstruments, didSelectInstrument instrument: any StoredInstrument) {}
    /// Tells the payer.
    public func storedInstruments(
        _ view: StoredInstruments, didCompletePaymentForInstrument instrument: any StoredInstrument
    ) {
        ended(instruments.view(for: instrument.id)?.payButton.lastResult)
    }
    /// Tells the payer.
    public func storedInstruments(
        _ view: StoredInstruments, didFailPaymentForInstrument instrument: any StoredInstrument, error: PayrailsError
    ) {
        ended(instruments.view(for: instrument.id)?.payButton.lastResult)
    }
    /// Asks the payer.
    public func storedInstruments(
        _ view: StoredInstruments, didRequestDeleteInstrument instrument: any StoredInstrument
    ) {
        ask(.requested(id: instrument.id))
    }
}

extension CheckoutController: PayrailsCardPaymentButtonDelegate {
    /// Nothing: the button's state says so already.
    public func onPaymentButtonClicked(_ button: CardPaymentButton) {}
    /// Tells the payer.
    public func onAuthorizeSuccess(_ button: CardPaymentButton) { ended(cardButton.lastResult) }
    /// Nothing: the page is in the state.
    public func onThreeDSecureChallenge(_ button: CardPaymentButton) {}
    /// Nothing: the one with the reason is called.
    public func onAuthorizeFailed(_ button: CardPaymentButton) {}
    /// Tells the payer.
    public func onAuthorizeFailed(_ button: CardPaymentButton, failure: AuthorizationFailure) {
        ended(cardButton.lastResult)
    }
    /// Tells the payer.
    public func onAuthorizePending(_ button: CardPaymentButton) { ended(cardButton.lastResult) }
}

extension CheckoutController: PayrailsCardFormDelegate {
    /// Nothing: the button pays with it.
    public func cardForm(_ view: CardForm, didCollectCardData data: String) {}
    /// Tells the payer.
    public func cardForm(_ view: CardForm, didFailWithError error: any Error) {
        if case PayrailsError.invalidCardData = error { return show(.cardInvalid) }
        show(.failed(reason: (error as? PayrailsError)?.description ?? "\(type(of: error))"))
    }
}

/// The form of what a browser sends as an encrypted card.
enum JWEShape {
    /// The longest that is taken, in bytes; a card makes about 800.
    static let maximumLength = 4096

    /// Whether `text` looks like a compact JWE (RFC 7516 section 7.1): five parts of base64url, none empty.
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
