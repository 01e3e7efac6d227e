import BitcoinSandbox
import PaymentCore
import PaymentRouting
import TestSupport
import Testing

@testable import BitcoinWallets

/// The file in which wallets' orders are kept.
@Suite("The file of orders")
struct OrderFileTests {
    @Test("A mark that cannot be written says why")
    func unwritableMark() throws {
        let mark = OrderMark(path: ScratchFolder().file("none/mark"))
        let error = #expect(throws: JournalError.self) { try mark.write("a", count: 1) }
        guard case .inaccessible(_, let detail)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(detail == "No such file or directory")
    }

    @Test("At a wallet that takes turns one order is sent at a time; other wallets are not held up")
    func turns() async throws {
        let bench = try WalletBench(.lnbits)
        let orders = try bench.orders()
        func begins(_ name: String, at wallet: String) async throws -> Bool {
            let settlement = try bench.settlement(name)
            let invoice = WalletInvoice(
                text: settlement.endpoint.text, paymentHash: settlement.endpoint.paymentHash ?? "", amount: 21_000,
                isAmountless: false, feeLimit: 10_000)
            let order = WalletOrder(
                name: name, wallet: wallet, payment: .invoice(invoice), placedAt: bench.clock.now, state: .sending)
            guard case .begun = try await orders.store.begin(order, alone: true) else { return false }
            return true
        }
        #expect(try await begins("a", at: "w"))
        #expect(try await !begins("b", at: "w"))
        #expect(try await begins("c", at: "other"))
        try await orders.store.endRequest(of: "a", isDealtWith: true, now: bench.clock.now)
        #expect(try await begins("b", at: "w"))
    }
}
