import PaymentCore
import PaymentTesting
import Synchronization
import Testing

/// The conformance kit for settlers, with a settler that keeps the rules and some that do not.
@Suite("Conformance of settlers")
struct SettlerConformanceTests {
    private enum Mistake: CaseIterable {
        case paysAgain, paysOtherInvoice, paysInvoiceAgain, claimsInvoice, forgetsRefusals, deniesRefusals
        case ignoresAbandoning, abandonsPaid, forgetsAtRestart, inventsOrders, forgetsNames
    }

    /// The money and the records of one wallet.
    private final class Wallet: Sendable {
        struct Records {
            /// The rows, by name: the first settlement, and its state.
            var rows: [String: SettlementOrder] = [:]
            var registered: Set<String> = []
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

    /// The settler of the protocol's documentation: a table of names beside a node that knows payment hashes only.
    private struct WalletSettler: PaymentSettler {
        let wallet: Wallet
        let mistake: Mistake?

        let name = "orders"
        func feeLimit(for amount: Money, to kind: SettlementEndpoint.Kind) -> Money? { nil }

        func register(_ name: String) async throws {
            if mistake != .forgetsNames { wallet.records.withLock { _ = $0.registered.insert(name) } }
        }

        func canSettle(_ kind: SettlementEndpoint.Kind, on network: String?) -> Bool { true }

        func order(named name: String) async throws -> SettlementOrder? {
            if mistake == .inventsOrders {
                return SettlementOrder(name: name, endpoint: nil, amount: nil, state: .nothingSent(reason: nil))
            }
            let row = wallet.records.withLock { records in
                records.rows[name]
                    ?? (records.registered.contains(name)
                        ? SettlementOrder(name: name, endpoint: nil, amount: nil, state: .registered) : nil)
            }
            if mistake == .deniesRefusals, case .nothingSent = row?.state { return nil }
            return row
        }

        func order(paying endpoint: SettlementEndpoint) async throws -> SettlementOrder? {
            wallet.records.withLock { Self.payment(of: endpoint, $0) }
        }

        func settle(_ settlement: Settlement) async throws -> SettlementState {
            wallet.records.withLock { records in
                if let row = records.rows[settlement.key], !isForgotten(row, settlement) { return row.state }
                let state: SettlementState
                if mistake != .paysInvoiceAgain, let other = Self.payment(of: settlement.endpoint, records) {
                    state = mistake == .claimsInvoice ? other.state : .settledElsewhere(name: other.name ?? "")
                } else if records.isRefusing {
                    state = .nothingSent(reason: "no route")
                } else {
                    records.payments += 1
                    state = .settled(.transaction("tx \(records.payments)"))
                }
                records.rows[settlement.key] = SettlementOrder(
                    name: settlement.key, endpoint: settlement.endpoint, amount: settlement.amount, state: state)
                return state
            }
        }

        func abandon(_ name: String) async throws -> SettlementState {
            wallet.records.withLock { records in
                let promise = SettlementState.nothingSent(reason: "abandoned")
                if mistake != .abandonsPaid, let row = records.rows[name] { return row.state }
                guard mistake != .ignoresAbandoning else { return promise }
                records.rows[name] = SettlementOrder(name: name, endpoint: nil, amount: nil, state: promise)
                return promise
            }
        }

        private func isForgotten(_ row: SettlementOrder, _ settlement: Settlement) -> Bool {
            switch (mistake, row.state) {
            case (.paysAgain, .settled): true
            case (.paysOtherInvoice, _): row.endpoint != nil && row.endpoint != settlement.endpoint
            case (.forgetsRefusals, .nothingSent): true
            default: false
            }
        }

        private static func payment(of endpoint: SettlementEndpoint, _ records: Wallet.Records) -> SettlementOrder? {
            guard endpoint.paymentHash != nil else { return nil }
            return records.rows.values.first { row in
                if case .settled = row.state { row.endpoint == endpoint } else { false }
            }
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
                    if mistake == .forgetsAtRestart { wallet.records.withLock { $0.rows = [:] } }
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
                case .inventsOrders: .question
                case .paysAgain: .once
                case .paysOtherInvoice: .first
                case .paysInvoiceAgain, .claimsInvoice: .invoice
                case .forgetsRefusals, .deniesRefusals: .refused
                case .ignoresAbandoning, .abandonsPaid: .abandoned
                case .forgetsAtRestart: .restart
                case .forgetsNames: .registered
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
