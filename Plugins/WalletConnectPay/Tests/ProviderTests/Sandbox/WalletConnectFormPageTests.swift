import Foundation
import PaymentCore
import TestSupport
import Testing
import WalletConnectPaySandbox

/// The form as a page: its content, and the inputs that may and may not change it.
@Suite struct WalletConnectFormPageTests {
    static let hostile = [
        #""><script>alert(1)</script>"#, "'><img src=x onerror=alert(1)>", "</title></style></main><script>",
        "&quot;&lt;b&gt;",
        "javascript:alert(1)", "\" autofocus onfocus=\"alert(1)", "<!--", "]]>", "${alert(1)}", "\u{202E}\u{0}\u{7}\n",
    ]

    let world = PayWorld()

    /// The form of a new payment, with `query` added to its address.
    private func form(merchant: String = "Café", _ query: String = "") async throws -> SeenPage {
        let id = await world.sandbox.createPayment(.dataCollection, merchant: merchant).id
        let url = try #require(try await world.option(id, "USDC")["collectData"]?["url"]?.string)
        return try await world.open(url + query)
    }

    private func prefill(_ values: JSONValue) -> String {
        "&prefill=" + PercentCoding.encode(Data(values.serialized()).base64EncodedString())
    }

    @Test("Protects itself")
    func protectsItself() async throws {
        let pages = [try await form(), try await form()]
        var nonces: Set<String> = []
        for page in pages {
            #expect(page.answer.status == 200)
            let headers = page.answer.headers
            #expect(headers["Content-Type"] == "text/html; charset=utf-8")
            #expect(headers["X-Frame-Options"] == "DENY")
            #expect(headers["X-Content-Type-Options"] == "nosniff")
            #expect(headers["Referrer-Policy"] == "no-referrer")
            #expect(headers["Cache-Control"] == "no-store")
            let policy = try #require(headers["Content-Security-Policy"])
            let nonce = String(try #require(policy.firstMatch(of: /script-src 'nonce-([0-9a-f]{32})'/)).output.1)
            #expect(
                policy == "default-src 'none'; style-src 'nonce-\(nonce)'; script-src 'nonce-\(nonce)'; "
                    + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
            #expect(
                page.html.contains("<script nonce=\"\(nonce)\">") && page.html.contains("<style nonce=\"\(nonce)\">"))
            nonces.insert(nonce)
        }
        #expect(nonces.count == 2)
    }

    @Test("Loads nothing from elsewhere")
    func loadsNothingFromElsewhere() async throws {
        let page = try await form()
        let tags = page.structure.joined()
        for loading in [" src", "<link", "<img", "<iframe", "<object", "@import", "url("] {
            #expect(!tags.contains(loading) && !page.html.contains(loading), "\(loading)")
        }
        let links = page.html.matches(of: /https?:\/\/[^"'<\s]*/).map { String($0.output) }
        #expect(links == ["https://reown.com/terms-of-service", "https://reown.com/privacy-policy"])
    }

    @Test("Can be used by everybody")
    func canBeUsedByEverybody() async throws {
        let page = try await form()
        #expect(page.html.hasPrefix("<!DOCTYPE html>\n<html lang=\"en\">"))
        for name in ["fullName", "dob", "pobCountry", "pobAddress", "porCountry", "porAddress", "tosConfirmed"] {
            #expect(page.html.contains("<label for=\"\(name)\">"))
            #expect(page.html.contains(" id=\"\(name)\" name=\"\(name)\""))
        }
        #expect(page.html.contains("<legend>"))
        let corrected = try await world.submit(page, ["fullName": "A", "dob": "1990-13-01"])
        #expect(corrected.answer.status == 422)
        #expect(corrected.html.contains("<div role=\"alert\""))
        #expect(corrected.html.contains("<li>Date of birth must be a date (YYYY-MM-DD)</li>"))
        #expect(corrected.html.firstMatch(of: /id="dob"[^>]*aria-invalid="true"/) != nil)
        #expect(corrected.html.firstMatch(of: /id="fullName"[^>]*aria-invalid/) == nil)
        // The entered values are kept.
        #expect(corrected.inputs["fullName"] == "A")
        #expect(corrected.message == nil)
    }

    /// The wallets' three bridges, in a script that holds nothing from outside.
    @Test("Calls whichever bridge there is")
    func callsWhicheverBridgeThereIs() async throws {
        let script = try #require(try await form().html.firstMatch(of: /<script[^>]*>([^<]*)<\/script>/)).output.1
        for call in [
            "window.webkit?.messageHandlers?.payDataCollectionComplete", "handler.postMessage(message)",
            "window.AndroidWallet.onDataCollectionComplete(message)", "window.ReactNativeWebView.postMessage(message)",
        ] {
            #expect(script.contains(call), "\(call)")
        }
        let other = try await world.open("https://pay.walletconnect.com/collect/?pid=x&accounts=y")
        #expect(other.html.contains(script))
    }

    // MARK: What the address may say

    @Test("Fills in what the wallet knows")
    func fillsInWhatTheWalletKnows() async throws {
        let known: JSONValue = [
            "fullName": "Zoë & Söhne <1>", "dob": "1990-01-01", "pobAddress": "Straße ~~~~~?????", "pobCountry": "DE",
            "tosConfirmed": "true", "other": "x", "porCountry": 7,
        ]
        let base64 = Data(known.serialized()).base64EncodedString()
        #expect(base64.contains("+") && base64.contains("/") && base64.contains("="), "tests both alphabets: \(base64)")
        let urlSafe = base64.replacing("+", with: "-").replacing("/", with: "_")
        for text in [
            PercentCoding.encode(base64), PercentCoding.encode(urlSafe), urlSafe.replacing("=", with: ""),
            // Sent without escaped pluses, which forms read as spaces.
            base64.replacing("=", with: "%3D"),
        ] {
            let page = try await form("&prefill=" + text)
            let inputs = page.inputs
            #expect(inputs["fullName"] == "Zoë & Söhne <1>")
            #expect(inputs["dob"] == "1990-01-01")
            #expect(inputs["pobAddress"] == "Straße ~~~~~?????")
            #expect(inputs["porCountry"] == "")
            #expect(!page.html.contains("checked"))
        }
    }

    @Test(
        "Ignores what it cannot read",
        arguments: [
            "", "&prefill=", "&prefill=%%%", "&prefill=====", "&prefill=bm9wZQ", "&prefill=WzFd", "&prefill=e30",
            "&prefill=_",
            "&prefill=//79", "&theme=", "&theme=solarized", "&accounts=x", "&pid=x",
        ])
    func ignoresWhatItCannotRead(_ query: String) async throws {
        let page = try await form(query)
        #expect(page.structure == (try await form().structure))
        #expect(page.inputs["fullName"] == "")
    }

    @Test("Both themes")
    func themes() async throws {
        for theme in ["dark", "light"] {
            let page = try await form("&theme=\(theme)").html
            #expect(page.contains("<html lang=\"en\" data-theme=\"\(theme)\">"))
            #expect(page.contains(":root[data-theme=\(theme)]{color-scheme:\(theme)"))
        }
        let other = try await form("&theme=blue").html
        #expect(other.contains("<html lang=\"en\">") && other.contains(":root{color-scheme:light dark"))
        #expect(try await world.submit(form("&theme=dark"), [:]).html.contains("data-theme=\"dark\""))
    }

    // MARK: What it may not do

    @Test("Nothing from outside changes the page", arguments: hostile)
    func nothingFromOutsideChangesThePage(_ text: String) async throws {
        let benign = try await form()
        let encoded = PercentCoding.encode(text)
        let values: JSONValue = .object(
            ["fullName", "dob", "pobCountry", "pobAddress"].reduce(into: [:]) { $0[$1] = .string(text) })
        let page = try await form(merchant: text, prefill(values) + "&theme=\(encoded)")
        #expect(page.structure == benign.structure)
        if !text.contains("\u{0}") { #expect(page.inputs["fullName"] == text) }

        let wrong = try await world.submit(benign, ["fullName": "x"])
        let answered = try await world.submit(page, ["fullName": text, "dob": text, "theme": text])
        #expect(answered.answer.status == 422)
        #expect(
            answered.structure.filter { $0 != "<li>" && $0 != "</li>" }.map { $0.replacing(" aria-invalid", with: "") }
                == wrong.structure.filter { $0 != "<li>" && $0 != "</li>" }.map {
                    $0.replacing(" aria-invalid", with: "")
                })

        // A wrong address is refused without repeating it.
        let failed = try await world.open("https://pay.walletconnect.com/collect/?pid=x&accounts=y")
        for (pid, accounts) in [(encoded, "y"), (benign.inputs["pid"] ?? "", encoded), (encoded, encoded)] {
            let page = try await world.open("https://pay.walletconnect.com/collect/?pid=\(pid)&accounts=\(accounts)")
            #expect(page.structure == failed.structure)
            #expect(page.answer.status >= 400)
        }
    }
}
