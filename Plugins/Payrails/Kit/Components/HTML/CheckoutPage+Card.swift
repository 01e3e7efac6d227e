import PaymentCore
import PayrailsProvider

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
