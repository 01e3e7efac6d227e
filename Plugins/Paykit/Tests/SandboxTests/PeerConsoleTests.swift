import Foundation
import PaymentCore
import PaymentTesting
import SandboxSupport
import TestSupport
import Testing

@testable import PaykitProvider
@testable import PaykitSandbox
@testable import SandboxHome

/// The pages of the sandbox's users.
@Suite("The Pubky sandbox's back office") struct PeerConsoleTests {
    private let world = PubkyWorld()

    @Test("A payee's invoice is paid from the wallet's page, once, and both sides see it")
    func paid() async throws {
        let user = await world.sandbox.createUser()
        #expect(try await world.get("/sandbox/paykit/payees").text.contains("/sandbox/paykit/payees/\(user.key)"))
        let pages = await world.sandbox.pages(of: user.key.text)
        #expect(pages.count == 2)
        for page in pages {
            let shown = try await world.get(page.path)
            #expect(shown.status == 200 && shown.text.contains(PageStyle.banner) && !shown.text.contains("<script"))
            #expect(
                shown.headers["Content-Security-Policy"]?.hasPrefix("default-src 'none'; style-src 'nonce-") == true)
        }
        let payer = pages[0].path
        let invoice = try await world.endpoint("lightning", of: user)
        let before = try await world.get(pages[1].path).text
        #expect(before.contains(invoice) && before.contains(">open<") && before.contains("None yet."))
        let paid = try await world.post(payer, ["endpoint": invoice, "amount": ""])
        #expect(paid.status == 303)
        let receipt = try #require(paid.headers["Location"])
        // Loading the receipt again pays nothing again.
        for _ in 0..<2 { #expect(try await world.get(receipt).text.contains("<p class=\"price\">2,100 sat</p>")) }
        #expect(await world.sandbox.ledger.captures(of: user.key.text) == 1)
        let after = try await world.get(pages[1].path).text
        #expect(after.contains(">paid<") && after.contains("Lightning") && !after.contains("None yet."))
        let hash = try #require(receipt.split(separator: "=").last)
        #expect(after.contains(hash) && after.contains("2,100 sat"))
        #expect(await world.sandbox.payment(named: String(hash)) == user.key.text)
        let again = try await world.post(payer, ["endpoint": invoice])
        #expect(again.status == 422 && again.text.contains("an invoice is paid once"))
        #expect(await world.sandbox.ledger.captures(of: user.key.text) == 1)
        #expect(try await world.get("/sandbox/paykit/payees").text.contains(">2,100 sat</td>"))
    }

    @Test("An unpayable request is refused with a reason, and nothing is taken")
    func refused() async throws {
        let open = await world.sandbox.createUser(.openAmount)
        let other = await world.sandbox.createUser()
        let payer = "/sandbox/paykit/payer/\(open.key)"
        let invoice = try await world.endpoint("lightning", of: open)
        let foreign = try await world.endpoint("lightning", of: other)
        for (items, words) in [
            ([:], "Choose what is to be paid"), (["endpoint": foreign], "Choose what is to be paid"),
            (["endpoint": "<script>"], "Choose what is to be paid"), (["endpoint": invoice], "Say how many satoshi"),
            (["endpoint": invoice, "amount": "0"], "whole satoshi"),
            (["endpoint": invoice, "amount": "-1"], "whole satoshi"),
            (["endpoint": invoice, "amount": "1.5"], "whole satoshi"),
            (["endpoint": invoice, "amount": "2100000000000001"], "whole satoshi"),
            (["endpoint": invoice, "amount": String(repeating: "9", count: 40)], "whole satoshi"),
            (["endpoint": invoice, "amount": "\"><b>\u{202E}"], "whole satoshi"),
        ] as [([String: String], String)] {
            let page = try await world.post(payer, items)
            #expect(page.status == 422 && page.text.contains(words), "\(items)")
            #expect(!page.text.contains("<b>") && !page.text.contains("<script"))
        }
        #expect(try await world.post(payer, ["endpoint": invoice, "amount": "5"], type: "text/plain").status == 422)
        #expect(await world.sandbox.ledger.captures(of: open.key.text) == 0)
        #expect(try await world.post(payer, ["endpoint": invoice, "amount": "2100000000000000"]).status == 303)
        #expect(try await world.get("/sandbox/paykit/payees").text.contains(">2,100,000,000,000,000 sat</td>"))
        // An expired invoice is no longer a choice.
        world.clock.advance(by: .seconds(25 * 3600))
        #expect(try await world.get("/sandbox/paykit/payer/\(other.key)").text.contains("An address on the chain"))
        let late = try await world.post("/sandbox/paykit/payer/\(other.key)", ["endpoint": foreign])
        #expect(late.status == 422)
        for path in ["payees/nobody", "payer/nobody", "payees/\(try PubkyWorld.pair(7).publicKey)", "payer/%00"] {
            #expect(try await world.get("/sandbox/paykit/\(path)").status == 404, "\(path)")
        }
        #expect(try await world.post("/sandbox/paykit/payees", [:]).status == 405)
    }

    @Test("Every kind of user has pages, and what they publish is text", arguments: PubkySandbox.Scenario.allCases)
    func everybody(_ scenario: PubkySandbox.Scenario) async throws {
        let user = await world.sandbox.createUser(scenario, name: "<b>Mallory\u{202E}")
        await world.sandbox.publish(
            Array("</dd><script>alert(1)</script>\u{0}".utf8), at: "/pub/paykit.app/v0/evil", of: user.key)
        for path in ["/sandbox/paykit/payees"] + (await world.sandbox.pages(of: user.key.text)).map(\.path) {
            let page = try await world.get(path)
            #expect(page.status == 200 && page.text.contains("&lt;b&gt;Mallory"))
            #expect(!page.text.contains("<script") && !page.text.contains("<b>") && !page.body.contains(0))
            #expect(!page.text.unicodeScalars.contains("\u{202E}") && page.body.count < 100_000)
        }
    }

    @Test("A payer who asks privately for more than there is gets a refusal, and the network continues")
    func tooMuch() async throws {
        let user = await world.sandbox.createUser()
        func ask(_ amount: String, factor: UInt64) async throws -> PaykitPayeeTerms {
            let inquiry = PaykitInquiry(
                receiptID: "r", payer: user.key, methodID: "lightning", amount: amount, currency: "SAT", metadata: .null
            )
            return try await world.sandbox.terms(inquiry, of: user.key, factor: factor)
        }
        for (amount, factor) in [
            ("18446744073709551615", 1), ("9223372036854775807", 10), ("1844674407370955171", 1),
            ("2100000000000001", 1),
            ("210000000000001", 10), (String(repeating: "9", count: 40), 1),
        ] as [(String, UInt64)] {
            await #expect(throws: PaykitPayeeError.self, "\(amount)") { try await ask(amount, factor: factor) }
        }
        #expect(try await ask("210000000000000", factor: 10).endpoint.hasPrefix("lnbcrt"))
        // An invoice is over what there can be at most.
        #expect(await world.sandbox.createInvoice(.max, for: user.key).hasPrefix("lnbcrt21000000"))
    }

    @Test("No server is notified of these payments, and the page offers no notification")
    func notifications() async throws {
        let user = await world.sandbox.createUser()
        #expect(await world.sandbox.notifications(from: 0) == nil)
        #expect(await world.sandbox.notifyAgain(about: user.key.text) == nil)
        for (notifies, count) in [(true, 2), (false, 1)] {
            var entry = HomeLedger.Entry(service: "paykit", id: user.key.text, number: 1, date: Date())
            entry.taken = "2100 sat"
            let page = PaymentPage(
                entry: entry, service: "Paykit", pages: [], notifies: notifies, picture: nil,
                origin: world.origin, last: 0, program: nil
            ).response("x")
            #expect(page.text.components(separatedBy: "Notify again").count == count)
            // The payer chose the amount, so the page shows what was taken.
            #expect(page.text.contains("2,100 sat"))
        }
    }
}
