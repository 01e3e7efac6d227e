import PaymentCore
import TestSupport
import Testing

@testable import PayrailsKit
@testable import PayrailsProvider

/// The page: its content, the effect of hostile content, and its forms.
@MainActor @Suite struct ComponentPageTests {
    private static func page(
        _ checkout: CheckoutController, key: CheckoutPage.EncryptionKey? = nil, assets: CheckoutPage.Assets? = nil
    ) throws -> CheckoutPage {
        let nonce = try #require(ContentNonce("c2l4dGVlbi1ieXRlcyE="))
        return CheckoutPage(
            checkout,
            options: CheckoutPage.Options(
                path: "/checkout", token: Redacted("token-1"), assets: assets ?? .inline(nonce), amount: "99.00 EUR",
                encryptionKey: key, currentMonth: YearAndMonth(year: 2026, month: 11)))
    }

    /// The start tags of elements of one name.
    private static func tags(_ name: String, in html: String) -> [Substring] {
        var rest = html[...]
        var found: [Substring] = []
        while let start = rest.firstRange(of: "<\(name) ") {
            rest = rest[start.lowerBound...]
            let end = rest.firstIndex(of: ">") ?? rest.endIndex
            found.append(rest[..<end])
            rest = rest[end...]
        }
        return found
    }

    nonisolated static let hostile = [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onfocus='alert(1)", "</style><b>",
        "&lt;b&gt;",
        "\u{202E}drac\u{0}\u{7}\n", "javascript:alert(1)",
    ]

    @Test("Hostile text stays text", arguments: hostile)
    func hostileTextStaysText(_ text: String) throws {
        let session = FakeSession(
            cards: [StoredCardInstrument(id: text, bin: nil, suffix: text)],
            accounts: [StoredPayPalInstrument(id: text + "2", email: text)])
        let checkout = CheckoutController(
            session: session,
            card: CardFormConfig(
                translations: CardTranslations(
                    labels: CardTranslations.Labels(values: [.CVV: text]),
                    error: CardTranslations.ErrorMessages(values: [.CVV: text]))),
            translations: StoredInstrumentsTranslations(cardPrefix: text, paypalPrefix: text))
        checkout.perform(.askDeletion(text))
        let page = try Self.page(checkout)
        var html = page.html
        html.replace(page.styleSheet, with: "")
        html.replace(CheckoutPage.script, with: "")
        // Every angle bracket belongs to a well-formed tag of ours, and every attribute is one of ours.
        let tags = html.dropFirst("<!DOCTYPE html>".count).matches(
            of: /<\/?([a-z0-9]+)((?: [a-zA-Z-]+(?:="[^"<>]*")?)*)\/?>/)
        #expect(html.count { $0 == "<" } == tags.count + 1 && html.count { $0 == ">" } == tags.count + 1)
        #expect(Set(tags.map { String($0.output.1) }).isSubset(of: Self.elements))
        let names = tags.flatMap { $0.output.2.matches(of: /\ ([a-zA-Z-]+)(?:="[^"]*")?/).map { String($0.output.1) } }
        #expect(Set(names).isSubset(of: Self.attributes))
        for harmful in ["\u{202E}", "\u{0}", "\u{7}", "&amp;amp;", "href=\"javascript:"] {
            #expect(!html.contains(harmful), "\(harmful)")
        }
    }

    private static let elements: Set<String> = [
        "html", "head", "meta", "title", "style", "script", "noscript", "body", "main", "div", "h1", "h2", "p",
        "strong",
        "bdi", "form", "fieldset", "legend", "input", "label", "button", "svg", "path", "span", "section", "dialog",
    ]
    private static let attributes: Set<String> = [
        "action", "accept-charset", "aria-atomic", "aria-describedby", "aria-hidden", "aria-label", "aria-labelledby",
        "aria-live", "aria-modal", "autocapitalize", "autocomplete", "autofocus", "charset", "class", "content", "d",
        "data-busy", "data-lost", "data-processing", "data-rules", "data-state", "fill", "for", "form", "height",
        "hidden", "id", "inert", "inputmode", "lang", "maxlength", "method", "name", "nonce", "open", "placeholder",
        "required", "role", "spellcheck", "stroke", "stroke-linecap", "stroke-linejoin", "stroke-width", "type",
        "value",
        "viewBox", "width",
    ]

    @Test("Everything has a name")
    func everythingHasAName() throws {
        let checkout = CheckoutController(
            session: FakeSession(),
            card: CardFormConfig(showNameField: true, showSaveInstrument: true, showCardIcon: true))
        let html = try Self.page(checkout).html
        for input in Self.tags("input", in: html) where !input.contains("type=\"hidden\"") {
            let id = try #require(input.firstMatch(of: /id="([^"]+)"/)?.1)
            #expect(html.contains("<label for=\"\(id)\">"), "\(input)")
        }
        let deletes = Self.tags("button", in: html).filter { $0.contains("class=\"delete\"") }
        #expect(deletes.count == 3 && deletes.allSatisfy { $0.contains("aria-label=\"Delete: ") })
        let pays = Self.tags("button", in: html).filter { $0.contains("name=\"pay\" value=\"c") }
        #expect(pays.count == 2 && pays.allSatisfy { $0.contains("aria-label=\"Pay: Card ending in ") })
        #expect(html.contains("<html lang=\"en\">") && html.contains("<title>Checkout</title>"))
        #expect(html.contains("<legend") && html.contains("role=\"status\" aria-live=\"polite\""))
        for field in ["cc-number", "cc-name", "cc-csc", "cc-exp-month", "cc-exp-year"] {
            #expect(html.contains("autocomplete=\"\(field)\""))
        }
        // The keyboard order is that of the page.
        #expect(!html.contains("tabindex=\"1"))
        // The first button of the form with the rows pays nothing: it answers the enter key.
        let form = try #require(html.firstRange(of: "id=\"stored\""))
        let first = try #require(Self.tags("button", in: String(html[form.upperBound...])).first)
        #expect(first.contains("value=\"\"") && first.contains(" hidden"))
    }

    @Test("Selection and waiting are shown")
    func selectionAndWaitingAreShown() async throws {
        let session = FakeSession()
        let checkout = CheckoutController(session: session)
        checkout.perform(.select("c2"))
        var html = try Self.page(checkout).html
        #expect(Self.tags("input", in: html).filter { $0.contains(" checked") }.count == 1)
        session.hold()
        checkout.perform(.payStored("c2"))
        html = try Self.page(checkout).html
        #expect(html.contains("data-busy=\"true\"") && html.contains("Processing..."))
        #expect(html.contains("<noscript><meta http-equiv=\"refresh\""))
        let buttons = Self.tags("button", in: html).filter { !$0.contains(" hidden") }
        #expect(!buttons.isEmpty && buttons.allSatisfy { $0.contains(" disabled") })
        session.release()
        await checkout.waitUntilIdle()
        html = try Self.page(checkout).html
        #expect(html.contains("Payment completed.") && !html.contains("<form") && !html.contains("refresh"))
    }

    @Test("A question puts the rest out of reach")
    func questionPutsTheRestOutOfReach() throws {
        let checkout = CheckoutController(session: FakeSession())
        checkout.perform(.askDeletion("p1"))
        let html = try Self.page(checkout).html
        #expect(html.contains("<div id=\"content\" inert>"))
        #expect(html.contains("role=\"alertdialog\" aria-modal=\"true\" aria-labelledby=\"question-title\""))
        #expect(html.contains("value=\"delete-cancel\"") && html.contains("value=\"delete-confirm\""))
        #expect(html.contains("payer@example.com"))
    }

    @Test(
        "Reasons have texts for the payer",
        arguments: [
            ("InsufficientBalance", "The payment was declined: there is not enough money"),
            ("FraudRisk", "The payment was declined: the bank refused it"),
            ("SomethingNew", "The payment was declined: SomethingNew"), ("", "The payment was declined."),
        ])
    func reasonsAreInPayersWords(_ reason: String, _ text: String) {
        #expect(CheckoutTexts().text(of: .declined(reason: reason)) == text)
    }

    @Test("Card numbers are never sent back")
    func numbersAreNeverSentBack() async throws {
        let session = FakeSession(
            cards: [StoredCardInstrument(id: "c1", bin: "411111", suffix: "4242 4242 4242 4242")], accounts: [],
            results: [.declined("refused 4111111111111111")])
        let checkout = CheckoutController(session: session, card: .defaultConfig)
        var fields = ComponentCheckoutTests.card
        fields[.CARDHOLDER_NAME] = "Test Holder"
        fields[.CVV] = "12"
        checkout.perform(.payCard(fields: Redacted(fields), save: false))
        var html = try Self.page(checkout).html
        #expect(html.contains("aria-invalid=\"true\"") && html.contains("value=\"Test Holder\""))
        #expect(Self.cardNumbers(in: html).isEmpty)
        fields[.CVV] = "987"
        checkout.perform(.payCard(fields: Redacted(fields), save: false))
        html = try Self.page(checkout).html
        #expect(Self.cardNumbers(in: html).isEmpty && !html.contains("987"))
        await checkout.waitUntilIdle()
        html = try Self.page(checkout).html
        #expect(Self.cardNumbers(in: html).isEmpty && html.contains("•••• 1111"))
        #expect(Self.cardNumbers(in: shown(checkout.state)).isEmpty)
        #expect(Self.cardNumbers(in: "x 4111 1111 1111 1111 y") == ["4111111111111111"], "the scan finds what is there")
    }

    /// Runs of 12 to 19 digits, separated by at most one space or hyphen, that pass the check of card numbers.
    private static func cardNumbers(in text: String) -> [String] {
        text.matches(of: /[0-9](?:[ -]?[0-9]){11,18}/).map { $0.output.filter(\.isNumber) }
            .filter { CardValidation.passesLuhn($0) }
    }

    @Test("The header fields allow nothing else")
    func headersAllowNothingElse() throws {
        let checkout = CheckoutController(session: FakeSession())
        let inline = try Self.page(checkout)
        let policy = try #require(inline.headers["Content-Security-Policy"])
        #expect(policy.hasPrefix("default-src 'none'; style-src 'nonce-c2l4dGVlbi1ieXRlcyE='; script-src 'nonce-"))
        #expect(policy.contains("form-action 'self'") && !policy.contains("unsafe"))
        #expect(inline.headers["Cache-Control"] == "no-store")
        #expect(!inline.html.contains(" style=") && !inline.html.contains("http://"))
        #expect(!inline.html.contains("https://"))
        let external = try Self.page(checkout, assets: .external(styleSheetPath: "/c.css", scriptPath: "/c.js"))
        #expect(external.html.contains("<script src=\"/c.js\" type=\"module\"></script>"))
        #expect(!external.html.contains("<style") && external.styleSheet.contains(".row"))
        #expect(external.headers["Content-Security-Policy"]?.contains("script-src 'self'") == true)
        for bad in ["short", "has space 1234567890", "quote'1234567890abc", "semi;1234567890abcd"] {
            #expect(ContentNonce(bad) == nil)
        }
    }

    @Test("Styles reach the sheet")
    func stylesReachTheSheet() throws {
        let style = CheckoutStyle(
            instruments: StoredInstrumentsStyle(
                itemCornerRadius: 7,
                buttonStyle: StoredInstrumentButtonStyle(backgroundColor: .systemOrange, height: 51)))
        let sheet = CheckoutStyleSheet(style: style, card: nil).text
        #expect(sheet.contains("border-radius:7px") && sheet.contains("min-height:51px"))
        // One colour on light ground, another on dark.
        #expect(sheet.contains("--row-pay-ground:#ff9500;") && sheet.contains("--row-pay-ground:#ff9f0a;"))
        #expect(!sheet.contains("<") && !sheet.contains("url("))
        // A duplicate colour name would change another place.
        let full = CheckoutStyleSheet(style: .legible, card: .defaultConfig).text
        let light = try #require(full.split(separator: "}").first)
        let names = light.matches(of: /--([a-z_-]+):/).map { String($0.output.1) }
        #expect(names.count > 20 && Set(names).count == names.count)
    }

    @Test("An empty checkout says so")
    func emptyCheckoutSaysSo() throws {
        let html = try Self.page(CheckoutController(session: FakeSession(cards: [], accounts: []), card: nil)).html
        #expect(html.contains("There is no way to pay here.") && !html.contains("<form"))
    }

    @Test("The encryption key reaches the script")
    func encryptionKeyReachesTheScript() throws {
        let checkout = CheckoutController(session: FakeSession())
        let key = CheckoutPage.EncryptionKey(subjectPublicKeyInfo: "TUlJ", holderReference: Redacted("h\"1"))
        let html = try Self.page(checkout, key: key).html
        #expect(html.contains("&quot;key&quot;:&quot;TUlJ&quot;") && html.contains("h\\&quot;1"))
        #expect(!"\(key)".contains("h\"1"))
    }
}
