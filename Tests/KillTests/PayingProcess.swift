import Foundation
import PaymentCore
import PaymentLoopback
import PaymentTesting
import TestSupport
import Testing
import WalletConnectPaySandbox

/// A sandbox with a simulated chain, and the processes that pay there over one journal.
final class PayingPlace: Sendable {
    private let folder = ScratchFolder()
    private let server: LoopbackServer
    let sandbox: WalletConnectPaySandbox
    private let program: URL

    init() throws {
        var configuration = WalletConnectPaySandbox.Configuration()
        configuration.pollInMs = 10
        sandbox = WalletConnectPaySandbox(configuration)
        server = try LoopbackServer(sandbox)
        program = try #require(Program.url("PayingProcess"))
    }

    deinit { server.stop() }

    /// Starts a process that pays `link`, or resumes everything if `link` is `resume`.
    func process(_ link: String, lease: Duration = .seconds(600)) throws -> Program {
        let milliseconds = Int(lease / .milliseconds(1))
        return try Program(
            [folder.file("journal"), server.baseURL.text, folder.file("chain"), "\(milliseconds)", link],
            executable: program)
    }

    /// The values of the transfers on the chain.
    var transfers: [String] {
        let text = (try? String(contentsOfFile: folder.file("chain"), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map { String($0.prefix { $0 != " " }) }
    }

    /// The number of money movements of a payment: by the service's ledger, and by the wallet's transfers.
    func moved(_ id: String, transfers: Int) async -> Int {
        let taken = await sandbox.ledger.events(of: id).count { event in
            if case .captured(_, let amount, _) = event { !amount.hasSuffix("/slip44:60") } else { false }
        }
        return taken + transfers
    }
}
