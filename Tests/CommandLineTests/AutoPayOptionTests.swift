import Foundation
import PaymentCore
import PaymentLoopback
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing
import WalletConnectPaySandbox

@testable import PayrouteCommands

@Suite("pay --auto-within")
struct AutoPayOptionTests {
    private let folder = ScratchFolder()

    @Test(
        "Limits are read as people write them",
        arguments: [
            ("20 EUR/day", ["20.00 EUR a day"]), ("0.5 USD/week", ["0.50 USD a week"]),
            ("5000 sat/month", ["0.00005000 BTC a month"]), ("0.1 BTC/day", ["0.10000000 BTC a day"]),
            ("20 EUR/day, 100 EUR/month", ["20.00 EUR a day", "100.00 EUR a month"]),
            ("20 EUR / day", ["20.00 EUR a day"]), ("7 JPY/day", ["7 JPY a day"]),
        ])
    func limits(text: String, expected: [String]) {
        #expect(AutoPayOption.policy(text)?.limits.map(\.description) == expected)
    }

    @Test(
        "Anything else is no limit",
        arguments: [
            "", "20 EUR", "20/day", "EUR/day", "20 EUR/year", "20 EUR/", "-20 EUR/day", "20 EUR/day,", "20,5 EUR/day",
            "0 EUR/day", "0.001 EUR/day", "20 XYZ/day", "20 EUR/day/day", "1.5 sat/day", "1e3 EUR/day", "20 eur/day",
        ])
    func noLimits(text: String) { #expect(AutoPayOption.policy(text) == nil, "\(text)") }

    @Test("Days begin in the zone that the limits name, otherwise in UTC, and never in the process's")
    func zones() {
        #expect(AutoPayOption.policy("20 EUR/day")?.timeZone == .gmt)
        let named = AutoPayOption.policy("20 EUR/day, 5000 sat/week in Europe/Berlin")
        #expect(named?.timeZone?.identifier == "Europe/Berlin" && named?.limits.count == 2)
        for text in ["20 EUR/day in", "20 EUR/day in Nowhere/City", "20 EUR/day in Europe/Berlin, 5 EUR/week"] {
            #expect(AutoPayOption.policy(text) == nil, "\(text)")
        }
    }

    @Test("What the limits say nothing about is declined, with the reason")
    func declined() async throws {
        let sandbox = WalletConnectPaySandbox(WalletConnectPaySandbox.Configuration())
        let server = try LoopbackServer(sandbox)
        defer { server.stop() }
        let payment = await sandbox.createPayment()
        let result = await payroute(
            "pay", payment.link, "--sandbox", server.baseURL.text, "--journal", folder.file("journal"), "--auto-within",
            "20 EUR/day", "--json")
        #expect(result.code == 1)
        #expect(result.output.contains("cannot be compared with the limit of 20.00 EUR a day"), "\(result.output)")
        #expect(await sandbox.ledger.captures(of: payment.id) == 0)
        let wrong = await payroute(
            "pay", payment.link, "--sandbox", server.baseURL.text, "--auto-within", "20 EUR a day")
        #expect(wrong.code == 64 && wrong.errors.contains("--auto-within"), "\(wrong.errors)")
    }
    @Test("Limits without a journal would bind nothing, and are refused before anything is asked")
    func withoutJournal() async throws {
        let result = await payroute(
            "pay", "pay_1", "--sandbox", "http://127.0.0.1:1", "--auto-within", "20 EUR/day")
        #expect(result.code == 64 && result.output == "", "\(result)")
        #expect(result.errors.contains("add '--journal <file>'"), "\(result.errors)")
    }
}
