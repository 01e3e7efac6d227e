import CitconSandbox
import Foundation
import PaymentCore
import PaymentTesting
import PayrailsSandbox
import SandboxSupport
import TestSupport
import Testing
import WalletConnectPaySandbox

@testable import SandboxHome

@Suite("The sandbox's scenarios, and amounts that are none") struct HomeScenarioTests {
    @Test(
        "A scenario's link and its QR code stand in its row, without scripts, and are found again until something happens"
    )
    func link() async throws {
        let world = HomeWorld()
        let asked = try await world.submit("/scenarios", ["link": "citcon/wechatpay", "amount": "", "currency": "USD"])
        let location = try #require(asked.headers["Location"])
        #expect(asked.status == 303 && location.hasSuffix("#shown"))
        let path = String(location.prefix { $0 != "#" })
        let page = try await world.send(.get, path)
        let id = try #require(await world.home.closing().first?.payment)
        #expect(page.status == 200 && page.text.contains("<li id=\"shown\">"))
        #expect(page.text.contains("<code>wechatpay</code>"))
        // The code is on the page, opens large, and the link can be copied.
        #expect(page.text.components(separatedBy: "<title>code</title>").count == 2)
        #expect(page.text.contains("href=\"/_sandbox/qr.svg?payment=\(id)\""))
        let listed = try await world.json("payments/\(id)")["link"]?.string
        let link = HTMLText.escape(try #require(listed))
        #expect(page.text.contains("<pre tabindex=\"0\">\(link)</pre>") && page.text.contains("data-copy=\"\(link)\""))
        #expect(page.body.count < 100_000)
        // A repeated request finds the open payment; once it is paid, a new one is created.
        #expect(try await world.submit("/scenarios", ["link": "citcon/wechatpay"]).headers["Location"] == location)
        #expect(await world.home.closing().count == 1)
        _ = try await world.call("payments/\(id)/pay", [:])
        #expect(try await world.submit("/scenarios", ["link": "citcon/wechatpay"]).headers["Location"] != location)
        #expect(await world.home.closing().count == 2)
        // A request with another amount always gets a new one.
        for _ in 0..<2 {
            let priced =
                ["link": "payrails/paid", "amount": "7.25", "currency": "EUR"] as KeyValuePairs<String, String>
            #expect(try await world.submit("/scenarios", priced).status == 303)
        }
        #expect(await world.home.closing().count == 4)
        for show in ["", "nobody", "<script>"] {
            let other = try await world.send(.get, "/scenarios?show=\(PercentCoding.encode(show))")
            #expect(other.status == 200 && !other.text.contains("id=\"shown\""))
        }
        #expect(try await world.submit("/scenarios", ["link": "citcon/none"]).status == 404)
    }

    /// Amounts of 40 characters, most of them digits.
    static let enormous = [
        String(repeating: "9", count: 40), String(repeating: "9", count: 37) + ".99",
        String(repeating: "0", count: 38) + "12", "0." + String(repeating: "0", count: 37) + "1",
        "-" + String(repeating: "1", count: 39), "1e" + String(repeating: "9", count: 38),
        "<b>" + String(repeating: "9", count: 37), "18446744073709551615", "340282366920938463463374607431768211455",
    ]

    @Test(
        "An amount that is none or too large is refused where it was written, and nothing is made", arguments: enormous)
    func refused(_ amount: String) async throws {
        let world = HomeWorld()
        for verb in ["make", "link", "open", "pay"] {
            let body = "\(verb)=payrails/paid&currency=EUR&amount=\(PercentCoding.encode(amount))"
            let page = try await world.send(
                .post, "/scenarios", ["Content-Type": "application/x-www-form-urlencoded"], body: body)
            #expect(page.status == 400 && page.text.contains("role=\"alert\""))
            // The form has the entered text, for correction.
            #expect(page.text.contains("value=\"\(HTMLText.escape(amount))\" aria-invalid=\"true\""))
            #expect(page.text.contains("at most 10000000000.00 EUR") && !page.text.contains("<b>9"))
        }
        let answer = try await world.call(
            "payments",
            ["service": "payrails", "scenario": "paid", "amount": .string(amount), "currency": "EUR"])
        #expect(answer.status == 400 && answer.json["error"]?.string?.hasPrefix("The amount must be") == true)
        #expect(await world.home.closing().isEmpty)
        // A message explains an unknown currency.
        let other = try await world.submit(
            "/scenarios", ["make": "payrails/paid", "amount": "1", "currency": "\u{202E}X"])
        #expect(other.status == 400 && other.text.contains("The currency must be a code"))
    }

    @Test("A builder refuses an amount, or takes it as it is", arguments: enormous)
    func builders(_ amount: String) throws {
        let fields = [
            "address": "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", "name": "Shop", "iban": "DE89370400440532013000",
            "recipient": "mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN", "amount": amount,
        ]
        let addresses = ["ethereum": "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359", "upi": "shop@bank"]
        for builder in TextBuilder.all {
            var values = fields
            if let address = addresses[builder.id] { values["address"] = address }
            let (text, problem) = TextBuilder.text(builder.id, values)
            if let text {
                #expect(problem == nil && text.contains(amount.prefix(19)), "\(builder.id): \(text)")
            } else {
                #expect(problem?.hasSuffix(".") == true, "\(builder.id)")
            }
        }
    }

    @Test("The amounts that a service takes can be written, and no others asked for")
    func fields() async throws {
        let page = try await HomeWorld().send(.get, "/scenarios").text
        #expect(page.contains("id=\"payrails-amount\"") && !page.contains("id=\"citcon-amount\""))
        #expect(page.contains("Each scenario has its own amount."))
        // Payrails asks for euros, and says so; a service that says nothing of it takes dollars.
        #expect(page.contains("id=\"payrails-currency\" name=\"currency\" value=\"EUR\""))
        #expect(CitconSandbox().currency == "USD")
    }

    private static func form(_ boundary: String, _ parts: [(head: String, body: [UInt8])]) -> [UInt8] {
        parts.flatMap { part in
            Array("--\(boundary)\r\nContent-Disposition: form-data; \(part.head)\r\n\r\n".utf8) + part.body
                + Array("\r\n".utf8)
        } + Array("--\(boundary)--\r\n".utf8)
    }

    @Test("A picture is read without scripts, and what it holds is text")
    func picture() async throws {
        let world = HomeWorld()
        func send(_ body: [UInt8], _ type: String = "multipart/form-data; boundary=\"xx\"") async throws -> HTTPResponse
        {
            await world.home.respond(
                to: HTTPRequest(
                    .post, try HTTPURL(world.base + "/playground"),
                    headers: ["Content-Type": type, "Origin": world.base], body: body))
        }
        let image = "name=\"image\"; filename=\"code.png\"\r\nContent-Type: image/png"
        let code = Array("<script>alert(1)</script>\r\n--x".utf8)
        let page = try await send(
            Self.form("xx", [("name=\"other\"", [1, 2]), (image, code), ("name=\"image\"", [0])]))
        #expect(page.status == 200 && page.text.contains("There are 2 codes in the picture"))
        #expect(page.text.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
        #expect(page.text.components(separatedBy: "<script").count == 2)
        let none = try await send(Self.form("xx", [(image, [0])]))
        #expect(none.text.contains("There is &lt;b&gt;no code&lt;/b&gt; in it."))
        // Nothing chosen, a missing part, a truncated body, an invalid boundary.
        for (body, type) in [
            (Self.form("xx", [(image, [])]), "multipart/form-data; boundary=xx"),
            (Self.form("xx", [("name=\"text\"", code)]), "multipart/form-data; boundary=xx"),
            (Array(Self.form("xx", [(image, code)]).prefix(60)), "multipart/form-data; boundary=xx"),
            (Self.form("xx", [(image, code)]), "multipart/form-data"),
            (Self.form("xx", [(image, code)]), "multipart/form-data; boundary=\(String(repeating: "x", count: 71))"),
            ([], "multipart/form-data; boundary=xx"),
        ] as [([UInt8], String)] {
            let answer = try await send(body, type)
            #expect(answer.status == 200 && answer.text.contains("Choose a picture first."), "\(type)")
        }
        // Other sites cannot send a picture.
        let forged = await world.home.respond(
            to: HTTPRequest(
                .post, try HTTPURL(world.base + "/playground"),
                headers: ["Content-Type": "multipart/form-data; boundary=xx", "Origin": "https://evil.example"],
                body: Self.form("xx", [(image, code)])))
        #expect(forged.status == 403)
    }
}
