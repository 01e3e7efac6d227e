import BitcoinProvider
import Foundation
import PaykitProvider
import PaymentCore
import PaymentRouting
import PaymentStandards
import TestSupport
import Testing

@testable import PaykitSandbox

/// A payee that makes two invoices of one payment hash: every holder of the preimage can.
@Suite("Two invoices of one payment hash")
struct TwinInvoiceTests: NetworkSuite {
    let network = TestNetwork()
    private let journal = InMemoryJournal()
    private let payer: Payer
    private let router: PaymentRouter

    init() throws {
        payer = Payer(policy: .firstWhateverItCosts, settler: try network.settler)
        router = try network.router(with: [BitcoinProvider(reader: StandardsReader())], journal: journal)
    }

    /// An invoice over 700 satoshi, paid through `wrapping`, and its unpaid twin over 9,000.
    private func twin(paidBy wrapping: (String) -> String) async throws -> String {
        let user = await sandbox.createUser(.emptyDirectory)
        let invoice = await sandbox.createInvoice(700, for: user.key)
        let receipt = try #require(try await router.pay(wrapping(invoice), as: payer).receipt)
        let preimage = try #require(receipt.transactionID.flatMap { Hex.decode($0) })
        return try PubkyInvoice(
            9000, for: user.key, at: UInt64(clock.now.timeIntervalSince1970), lifetime: 3600, chain: .regtest,
            secrets: (preimage, [UInt8](repeating: 3, count: 32), [UInt8](repeating: 4, count: 32))
        ).text
    }

    private static let bare = { @Sendable (invoice: String) in "lightning:\(invoice)" }
    private static let paykit = { @Sendable (invoice: String) in "paykit:invoice?method=lightning&data=\(invoice)" }

    @Test("The other one is neither paid nor reported as paid", arguments: [true, false])
    func sameProvider(_ isPaykit: Bool) async throws {
        let wrapping = isPaykit ? Self.paykit : Self.bare
        let twin = try await twin(paidBy: wrapping)
        let error = await #expect(throws: PaymentError.self) { try await router.pay(wrapping(twin), as: payer) }
        #expect(error?.code == .integrity && error?.phase == .beforeSend)
    }

    @Test("Nor where only the settler knows of the first one")
    func otherProvider() async throws {
        let twin = try await twin(paidBy: Self.bare)
        let error = await #expect(throws: PaymentError.self) { try await router.pay(Self.paykit(twin), as: payer) }
        #expect(error?.phase == .beforeSend)
        #expect(await journal.unfinished().isEmpty)
    }

    @Test("An unproven name shows nothing that turns letters around or looks like markup")
    func claims() async throws {
        let link =
            "bitcoin:bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080?amount=0.001&label=%E2%80%AEroF%20aniM%3Cb%3E%0A%E2%80%9D"
        let name = try await router.quote(link, as: payer).payee.name
        #expect(name.hasPrefix("\u{201C}roF aniMb\u{201D} (bcrt1qw508d6…"))
        #expect(!name.unicodeScalars.contains("\u{202E}") && !name.contains("<") && !name.contains("\n"))
    }
}
