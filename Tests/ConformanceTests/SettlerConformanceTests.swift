import PaymentCore
import PaymentTesting
import Synchronization
import Testing

/// The conformance kit for settlers, with a settler that keeps the rules and some that do not.
@Suite("Conformance of settlers")
struct SettlerConformanceTests {
    private enum Mistake: CaseIterable {
        case paysQuestions, paysAgain, paysInvoiceAgain, forgetsRefusals, forgetsAtRestart
    }

    /// The money and the records of one wallet.
    private final class Wallet: Sendable {
        struct Records {
            var paid: [String: SettlementProof] = [:]
            var refused: Set<String> = []
            var isRefusing = false
            var payments = 0
            var invoices: UInt8 = 0
        }

        let records = Mutex(Records())
        let hasHash: Bool

        init(hasHash: Bool) { self.hasHash = hasHash }

        func invoice() throws -> (endpoint: SettlementEndpoint, amount: Money) {
            let number = records.withLock {
                $0.invoices += 1
                return $0.invoices
            }
            let hash = String(repeating: "\(10 + number)", count: 32)
            let endpoint = SettlementEndpoint(
                hasHash ? .bolt11 : .bitcoinAddress, text: "pay \(number)", network: "regtest",
                paymentHash: hasHash ? hash : nil)
            return (endpoint, try Money(minorUnits: 21, currency: .satoshi))
        }
    }

    private struct WalletSettler: PaymentSettler {
        let wallet: Wallet
        let mistake: Mistake?

        func canSettle(_ kind: SettlementEndpoint.Kind, on network: String?) -> Bool { true }

        func state(of settlement: Settlement) async throws -> SettlementState {
            if mistake == .paysQuestions { return try await settle(settlement) }
            return wallet.records.withLock { records in
                records.paid[name(settlement)].map { .settled($0) } ?? .nothingSent(reason: nil)
            }
        }

        func settle(_ settlement: Settlement) async throws -> SettlementState {
            wallet.records.withLock { records in
                let name = name(settlement)
                if mistake != .paysAgain, let proof = records.paid[name] { return .settled(proof) }
                if mistake != .forgetsRefusals, records.refused.contains(settlement.key) {
                    return .nothingSent(reason: "no route")
                }
                guard !records.isRefusing else {
                    records.refused.insert(settlement.key)
                    return .nothingSent(reason: "no route")
                }
                records.payments += 1
                let proof = SettlementProof.transaction("tx of \(name)")
                records.paid[name] = proof
                return .settled(proof)
            }
        }

        private func name(_ settlement: Settlement) -> String {
            (mistake == .paysInvoiceAgain ? nil : settlement.endpoint.paymentHash) ?? settlement.key
        }
    }

    private static func subject(_ mistake: Mistake?, hasHash: Bool) -> SettlerSubject {
        SettlerSubject("a wallet") {
            let wallet = Wallet(hasHash: hasHash)
            return SettlerSubject.Wallet(
                WalletSettler(wallet: wallet, mistake: mistake), invoice: { try wallet.invoice() },
                payments: { wallet.records.withLock { $0.payments } },
                refuse: { refuses in wallet.records.withLock { $0.isRefusing = refuses } },
                reopen: {
                    if mistake == .forgetsAtRestart { wallet.records.withLock { ($0.paid, $0.refused) = ([:], []) } }
                    return WalletSettler(wallet: wallet, mistake: mistake)
                })
        }
    }

    @Test("One that keeps the rules passes, and all of them are probed", arguments: [true, false])
    func passes(hasHash: Bool) async {
        let report = await SettlerConformance.check(Self.subject(nil, hasHash: hasHash))
        #expect(report.isComplete && report.inapplicable == (hasHash ? [] : [.invoice]), "\(report)")
    }

    @Test("Each mistake is found by its probe")
    func mistakes() async {
        for mistake in Mistake.allCases {
            let probe: SettlerConformance.Probe =
                switch mistake {
                case .paysQuestions: .question
                case .paysAgain: .once
                case .paysInvoiceAgain: .invoice
                case .forgetsRefusals: .refused
                case .forgetsAtRestart: .restart
                }
            let report = await SettlerConformance.check(Self.subject(mistake, hasHash: true))
            #expect(report.failed.contains(probe), "\(mistake): \(report)")
        }
    }

    @Test("A wallet that never refuses, and is never opened again, is said to be probed less")
    func parts() async {
        let report = await SettlerConformance.check(
            SettlerSubject("a wallet") {
                let wallet = Wallet(hasHash: true)
                return SettlerSubject.Wallet(
                    WalletSettler(wallet: wallet, mistake: nil), invoice: { try wallet.invoice() },
                    payments: { wallet.records.withLock { $0.payments } })
            })
        #expect(report.isPassed && report.inapplicable == [.refused, .restart], "\(report)")
    }
}
