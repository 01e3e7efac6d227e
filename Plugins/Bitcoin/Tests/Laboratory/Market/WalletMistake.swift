import BitcoinWallets
import PaymentCore

/// A mistake of a wallet or its settler, to prove that the simulator finds it.
package enum WalletMistake: String, Sendable, CaseIterable {
    /// A request without an answer counts as one that has sent nothing.
    case trustsSilence = "a lost answer of a wallet is taken for nothing sent"
    /// A wallet without a record of an unanswered request counts as one that will not carry it out.
    case trustsAbsence = "a request that waits in a queue is taken for lost"
    /// A record that its server may correct counts as final.
    case trustsFailures = "a failure that a wallet corrects is taken for final"
    /// The limit of fees that is stated is not the one that is kept.
    case hidesFees = "a payment costs more than the settler has stated"
    /// A payment in flight counts as none.
    case overlooksFlights = "a wallet's payment in flight is overlooked"
    /// A request without an answer is sent again.
    case repeatsRequests = "a wallet's lost request is sent again"
    /// A settler that has lost a name counts as one that was never asked for it.
    case trustsLoss = "a name that a settler has lost is taken for one that was never asked for"
    /// An abandoned name is not stored.
    case forgetsAbandoned = "a name that was abandoned is requested"
    /// An error of the settler counts as nothing sent.
    case refusesOnErrors = "a settler's error is taken for nothing sent"

    /// Words of its breach.
    package var symptom: String {
        switch self {
        case .repeatsRequests: "was requested twice"
        case .trustsLoss: "was captured"
        case .forgetsAbandoned: "was requested after it was said to be unpaid"
        case .hidesFees: "cost more than its limit of fees"
        default: "but money"
        }
    }
}

/// A wallet with a mistake.
struct FaultyWallet: LightningWallet {
    let base: any LightningWallet
    let mistake: WalletMistake

    var name: String { base.name }
    var conduct: WalletConduct { base.conduct }

    func account() async throws(PaymentError) -> WalletAccount { try await base.account() }

    func objection(to invoice: WalletInvoice) async throws(PaymentError) -> String? {
        try await base.objection(to: invoice)
    }

    func pay(_ invoice: WalletInvoice) async -> WalletAnswer {
        let answer = await base.pay(invoice)
        guard answer == .nothing else { return answer }
        return switch mistake {
        case .trustsAbsence: .dealtWith
        case .trustsSilence: .sentNothing(reason: "there was no answer")
        case .repeatsRequests: await base.pay(invoice)
        default: answer
        }
    }

    func record(
        of invoice: WalletInvoice, in account: WalletAccount
    ) async throws(PaymentError) -> WalletRecord {
        switch (mistake, try await base.record(of: invoice, in: account)) {
        case (.overlooksFlights, .inFlight): return .none
        case (.trustsFailures, .failed(let reason, _)): return .failed(reason: reason, isFinal: true)
        case (_, let record): return record
        }
    }
}

/// A settler with a mistake.
struct FaultySettler: PaymentSettler {
    let base: WalletSettler
    let mistake: WalletMistake

    var name: String { base.name }
    func feeLimit(for amount: Money, to kind: SettlementEndpoint.Kind) -> Money? {
        mistake == .hidesFees ? nil : base.feeLimit(for: amount, to: kind)
    }
    func register(_ name: String) async throws { try await base.register(name) }
    func canSettle(_ kind: SettlementEndpoint.Kind, on network: String?) -> Bool { base.canSettle(kind, on: network) }
    func order(named name: String) async throws -> SettlementOrder? {
        let order = try await base.order(named: name)
        guard mistake == .trustsLoss else { return order }
        return order ?? SettlementOrder(name: name, endpoint: nil, amount: nil, state: .registered)
    }
    func order(paying endpoint: SettlementEndpoint) async throws -> SettlementOrder? {
        try await base.order(paying: endpoint)
    }
    func settle(_ settlement: Settlement) async throws -> SettlementState {
        guard mistake == .refusesOnErrors else { return try await base.settle(settlement) }
        return (try? await base.settle(settlement)) ?? .nothingSent(reason: "the settler failed")
    }
    func abandon(_ name: String) async throws -> SettlementState {
        mistake == .forgetsAbandoned ? .nothingSent(reason: "it was abandoned") : try await base.abandon(name)
    }
}
