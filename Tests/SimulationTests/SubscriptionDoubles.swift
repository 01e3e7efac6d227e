import Foundation
import PaymentCore
import PaymentRecurring
import PaymentRouting
import PaymentSettlement
import PaymentStore
import PaymentTesting
import Synchronization
import TestSupport

/// Euros.
func money(_ cents: UInt128) -> Money {
    guard let money = try? Money(minorUnits: cents, currency: .eur) else { preconditionFailure("small amounts exist") }
    return money
}

/// The records as one process sees them: a dead process reads and writes nothing.
struct RecordsOfProcess: ForwardingRecords {
    struct Gone: Error {}

    let base: any RecordStore
    let process: SimulatedProcess

    private func alive() throws { guard !process.isDead else { throw Gone() } }

    func transact(
        _ ranges: [RecordRange], under lease: RecordLease?, at now: Date,
        _ decide: @escaping @Sendable ([[StoredRecord]]) throws -> [RecordWrite]
    ) async throws {
        try alive()
        try await base.transact(ranges, under: lease, at: now, decide)
    }

    func records(_ ranges: [RecordRange]) async throws -> [[StoredRecord]] {
        try alive()
        return try await base.records(ranges)
    }

    func records(_ query: RecordQuery) async throws -> [StoredRecord] {
        try alive()
        return try await base.records(query)
    }

    func acquire(_ lease: RecordLease, at now: Date) async throws -> Bool {
        try alive()
        return try await base.acquire(lease, at: now)
    }

    func renew(_ lease: RecordLease, at now: Date) async throws {
        try alive()
        try await base.renew(lease, at: now)
    }

    func release(_ lease: RecordLease) async throws {
        try alive()
        try await base.release(lease)
    }
}

/// A payer that reports every payment as unsent, and cancels nothing.
struct Forgetful: RecurringPayer {
    let base: RouterPayer

    func pay(_ charge: RecurringCharge, of plan: RecurringPlan) async throws -> RecurringAnswer {
        try await base.pay(charge, of: plan)
    }
    func fate(of charge: RecurringCharge, in plan: RecurringPlan) async throws -> RecurringAnswer? { nil }
}

/// The payer's money: the payments, by the name of the period, with all repetitions.
final class Wallet: Sendable {
    private let state = Mutex<(paid: [String: SettlementProof], moved: [String: Int])>(([:], [:]))
    private let registered = Mutex<Set<String>>([])
    private let asleep = Mutex<(isOver: Bool, waiting: [OneShot<Void>], breaches: [String])>((false, [], []))

    var moved: [String: Int] { state.withLock { $0.moved } }

    func proof(_ key: String) -> SettlementProof? { state.withLock { $0.paid[key] } }

    /// Never answers before the history is over.
    func sleep() async {
        let pending = OneShot<Void>()
        let isOver = asleep.withLock { state in
            if !state.isOver { state.waiting.append(pending) }
            return state.isOver
        }
        if !isOver { await pending.value() }
    }

    /// Answers everything.
    func wakeUp() {
        let waiting = asleep.withLock { state in
            state.isOver = true
            return state.waiting
        }
        for pending in waiting { pending.finish(()) }
    }

    var breaches: [String] { asleep.withLock { $0.breaches } }

    func breach(_ text: String) { asleep.withLock { $0.breaches.append(text) } }

    func register(_ key: String) { registered.withLock { _ = $0.insert(key) } }

    func isRegistered(_ key: String) -> Bool { registered.withLock { $0.contains(key) } }

    /// Pays once for each key, as settlers do.
    func pay(_ key: String, for period: String) -> SettlementProof {
        state.withLock { state in
            if let proof = state.paid[key] { return proof }
            let proof = SettlementProof.transaction("tx-\(state.paid.count)")
            state.paid[key] = proof
            state.moved[period, default: 0] += 1
            return proof
        }
    }
}

/// The wallet of one process.
struct WalletOfProcess: PaymentSettler {
    struct Gone: Error {}

    let wallet: Wallet
    let process: SimulatedProcess

    let name = "wallet-orders"
    func feeLimit(for amount: Money, to kind: SettlementEndpoint.Kind) -> Money? { nil }

    func register(_ name: String) async throws {
        try await wait()
        wallet.register(name)
    }

    func canSettle(_ kind: SettlementEndpoint.Kind, on network: String?) -> Bool { true }

    func order(named name: String) async throws -> SettlementOrder? {
        try await wait()
        let state = wallet.proof(name).map { SettlementState.settled($0) }
        return (state ?? (wallet.isRegistered(name) ? .registered : nil)).map {
            SettlementOrder(name: name, endpoint: nil, amount: nil, state: $0)
        }
    }

    /// Its endpoints take every payment.
    func order(paying endpoint: SettlementEndpoint) async throws -> SettlementOrder? { nil }

    func abandon(_ name: String) async throws -> SettlementState { throw Gone() }

    func settle(_ settlement: Settlement) async throws -> SettlementState {
        if settlement.endpoint.text.hasPrefix("hangs|") { await wallet.sleep() }
        try await wait()
        let words = settlement.endpoint.text.split(separator: "|").map(String.init)
        if words[0] == "refuses" { return .nothingSent(reason: "there is no route") }
        let proof = wallet.pay(settlement.key, for: words[1])
        try await wait()
        // Now and then the answer is lost.
        guard process.random.fraction() > 0.1 else { throw Gone() }
        return .settled(proof)
    }

    private func wait() async throws {
        guard !process.isDead else { throw Gone() }
        try await process.clock.sleep(for: .seconds(1 + Int(process.random.next() % 20)))
        guard !process.isDead else { throw Gone() }
    }
}

/// Pays the payee of the link, by an endpoint that names the period.
struct WalletProvider: SettlingProvider, PayeeProvider {
    /// A mistake: the settler's key follows from the attempt.
    var keysTries = false

    var descriptor: ProviderDescriptor {
        ProviderDescriptor(id: "wallet", name: "Wallet", patterns: [.host("wallet.example")], outboundHosts: [])
    }

    func recognize(_ link: PaymentLink) -> LinkMatch? {
        LinkMatch(.payee(String(link.path.drop { $0 == "/" })))
    }

    func payee(of option: PaymentMethodOption) -> String? { option.providerData?["payee"]?.string }

    func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> ProviderQuote {
        let payee = request.match.reference ?? ""
        let endpoint = SettlementEndpoint(.bitcoinAddress, text: "\(payee)|\(request.reference.id)", network: "regtest")
        try await context.clock.sleep(for: .seconds(2))
        return ProviderQuote(
            reference: request.reference, payee: Payee(name: payee, id: payee), amount: money(1000),
            options: [
                PaymentMethodOption(
                    id: "address", title: "address", amount: money(1000),
                    needs: [.settlement(.bitcoinAddress, network: "regtest")],
                    providerData: ["payee": .string(payee), "endpoint": try JSONValue.encode(endpoint)])
            ])
    }

    func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport {
        guard let endpoint = attempt.option.providerData?["endpoint"] else {
            throw PaymentError(.providerFault, "no endpoint")
        }
        do {
            var attempt = attempt
            if keysTries {
                attempt = PaymentAttempt(
                    id: attempt.id, reference: attempt.reference, option: attempt.option,
                    idempotencyKey: attempt.id.rawValue, startedAt: attempt.startedAt, expiresAt: attempt.expiresAt)
            }
            let proof = try await context.settle(attempt, to: try endpoint.decode(SettlementEndpoint.self))
            return .succeeded(
                PaymentReceipt(
                    reference: attempt.reference, amount: attempt.option.amount, transactionID: proof.text))
        } catch let error as PaymentError where error.code == .notSettled {
            return .declined(DeclineReason(.refused, error.message))
        }
    }
}
