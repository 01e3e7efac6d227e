import PaymentCore
import SandboxSupport

/// The payer's form, as a separate page. It loads nothing and works without scripts, except that only a script can
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

/// The countries in a form's selection (ISO 3166-1, alpha-2), by their English names.
enum CountryList {
    static let all: [(code: String, name: String)] = text.split(separator: "|").map { entry in
        (String(entry.prefix(2)), String(entry.dropFirst(3)))
    }

    private static let text = """
        AF Afghanistan|AX Åland Islands|AL Albania|DZ Algeria|AS American Samoa|AD Andorra|AO Angola|\
        AI Anguilla|AQ Antarctica|AG Antigua and Barbuda|AR Argentina|AM Armenia|AW Aruba|AU Australia|\
        AT Austria|AZ Azerbaijan|BS Bahamas|BH Bahrain|BD Bangladesh|BB Barbados|BY Belarus|BE Belgium|\
        BZ Belize|BJ Benin|BM Bermuda|BT Bhutan|BO Bolivia|BQ Bonaire, Sint Eustatius and Saba|\
        BA Bosnia and Herzegovina|BW Botswana|BV Bouvet Island|BR Brazil|IO British Indian Ocean Territory|\
        BN Brunei|BG Bulgaria|BF Burkina Faso|BI Burundi|CV Cabo Verde|KH Cambodia|CM Cameroon|CA Canada|\
        KY Cayman Islands|CF Central African Republic|TD Chad|CL Chile|CN China|CX Christmas Island|\
        CC Cocos Islands|CO Colombia|KM Comoros|CG Congo|CD Congo, Democratic Republic|CK Cook Islands|\
        CR Costa Rica|CI Côte d’Ivoire|HR Croatia|CU Cuba|CW Curaçao|CY Cyprus|CZ Czechia|DK Denmark|\
        DJ Djibouti|DM Dominica|DO Dominican Republic|EC Ecuador|EG Egypt|SV El Salvador|\
        GQ Equatorial Guinea|ER Eritrea|EE Estonia|SZ Eswatini|ET Ethiopia|FK Falkland Islands|\
        FO Faroe Islands|FJ Fiji|FI Finland|FR France|GF French Guiana|PF French Polynesia|\
        TF French Southern Territories|GA Gabon|GM Gambia|GE Georgia|DE Germany|GH Ghana|GI Gibraltar|\
        GR Greece|GL Greenland|GD Grenada|GP Guadeloupe|GU Guam|GT Guatemala|GG Guernsey|GN Guinea|\
        GW Guinea-Bissau|GY Guyana|HT Haiti|HM Heard Island and McDonald Islands|VA Holy See|HN Honduras|\
        HK Hong Kong|HU Hungary|IS Iceland|IN India|ID Indonesia|IR Iran|IQ Iraq|IE Ireland|IM Isle of Man|\
        IL Israel|IT Italy|JM Jamaica|JP Japan|JE Jersey|JO Jordan|KZ Kazakhstan|KE Kenya|KI Kiribati|\
        KP Korea, North|KR Korea, South|KW Kuwait|KG Kyrgyzstan|LA Laos|LV Latvia|LB Lebanon|LS Lesotho|\
        LR Liberia|LY Libya|LI Liechtenstein|LT Lithuania|LU Luxembourg|MO Macao|MG Madagascar|MW Malawi|\
        MY Malaysia|MV Maldives|ML Mali|MT Malta|MH Marshall Islands|MQ Martinique|MR Mauritania|\
        MU Mauritius|YT Mayotte|MX Mexico|FM Micronesia|MD Moldova|MC Monaco|MN Mongolia|ME Montenegro|\
        MS Montserrat|MA Morocco|MZ Mozambique|MM Myanmar|NA Namibia|NR Nauru|NP Nepal|NL Netherlands|\
        NC New Caledonia|NZ New Zealand|NI Nicaragua|NE Niger|NG Nigeria|NU Niue|NF Norfolk Island|\
        MK North Macedonia|MP Northern Mariana Islands|NO Norway|OM Oman|PK Pakistan|PW Palau|PS Palestine|\
        PA Panama|PG Papua New Guinea|PY Paraguay|PE Peru|PH Philippines|PN Pitcairn|PL Poland|PT Portugal|\
        PR Puerto Rico|QA Qatar|RE Réunion|RO Romania|RU Russia|RW Rwanda|BL Saint Barthélemy|\
        SH Saint Helena|KN Saint Kitts and Nevis|LC Saint Lucia|MF Saint Martin|PM Saint Pierre and Miquelon|\
        VC Saint Vincent and the Grenadines|WS Samoa|SM San Marino|ST Sao Tome and Principe|SA Saudi Arabia|\
        SN Senegal|RS Serbia|SC Seychelles|SL Sierra Leone|SG Singapore|SX Sint Maarten|SK Slovakia|\
        SI Slovenia|SB Solomon Islands|SO Somalia|ZA South Africa|GS South Georgia|SS South Sudan|ES Spain|\
        LK Sri Lanka|SD Sudan|SR Suriname|SJ Svalbard and Jan Mayen|SE Sweden|CH Switzerland|SY Syria|\
        TW Taiwan|TJ Tajikistan|TZ Tanzania|TH Thailand|TL Timor-Leste|TG Togo|TK Tokelau|TO Tonga|\
        TT Trinidad and Tobago|TN Tunisia|TR Türkiye|TM Turkmenistan|TC Turks and Caicos Islands|TV Tuvalu|\
        UG Uganda|UA Ukraine|AE United Arab Emirates|GB United Kingdom|US United States|\
        UM United States Minor Outlying Islands|UY Uruguay|UZ Uzbekistan|VU Vanuatu|VE Venezuela|VN Viet Nam|\
        VG Virgin Islands, British|VI Virgin Islands, U.S.|WF Wallis and Futuna|EH Western Sahara|YE Yemen|\
        ZM Zambia|ZW Zimbabwe
        """
}
