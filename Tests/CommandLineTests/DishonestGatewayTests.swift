import PaymentCore
import PaymentLoopback
import PaymentSandbox
import PaymentTesting
import SandboxHome
import SandboxSupport
import TestSupport
import Testing
import WalletConnectPaySandbox

@testable import PayrouteCommands

/// `payroute pay` at a dishonest gateway, over loopback HTTP: it exits with 1, states the reason, and signs nothing.
@Suite("pay at a dishonest gateway")
struct DishonestGatewayTests {
    typealias TamperedAnswer = WalletConnectPaySandbox.TamperedAnswer

    @Test("Nothing is signed, and the reason is printed", arguments: TamperedAnswer.all)
    func pay(_ answer: TamperedAnswer) async throws {
        let sandbox = WalletConnectPaySandbox()
        let server = try LoopbackServer(sandbox)
        defer { server.stop() }
        let payment = await sandbox.createPayment(tampered: answer)
        let result = await payroute("pay", payment.link, "--sandbox", server.baseURL.text)
        #expect(result.code == 1)
        #expect(!result.lines.contains { $0.hasPrefix("  sign") }, "\(answer): \(result.output)")
        // A call that the wallet cannot make at all is not reviewed.
        let isBeyondTheWallet = answer.name.hasPrefix("method-") && result.output.contains("a wallet that can do")
        #expect(isBeyondTheWallet || result.output.contains(answer.rejection), "\(answer): \(result.output)")
        #expect(await sandbox.ledger.captures(of: payment.id) == 0)
    }

    @Test("The sandbox lists them on request")
    func listed() async throws {
        let sites = SandboxServices(.all)
        let site = try #require(sites["walletconnect-pay"])
        #expect(site.tampered.count == TamperedAnswer.all.count)
        #expect(Set(site.tampered).isDisjoint(with: site.scenarios))
    }
}
