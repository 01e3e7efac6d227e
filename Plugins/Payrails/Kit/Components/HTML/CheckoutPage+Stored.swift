import PaymentCore

extension CheckoutPage {
    /// The row whose deletion waits for the payer's confirmation.
    var askedRow: StoredInstrumentRowState? {
        guard case .asking(let id) = state.deletion.phase else { return nil }
        return state.instruments.rows.first { $0.id == id }
    }

    /// The stored instruments, of which the payer can choose and use one.
    var stored: HTMLFragment {
        let rows = state.instruments.rows
        guard !rows.isEmpty else { return .empty }
        // The enter key in a field presses the form's first button, shown or not. It must not be the pay button of a
        // row, so it is a button that names no row: the server then pays nothing and says what to do.
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
