import Foundation
import PaymentCore
import PayrailsSandbox
import Testing

/// The checkout page in a real browser, with real key strokes, against the sandbox.
@Suite(.enabled(if: Browser.isWanted, "needs Chromium and its driver; run `make browser-test`"), .serialized)
struct CheckoutBrowserTests {
    @Test("Pays with a stored instrument")
    func paysWithAStoredInstrument() async throws {
        try await Browser.visit(.paid) { browser in
            try await browser.shoot("1-instruments")
            let driver = browser.driver
            try await driver.click(try await driver.find("label[for=instrument-1]"))
            let radio = try await driver.find("#instrument-1")
            #expect(try await driver.property("checked", of: radio) == true)
            #expect(try await driver.property("checked", of: try await driver.find("#instrument-0")) == false)
            // Only the chosen row has a button to pay with.
            #expect(try await driver.isShown(try await browser.payButton(row: 0)) == false)
            try await driver.click(try await browser.payButton(row: 1))
            try await browser.sees("Payment completed.")
            #expect(await browser.captures == 1)
            #expect(try await driver.count("form") == 0)
            try await browser.shoot("2-paid")
            // Reloading pays nothing again.
            try await driver.open(browser.address)
            try await browser.sees("Payment completed.")
            #expect(await browser.captures == 1)
        }
    }

    @Test(
        "Says why nothing was paid",
        arguments: [
            (PayrailsSandbox.Scenario.insufficientBalance, "The payment was declined"),
            (.expiredSession, "This checkout has expired."), (.declinedThenPending, "The payment was declined"),
        ])
    func tellsWhyNothingWasPaid(_ scenario: PayrailsSandbox.Scenario, _ text: String) async throws {
        try await Browser.visit(scenario) { browser in
            let driver = browser.driver
            try await driver.click(try await browser.payButton(row: 0))
            try await browser.sees(text)
            if scenario == .insufficientBalance { try await browser.shoot("3-declined") }
            #expect(await browser.captures == 0)
            #expect(try await driver.count("#card") == 1)
        }
    }

    @Test("Impatient payers pay once")
    func impatientPayersPayOnce() async throws {
        try await Browser.visit(.paid) { browser in
            let driver = browser.driver
            _ = try await browser.payButton(row: 0)
            try await driver.run(
                """
                const button = document.querySelector(".row:has(#instrument-0) button.pay");
                for (let count = 0; count < 5; count++) button.click();
                """)
            try await browser.sees("Payment completed.")
            #expect(await browser.requests == 1)
            // Going back does not send the form again.
            try await driver.open("about:blank")
            try await driver.back()
            try await browser.sees("Payment completed.")
            #expect(await browser.requests == 1)
        }
    }

    @Test("Asks before it deletes")
    func asksBeforeItDeletes() async throws {
        try await Browser.visit(.paid) { browser in
            let driver = browser.driver
            let instruments = { await browser.sandbox.storedInstruments(of: browser.session.holder).count }
            #expect(try await driver.count(".row") == 3)
            try await driver.click(try await driver.find("button.delete"))
            let dialog = try await driver.find("dialog[open]")
            #expect(try await driver.text(of: dialog).contains("Delete this payment method?"))
            #expect(try await driver.text(of: dialog).contains("Card ending in 1111"))
            try await browser.shoot("4-delete")
            #expect(await instruments() == 3)
            // The focus is on the first answer, which is no.
            #expect(try await driver.text(of: try await driver.focused) == "Keep")
            try await driver.press(Key.escape)
            try await browser.waits { try await driver.count("dialog") == 0 }
            #expect(await instruments() == 3)
            try await driver.click(try await driver.find("button.delete"))
            try await driver.click(try await driver.find("dialog button.danger"))
            try await browser.sees("The payment method was deleted.")
            #expect(await instruments() == 2)
            #expect(try await driver.count(".row") == 2)
        }
    }

    @Test("Checks and pays with a new card")
    func checksAndPaysWithANewCard() async throws {
        try await Browser.visit(.paid) { browser in
            let driver = browser.driver
            let number = try await driver.find("#card_number")
            try await driver.type("4111111111111112", into: number)
            #expect(try await driver.property("value", of: number) == "4111 1111 1111 1112")
            let error = try await driver.find("#card_number-error")
            #expect(try await driver.isShown(error) == false)
            try await driver.press(Key.tab)
            #expect(try await driver.text(of: error) == "Enter a valid card number")
            try await browser.fill(["security_code": "12", "expiry_date": "13/20"])
            try await driver.click(try await driver.find("#card button.pay"))
            // After Pay each field shows its error, including the focused one.
            for (field, text) in [
                ("card_number", "Enter a valid card number"), ("security_code", "Enter the 3 or 4 digit code"),
                ("expiry_date", "Enter a valid expiry date (MM/YY)"),
            ] {
                #expect(try await driver.text(of: try await driver.find("#\(field)-error")) == text)
            }
            try await browser.shoot("5-card-errors")
            #expect(await browser.requests == 0)
            try await browser.fill([
                "card_number": "4111111111111111", "security_code": "123", "expiry_date": "12/40",
            ])
            #expect(try await driver.isShown(error) == false)
            try await driver.click(try await driver.find("#save"))
            try await browser.shoot("6-card")
            try await driver.click(try await driver.find("#card button.pay"))
            try await browser.sees("Payment completed.")
            #expect(await browser.captures == 1)
            #expect(await browser.sandbox.storedInstruments(of: browser.session.holder).count == 4)
            // The browser itself encrypted the card: its number was never sent.
            #expect(browser.sent.contains { $0.contains("encrypted_card=ey") && $0.contains("save_instrument=on") })
            #expect(!browser.sent.contains { $0.contains("4111111111111111") || $0.contains("4111+1111") })
        }
    }

    /// Without scripts the same form works: the server checks, encrypts and pays.
    @Test("Pays without scripts")
    func paysWithoutScripts() async throws {
        try await Browser.visit(.paid, scripts: false) { browser in
            let driver = browser.driver
            try await browser.fill([
                "card_number": "4111111111111112", "security_code": "123", "expiry_date": "12/40",
            ])
            try await driver.click(try await driver.find("#card button.pay"))
            // Another page appears, with the same elements. References to the old ones are invalid.
            try await browser.waits {
                (try? await driver.isShown(try await driver.find("#card_number-error"))) == true
            }
            let error = try await driver.find("#card_number-error")
            #expect(try await driver.text(of: error) == "Enter a valid card number")
            try await browser.fill(["card_number": "4111 1111 1111 1111", "security_code": "123"])
            try await driver.click(try await driver.find("#card button.pay"))
            try await browser.sees("Payment completed.")
            #expect(await browser.captures == 1)
            #expect(!browser.sent.contains { $0.contains("encrypted_card") })
        }
    }

    @Test("A challenge that is completed", arguments: [true, false])
    func challengeIsCompleted(_ isNewCard: Bool) async throws {
        try await Browser.visit(.challenge) { browser in
            let driver = browser.driver
            try await browser.payUntilChallenge(isNewCard: isNewCard)
            try await browser.shoot("7-challenge")
            try await driver.click(try await driver.find("a.open"))
            let yes = try await driver.find("button[value=complete]")
            try await browser.shoot("8-bank")
            #expect(await browser.captures == 0)
            try await driver.click(yes)
            try await browser.sees("Payment completed.")
            #expect(await browser.captures == 1)
            #expect(try await driver.url == browser.address)
        }
    }

    @Test("A challenge that is refused", arguments: ["fail", "cancel"])
    func challengeIsRefused(_ answer: String) async throws {
        try await Browser.visit(.challenge) { browser in
            let driver = browser.driver
            try await browser.payUntilChallenge(isNewCard: false)
            try await driver.click(try await driver.find("a.open"))
            try await driver.click(try await driver.find("button[value=\(answer)]"))
            let result = try await driver.find("#result .problem")
            #expect(try await !driver.text(of: result).isEmpty)
            #expect(await browser.captures == 0)
            #expect(try await driver.url == browser.address)
        }
    }

    @Test("A challenge that is abandoned")
    func challengeIsAbandoned() async throws {
        try await Browser.visit(.challenge) { browser in
            let driver = browser.driver
            try await browser.payUntilChallenge(isNewCard: false)
            try await driver.click(try await driver.find("a.open"))
            _ = try await driver.find("button[value=complete]")
            // Back to the shop without an answer.
            try await driver.open(browser.address)
            try await driver.click(try await driver.find("main button.quiet"))
            try await browser.sees("You left before the payment was confirmed.")
            #expect(await browser.captures == 0)
            try await browser.shoot("9-abandoned")
        }
    }

    @Test("The keyboard alone is enough")
    func worksByKeyboardAlone() async throws {
        try await Browser.visit(.paid) { browser in
            let driver = browser.driver
            // The payer's default card is chosen already.
            try await browser.tab(to: "#instrument-0")
            #expect(try await driver.property("checked", of: try await driver.find("#instrument-0")) == true)
            // The arrow keys choose within the list.
            try await driver.press(Key.down)
            #expect(try await driver.property("checked", of: try await driver.find("#instrument-1")) == true)
            // Delete asks first, and no is one key away.
            try await browser.tab(to: "button.delete[form=delete-1]")
            try await driver.press(Key.enter)
            _ = try await driver.find("dialog[open]")
            try await driver.press(Key.enter)
            try await browser.waits { try await driver.count("dialog") == 0 }
            try await browser.tab(to: "#card_number")
            for (text, next) in [
                ("4111111111111111", "#expiry_date"), ("1240", "#security_code"),
            ] {
                try await driver.press(text.map(String.init))
                try await browser.tab(to: next)
            }
            try await driver.press("123".map(String.init))
            try await browser.shoot("10-keyboard")
            try await driver.press([Key.enter])
            try await browser.sees("Payment completed.")
            #expect(await browser.captures == 1)
        }
    }

    @Test("Everything has a name and nothing is blocked")
    func everythingHasANameAndNothingIsBlocked() async throws {
        try await Browser.visit(.paid) { browser in
            let driver = browser.driver
            for selector in [
                "#card_number", "#security_code", "#expiry_date", "#save", "#instrument-0",
            ] {
                #expect(try await !driver.name(of: try await driver.find(selector)).isEmpty, "\(selector)")
            }
            let names = try await driver.run(
                """
                return [...document.querySelectorAll("button:not([hidden])")]
                    .map((one) => (one.getAttribute("aria-label") ?? one.textContent).trim());
                """)
            // Three rows with two each, the card's, PayPal's and the bank's.
            #expect(names.array?.count == 9 && names.array?.contains("") == false)
            #expect(try await driver.run("return document.documentElement.lang") == "en")
            // The policy allows the page's own style and script.
            #expect(try await driver.run("return getComputedStyle(document.querySelector('main')).maxWidth") != "none")
            #expect(try await driver.property("noValidate", of: try await driver.find("#card")) == true)
        }
    }
}
