import BitcoinSandbox
import PaymentCore
import PaymentTesting
import Testing

@Suite("Conformance of wallets")
struct WalletConformanceTests {
    @Test("The settler of each wallet keeps the rules of settlers", arguments: SimulatedNode.Face.allCases)
    func conforms(face: SimulatedNode.Face) async {
        let report = await SettlerConformance.check(
            SettlerSubject(face.rawValue) {
                let bench = try await WalletBench(face)
                return SettlerSubject.Wallet(
                    bench.settler,
                    invoice: {
                        let settlement = try bench.settlement()
                        return (settlement.endpoint, settlement.amount)
                    },
                    payments: { bench.node.sentCount },
                    refuse: { bench.node.balance = $0 ? 0 : 1_000_000_000 },
                    reopen: { try await bench.another() })
            })
        #expect(report.isComplete, "\(report)")
    }
}
