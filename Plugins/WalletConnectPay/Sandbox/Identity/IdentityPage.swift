import PaymentCore
import SandboxSupport

/// The payer's form, as a separate page: it loads nothing and works without scripts, except that only a script can
/// report the result to the surrounding wallet.
struct IdentityPage {
    enum Theme: String {
        case light, dark
    }

    /// The page's message to the wallet, as recorded from the vendor's documentation.
    enum Message {
        case complete
        case error(String)

        var json: JSONValue {
            switch self {
            case .complete: ["type": "IC_COMPLETE", "success": true]
            case .error(let text): ["type": "IC_ERROR", "error": .string(text)]
            }
        }
    }

    var theme: Theme?
    /// The nonce that allows only this page's own style and script.
    let nonce: String

    /// The form for a payment, with `values` filled in and `problems` listed.
    func form(
        _ payment: PaymentRecord, accounts: String, values: [String: String], problems: [IdentityForm.Problem] = []
    ) -> HTTPResponse {
        var html =
            "<h1>Your details</h1>\n<p>To pay \(Self.escape(payment.merchant)), these details are needed once.</p>\n"
        html += """
            <dl class="card"><dt>Payee</dt><dd>\(Self.escape(payment.merchant))</dd>
            <dt>Amount</dt><dd>\(Self.escape(payment.priceText))</dd>
            <dt>Pay until</dt><dd>\(PageTime.text(payment.expiresAt))</dd></dl>

            """
        html +=
            "<p class=\"note\">This is a simulation: made-up details are as good as real ones, and none are kept.</p>\n"
        html += "<p class=\"hint\">Fields marked with * are required.</p>\n"
        if !problems.isEmpty {
            html += "<div role=\"alert\" class=\"problems\"><h2>Please check</h2><ul>\n"
            for problem in problems {
                html += "<li>\(Self.escape(Self.title(problem.field))) \(Self.escape(problem.text))</li>\n"
            }
            html += "</ul></div>\n"
        }
        html += "<form method=\"post\" action=\"/collect/submit\">\n"
        for (name, value) in [("pid", payment.id), ("accounts", accounts), ("theme", theme?.rawValue ?? "")] {
            html += "<input type=\"hidden\" name=\"\(name)\" value=\"\(Self.escape(value))\">\n"
        }
        let wrong = Set(problems.map(\.field))
        let place = Set(IdentityForm.alternatives.joined())
        html += IdentityForm.fields.filter { $0.isRequired && !$0.isConsent }
            .map { Self.input($0, values, wrong) }.joined()
        html += "<fieldset><legend>Place of birth or of residence: fill in one of the two</legend>\n"
        html += IdentityForm.fields.filter { place.contains($0.id) }.map { Self.input($0, values, wrong) }.joined()
        html += "</fieldset>\n"
        html += IdentityForm.fields.filter(\.isConsent).map { Self.input($0, values, wrong) }.joined()
        html += """
            <p><a href="https://reown.com/terms-of-service" rel="noreferrer">Terms of service</a>,
            <a href="https://reown.com/privacy-policy" rel="noreferrer">privacy policy</a></p>
            <p><button class="primary" type="submit">Continue</button></p>
            </form>

            """
        return page(html, status: problems.isEmpty ? 200 : 422)
    }

    /// The final page after the data was submitted.
    func finished() -> HTTPResponse {
        page("<h1>Thank you</h1>\n<p role=\"status\">You can go back to your wallet.</p>\n", message: .complete)
    }

    /// The final page when the form cannot be used. `reason` is human-readable and also reported to the wallet.
    func failed(_ reason: String, status: Int) -> HTTPResponse {
        page(
            "<h1>This form cannot be used</h1>\n<p role=\"alert\">\(Self.escape(reason))</p>\n",
            message: .error(reason),
            status: status)
    }

    // MARK: Parts

    private static func input(_ field: IdentityForm.Field, _ values: [String: String], _ wrong: Set<String>) -> String {
        let id = field.id
        let type: String
        var more = field.isRequired ? " required" : ""
        switch field.rule {
        case .text(_, let maximum):
            type = "text"
            if let maximum { more += " maxlength=\"\(maximum)\"" }
        case .date: type = "date"
        case .country: return country(field, values[id] ?? "", isWrong: wrong.contains(id))
        case .consent:
            // Consent is never pre-filled.
            return """
                <p class="check"><input type="checkbox" id="\(id)" name="\(id)" value="true"\(more)>
                <label for="\(id)">\(escape(field.title)) *</label></p>

                """
        }
        if let hint = autocomplete[id] { more += " autocomplete=\"\(hint)\"" }
        if wrong.contains(id) { more += " aria-invalid=\"true\"" }
        return """
            <p><label for="\(id)">\(escape(field.title))\(field.isRequired ? " *" : "")</label>
            <input type="\(type)" id="\(id)" name="\(id)" value="\(escape(values[id] ?? ""))" \
            aria-describedby="\(id)-hint"\(more)>
            <small id="\(id)-hint">\(escape(field.hint))</small></p>

            """
    }

    /// The values that browsers fill in automatically (HTML, autofill field names).
    private static let autocomplete = ["fullName": "name", "dob": "bday", "porAddress": "street-address"]

    /// A country selection. A code that is not listed is not offered: no outside value becomes part of the page.
    private static func country(_ field: IdentityForm.Field, _ value: String, isWrong: Bool) -> String {
        let id = field.id
        let options = CountryList.all.map { code, name in
            "<option value=\"\(code)\"\(code == value ? " selected" : "")>\(escape(name))</option>"
        }
        let hint = id == "porCountry" ? " autocomplete=\"country\"" : ""
        return """
            <p><label for="\(id)">\(escape(field.title))</label>
            <select id="\(id)" name="\(id)"\(hint)\(isWrong ? " aria-invalid=\"true\"" : "")>\
            <option value="">Choose</option>\(options.joined())</select></p>

            """
    }

    private static func title(_ field: String) -> String {
        IdentityForm.fields.first { $0.id == field }?.title ?? field
    }

    private func page(_ content: String, message: Message? = nil, status: Int = 200) -> HTTPResponse {
        let root = theme.map { " data-theme=\"\($0.rawValue)\"" } ?? ""
        let data = message.map { " data-message=\"\(Self.escape($0.json.text))\"" } ?? ""
        return HTMLPage(
            title: "Your details", nonce: nonce, content: content, rootAttributes: root, attributes: data,
            script: Self.script
        ).response(status: status)
    }

    /// The same script for every page: only attributes differ.
    private static let script = """

        const message = document.querySelector("main").dataset.message;
        const handler = window.webkit?.messageHandlers?.payDataCollectionComplete;
        if (message) {
          if (handler) handler.postMessage(message);
          else if (window.AndroidWallet?.onDataCollectionComplete) window.AndroidWallet.onDataCollectionComplete(message);
          else if (window.ReactNativeWebView) window.ReactNativeWebView.postMessage(message);
        }

        """

    private static func escape(_ text: String) -> String { HTMLText.escape(text) }
}

extension IdentityForm.Field {
    fileprivate var isConsent: Bool { if case .consent = rule { true } else { false } }
}
