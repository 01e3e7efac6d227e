public import PaymentCore
public import PayrailsProvider

/// A ``CheckoutController`` as a page for a browser; see ``CheckoutPost`` for its requests and their answers.
///
/// The page works without scripts and with a keyboard alone, loads nothing from other origins and runs under a strict
/// Content Security Policy. With its script, fields are checked during typing and the page changes in place. The
/// payer's input goes to the page's own origin only: encrypted for the service if the browser can encrypt and `Options`
/// has the key, else in plain over the page's own connection. Numbers and security codes are never sent back.
public struct CheckoutPage: Sendable {
    /// The source of the page's style sheet and script.
    public enum Assets: Sendable, Hashable {
        /// Within the page, allowed by a nonce that is new in each answer.
        case inline(ContentNonce)
        /// At addresses of the same origin, which answer with ``CheckoutPage/styleSheet`` as `text/css` and
        /// ``CheckoutPage/script`` as `text/javascript`.
        case external(styleSheetPath: String, scriptPath: String)
    }

    /// The key for the encryption of cards in the browser.
    public struct EncryptionKey: Sendable, Hashable {
        /// Base64 of the key's SubjectPublicKeyInfo, `vaultConfiguration.encryptionPublicKey` of the init data.
        public let subjectPublicKeyInfo: String
        /// The payer's reference, which is encrypted with the card.
        public let holderReference: Redacted<String>

        /// Creates a key.
        public init(subjectPublicKeyInfo: String, holderReference: Redacted<String>) {
            self.subjectPublicKeyInfo = subjectPublicKeyInfo
            self.holderReference = holderReference
        }
    }

    /// The page's input that the checkout does not have.
    public struct Options: Sendable {
        /// The page's own path, such as `/checkout`: the target of its forms.
        public var path: String
        /// The token that ties the page's forms to the payer's session. Long and random; the same for a session's
        /// pages.
        public var token: Redacted<String>
        /// The source of the page's style sheet and script.
        public var assets: Assets
        /// The amount to show to the payer, such as `99.00 EUR`.
        public var amount: String?
        /// The name of the payee to show to the payer.
        public var merchant: String?
        /// The deadline of the payment to show to the payer.
        public var payableUntil: String?
        /// The text above everything else, such as that this is a test and no money moves.
        public var announcement: String?
        /// The address of the shop. The page leads back to it.
        public var shop: HTTPURL?
        /// The language of the texts, as in HTML's `lang`.
        public var language = "en"
        /// The texts.
        public var texts = CheckoutTexts()
        /// The key for the encryption of cards in the browser; nil leaves encryption to the server.
        public var encryptionKey: EncryptionKey?
        /// The present month, for checks during typing.
        public var currentMonth: YearAndMonth

        /// Creates options.
        public init(
            path: String, token: Redacted<String>, assets: Assets, amount: String? = nil,
            encryptionKey: EncryptionKey? = nil, currentMonth: YearAndMonth
        ) {
            self.path = path
            self.token = token
            self.assets = assets
            self.amount = amount
            self.encryptionKey = encryptionKey
            self.currentMonth = currentMonth
        }
    }

    let state: CheckoutState
    let style: CheckoutStyle
    let card: CardFormConfig?
    let options: Options

    /// Creates a page of the present state of `checkout`.
    @MainActor public init(_ checkout: CheckoutController, options: Options) {
        self.init(
            state: checkout.state, style: checkout.style, card: checkout.cardForm?.config, options: options)
    }

    init(state: CheckoutState, style: CheckoutStyle, card: CardFormConfig?, options: Options) {
        self.state = state
        self.style = style
        self.card = card
        self.options = options
    }

    /// The style sheet, the same for every page of this style.
    public var styleSheet: String { CheckoutStyleSheet(style: style, card: card).text }

    /// The script, the same for every page.
    public static var script: String { "\(CheckoutScript.source)" }

    /// The headers of the HTTP response.
    public var headers: [String: String] {
        let own: (style: String, script: String)
        switch options.assets {
        case .inline(let nonce): own = ("'nonce-\(nonce.text)'", "'nonce-\(nonce.text)'")
        case .external: own = ("'self'", "'self'")
        }
        return [
            "Content-Type": "text/html; charset=utf-8",
            "Content-Security-Policy":
                "default-src 'none'; style-src \(own.style); script-src \(own.script); connect-src 'self'; "
                + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
            "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-store",
        ]
    }

    /// The whole page.
    public var html: String {
        let texts = options.texts
        let title = state.notice.map { "\(texts.text(of: $0)) – \(texts.title)" } ?? texts.title
        let head = HTMLFragment.lines([
            .void("meta", ["charset": "utf-8"]),
            .void("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"]),
            .element("title", [:], .text(title)),
            // Browsers without scripts reload by this element; others by the script.
            state.isBusy && state.challenge == nil
                ? .element("noscript", [:], .void("meta", ["http-equiv": "refresh", "content": "3"])) : .empty,
            assets,
        ])
        let page = HTMLFragment.element(
            "html", ["lang": options.language], .element("head", [:], head),
            .element("body", [:], .lines([announcement, main])))
        return "<!DOCTYPE html>\n" + page.source + "\n"
    }

    private var announcement: HTMLFragment {
        options.announcement.map { .element("aside", ["class": "announcement"], .text($0)) } ?? .empty
    }

    private var assets: HTMLFragment {
        switch options.assets {
        case .inline(let nonce):
            .styleSheet(CheckoutStyleSheet(style: style, card: card), nonce: nonce)
                + .element("script", ["nonce": nonce.text, "type": "module"], .trusted(CheckoutScript.source))
        case .external(let styleSheetPath, let scriptPath):
            .void("link", ["rel": "stylesheet", "href": styleSheetPath])
                + .element("script", ["src": scriptPath, "type": "module"])
        }
    }

    private var main: HTMLFragment {
        let texts = options.texts
        let isAsking = askedRow != nil
        // While a question is open, everything else is inert, for the mouse and the keyboard alike.
        let content = HTMLFragment.element(
            "div", ["id": "content", "inert": isAsking ? "" : nil],
            .lines([
                .element("h1", [:], .text(texts.title)), order, result, receipt, challenge,
                state.isFinished || state.challenge != nil ? .empty : stored,
                state.isFinished || state.challenge != nil ? .empty : newCard,
                state.isFinished || state.challenge != nil ? .empty : elsewhere, nothing, back,
            ]))
        return .element(
            "main",
            [
                "id": "checkout", "data-busy": state.isBusy ? "true" : "false",
                "aria-busy": state.isBusy ? "true" : nil,
                "data-rules": CheckoutRules(options).json.text, "data-processing": texts.processing,
                "data-lost": texts.connectionLost,
            ], .lines([content, question]))
    }

    /// The amount, the payee and the deadline.
    private var order: HTMLFragment {
        let texts = options.texts
        func line(_ name: String, _ title: String, _ value: String?) -> HTMLFragment {
            value.map { .element("p", ["class": name], .text(title + " "), .element("strong", [:], .isolated($0))) }
                ?? .empty
        }
        return .lines([
            line("amount", texts.amount, options.amount), line("merchant", texts.merchant, options.merchant),
            state.isFinished ? .empty : line("until", texts.payableUntil, options.payableUntil),
        ])
    }

    /// The receipt after the end of the checkout.
    private var receipt: HTMLFragment {
        guard state.isFinished else { return .empty }
        let texts = options.texts
        let rows: [(String, String?)] = [(texts.merchant, options.merchant), (texts.amount, options.amount)]
        let list = rows.compactMap { name, value in
            value.map { HTMLFragment.element("dt", [:], .text(name)) + .element("dd", [:], .isolated($0)) }
        }
        let slip: HTMLFragment =
            state.notice == .paid && !list.isEmpty
            ? .element(
                "section", ["class": "receipt", "aria-labelledby": "receipt-title"],
                .element("h2", ["id": "receipt-title"], .text(texts.receipt)), .element("dl", [:], .lines(list)))
            : .empty
        return slip
    }

    /// The link back to the shop, at any time.
    private var back: HTMLFragment {
        options.shop.map {
            .element("p", [:], .element("a", ["class": "back", "href": $0.text], .text(options.texts.back)))
        } ?? .empty
    }

    /// The region that announces every event. It is always present, so that screen readers watch it.
    private var result: HTMLFragment {
        let texts = options.texts
        let told: HTMLFragment
        if state.isBusy, state.challenge == nil {
            told = .lines([
                .element("p", [:], .text(texts.processing)),
                .element("noscript", [:], .element("a", ["href": options.path], .text(texts.reload))),
            ])
        } else if let notice = state.notice {
            told = .element(
                "p",
                [
                    "class": notice.isError ? "problem" : notice == .pending ? "note" : "good", "tabindex": "-1",
                    "autofocus": askedRow == nil ? "" : nil,
                ],
                .isolated(texts.text(of: notice)))
        } else {
            told = .empty
        }
        return .element(
            "div", ["id": "result", "role": "status", "aria-live": "polite", "aria-atomic": "true"], told)
    }

    private var challenge: HTMLFragment {
        guard let page = state.challenge else { return .empty }
        let texts = options.texts
        return .element(
            "section", ["aria-labelledby": "challenge-title"],
            .lines([
                .element("h2", ["id": "challenge-title"], .text(texts.challenge)),
                .element(
                    "p", [:],
                    .element(
                        "a", ["class": "open", "href": page.text, "rel": "noreferrer", "autofocus": ""],
                        .text(texts.openChallenge))),
                form(
                    "leave", [:],
                    .element("button", ["type": "submit", "class": "quiet"], .text(texts.leaveChallenge))),
            ]))
    }

    /// The methods that are completed on another site.
    private var elsewhere: HTMLFragment {
        guard !state.methods.isEmpty else { return .empty }
        let texts = options.texts
        let forms = state.methods.map { type in
            form(
                "pay-elsewhere", ["attempt": String(state.attempt), "method": type.rawValue],
                .element(
                    "button", ["type": "submit", "class": "quiet", "disabled": state.isBusy ? "" : nil],
                    .text(texts.text(of: type))))
        }
        return .element(
            "section", ["class": "elsewhere", "aria-labelledby": "elsewhere-title"],
            .lines([.element("h2", ["id": "elsewhere-title"], .text(texts.elsewhere))] + forms))
    }

    private var nothing: HTMLFragment {
        guard state.instruments.rows.isEmpty, card == nil, state.methods.isEmpty, !state.isFinished else {
            return .empty
        }
        return .element("p", [:], .text(options.texts.nothing))
    }

    /// Returns a form with the fields that every request has.
    func form(
        _ action: String, id: String? = nil, label: String? = nil, _ fields: KeyValuePairs<String, String>,
        _ content: HTMLFragment...
    ) -> HTMLFragment {
        let hidden = [("token", options.token.reveal()), ("action", action)] + fields.map { ($0.key, $0.value) }
        return .element(
            "form",
            [
                "method": "post", "action": options.path, "id": id, "aria-labelledby": label,
                "accept-charset": "utf-8",
            ],
            .lines(hidden.map { .void("input", ["type": "hidden", "name": $0.0, "value": $0.1]) } + content))
    }
}

// MARK: - Stored instruments

extension CheckoutPage {
    /// The row whose deletion waits for the payer's confirmation.
    var askedRow: StoredInstrumentRowState? {
        guard case .asking(let id) = state.deletion.phase else { return nil }
        return state.instruments.rows.first { $0.id == id }
    }

    /// The stored instruments. The payer can choose and use one.
    var stored: HTMLFragment {
        let rows = state.instruments.rows
        guard !rows.isEmpty else { return .empty }
        // The enter key in a field presses the form's first button, shown or not. It must not be the pay button of a
        // row, so it is a button that names no row. The server then pays nothing, and the page says what to do.
        let guardian = HTMLFragment.element("button", ["type": "submit", "name": "pay", "value": "", "hidden": ""])
        let list = HTMLFragment.element(
            "fieldset", ["class": "instruments"],
            .lines(
                [.element("legend", ["id": "stored-title"], .element("h2", [:], .text(options.texts.stored)))]
                    + rows.enumerated().map { row($0.element, number: $0.offset) }))
        let deletions = rows.enumerated().filter(\.element.hasDeleteButton).map {
            form("delete", id: "delete-\($0.offset)", ["instrument": $0.element.id])
        }
        return .lines(
            [form("pay", id: "stored", ["attempt": String(state.attempt)], guardian, list)] + deletions)
    }

    private func row(_ row: StoredInstrumentRowState, number: Int) -> HTMLFragment {
        let label = row.label.reveal()
        let busy = state.isBusy ? "" : nil
        let pay: HTMLFragment =
            row.hasPayButton
            ? .element(
                "button",
                [
                    "type": "submit", "class": "pay", "name": "pay", "value": row.id, "disabled": busy,
                    "aria-label": "\(row.button.accessibleName): \(label)",
                ], .text(row.button.title)) : .empty
        let delete: HTMLFragment =
            row.hasDeleteButton
            ? .element(
                "button",
                [
                    "type": "submit", "class": "delete", "form": "delete-\(number)", "disabled": busy,
                    "aria-label": "\(options.texts.delete): \(label)",
                ], Self.bin) : .empty
        return .element(
            "div", ["class": "row"],
            .lines([
                .void(
                    "input",
                    [
                        "type": "radio", "id": "instrument-\(number)", "name": "instrument", "value": row.id,
                        "checked": row.isSelected ? "" : nil, "disabled": busy,
                    ]),
                .element("label", ["for": "instrument-\(number)"], mark(of: row), .isolated(label), expiry(of: row)),
                pay,
                delete,
            ]))
    }

    /// The brand as text: the page loads no picture and shows no trade mark.
    private func mark(of row: StoredInstrumentRowState) -> HTMLFragment {
        row.brand.map { .element("span", ["class": "brand"], .text($0)) + .text(" ") } ?? .empty
    }

    private func expiry(of row: StoredInstrumentRowState) -> HTMLFragment {
        row.expiry.map {
            .text(" ") + .element("span", ["class": "until"], .text("\(options.texts.expires) \($0.reveal())"))
        } ?? .empty
    }

    /// A bin, drawn because not every system has a glyph for it.
    private static let bin = HTMLFragment.trusted(
        """
        <svg aria-hidden="true" width="20" height="20" viewBox="0 0 20 20" fill="none" stroke="currentColor" \
        stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round">\
        <path d="M3 5h14M8 5V3h4v2M5 5l1 12h8l1-12M8.5 8.5v5M11.5 8.5v5"/></svg>
        """)

    /// The question before the deletion of an instrument.
    var question: HTMLFragment {
        guard let row = askedRow else { return .empty }
        let texts = options.texts
        return .element(
            "dialog",
            [
                "open": "", "role": "alertdialog", "aria-modal": "true", "aria-labelledby": "question-title",
                "aria-describedby": "question-text",
            ],
            .lines([
                .element("h2", ["id": "question-title"], .text(texts.deleteQuestion)),
                .element(
                    "p", ["id": "question-text"], .element("strong", [:], .isolated(row.label.reveal())),
                    .text(". " + texts.deleteExplanation)),
                form(
                    "delete-cancel", id: "keep", [:],
                    .element("button", ["type": "submit", "class": "quiet", "autofocus": ""], .text(texts.keep))),
                form(
                    "delete-confirm", ["instrument": row.id],
                    .element("button", ["type": "submit", "class": "danger"], .text(texts.delete))),
            ]))
    }
}

// MARK: - A new card

extension CheckoutPage {
    /// The form for a new card.
    var newCard: HTMLFragment {
        guard let card, let form = state.cardForm else { return .empty }
        let busy = state.isBusy ? "" : nil
        let rows = form.rows.map { fields in
            HTMLFragment.element("div", ["class": "fields"], .lines(fields.map { field($0, card, form) }))
        }
        let save: HTMLFragment =
            card.showSaveInstrument
            ? .element(
                "p", ["class": "save"],
                .void(
                    "input",
                    [
                        "type": "checkbox", "id": "save", "name": "save_instrument", "value": "on",
                        "checked": form.savesInstrument ? "" : nil, "disabled": busy,
                    ]),
                .element(
                    "label", ["for": "save"], .text(card.effectiveTranslations.labels?.saveInstrument ?? "Save card")))
            : .empty
        let button = HTMLFragment.element(
            "button",
            [
                "type": "submit", "class": "pay", "disabled": busy,
                "aria-label": state.cardButton.title.isEmpty ? state.cardButton.accessibleName : nil,
            ], .text(state.cardButton.title.isEmpty ? options.texts.processing : state.cardButton.title))
        let hint: HTMLFragment =
            card.showRequiredAsterisk ? .element("p", ["class": "hint"], .text(options.texts.requiredHint)) : .empty
        return .element(
            "section", ["class": "card \(card.fieldVariant == .filled ? "filled" : "outlined")"],
            .element("h2", ["id": "card-title"], .text(options.texts.newCard)),
            self.form(
                "pay-card", id: "card", label: "card-title", ["attempt": String(state.attempt)],
                .lines([hint] + rows + [save, button])))
    }

    private func field(_ field: CardFieldType, _ card: CardFormConfig, _ form: CardFormState) -> HTMLFragment {
        let column = field.column
        let error = form[field].visibleError
        let label = HTMLFragment.element(
            "label", ["for": column], .text(card.label(for: field)),
            card.showRequiredAsterisk ? .element("span", ["aria-hidden": "true"], .text(" *")) : .empty)
        let input = HTMLFragment.void(
            "input",
            [
                "id": column, "name": column, "type": "text", "required": "", "autocomplete": field.autocomplete,
                "inputmode": field == .CARDHOLDER_NAME ? nil : "numeric", "spellcheck": "false",
                "autocapitalize": field == .CARDHOLDER_NAME ? "words" : "off",
                "maxlength": field.maximumLength.map(String.init),
                "placeholder": card.effectiveTranslations.placeholders?[field],
                // A secret field is not sent back, not even to the payer who typed it.
                "value": field.isSecret ? nil : form[field].text.reveal(),
                "data-state": form[field].appearance.rawValue,
                "aria-invalid": error == nil ? nil : "true", "aria-describedby": "\(column)-error",
                "disabled": state.isBusy ? "" : nil,
            ])
        let brand: HTMLFragment =
            field == .CARD_NUMBER && card.showCardIcon
            ? .element(
                "output",
                [
                    "id": "brand", "for": column, "aria-live": "polite",
                    "class": card.cardIconAlignment == .left ? "left" : "right",
                ]) : .empty
        return .element(
            "div", ["class": "field \(column)"],
            .lines([
                label, input, brand,
                .element(
                    "p", ["class": "error", "id": "\(column)-error", "hidden": error == nil ? "" : nil],
                    .text(card.errorText(for: field))),
            ]))
    }
}

extension CardFieldType {
    /// The field's name for the browser's autofill (HTML, autofill field names).
    fileprivate var autocomplete: String? {
        switch self {
        case .CARD_NUMBER: "cc-number"
        case .CARDHOLDER_NAME: "cc-name"
        case .CVV: "cc-csc"
        case .EXPIRATION_MONTH: "cc-exp-month"
        case .EXPIRATION_YEAR: "cc-exp-year"
        case .EXPIRATION_DATE: "cc-exp"
        case .INPUT_FIELD, .PIN: nil
        }
    }

    /// The maximum number of characters, spaces included.
    fileprivate var maximumLength: Int? {
        switch self {
        case .CARD_NUMBER: 23
        case .CARDHOLDER_NAME: 100
        case .CVV, .EXPIRATION_YEAR: 4
        case .EXPIRATION_MONTH: 2
        // Browsers also fill this in as MM/YYYY.
        case .EXPIRATION_DATE: 7
        case .INPUT_FIELD, .PIN: nil
        }
    }
}
