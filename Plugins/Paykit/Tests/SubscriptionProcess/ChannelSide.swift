import Foundation
import PaykitKit
import PaykitProvider
import PaykitSandbox
import PaymentCore
import PaymentRecurring
import PaymentRouting
import PaymentSettlement
import PaymentStandards
import PaymentTransport

/// One side of private channels, as an application has it: it listens, and its scheduler has a router pay what both
/// sides have signed.
struct ChannelSide: Side {
    private let subscriptions: PaykitSubscriptions
    private let application: Application
    private let store = InMemoryRecords()
    private let scheduler: RecurringScheduler
    private let listening: Task<Void, Never>

    /// Takes payments of subscriptions that both sides have signed, and no others.
    private struct Seller: PaykitPayee {
        let application: Application

        func terms(for inquiry: PaykitInquiry) async throws -> PaykitPayeeTerms {
            let own = application.keyPair.publicKey
            let records = try await application.client.subscriptions(with: inquiry.payer.text).records()
            guard let name = inquiry.metadata["subscription_id"]?.string,
                let agreed = records.first(where: { $0.id == name })?.subscription(at: .now), agreed.provider == own,
                inquiry.amount == agreed.terms.amount, inquiry.methodID == agreed.terms.methodID,
                let satoshi = UInt64(agreed.terms.amount)
            else { throw PaykitPayeeError("NOT_AGREED", "No subscription costs this: ask for its amount") }
            let invoice = await application.sandbox.createInvoice(satoshi, for: own)
            return PaykitPayeeTerms(
                endpoint: invoice,
                paymentHash: SettlementOffer.offers(in: invoice, StandardsReader()).first?.endpoint.paymentHash)
        }
    }

    init(with user: String, _ application: Application) async throws {
        self.application = application
        subscriptions = try await application.client.subscriptions(with: user)
        let listener = try await application.client.listen(
            at: .loopback(), asHost: "127.0.0.1", for: Seller(application: application))
        listening = Task { await listener.run() }
        let provider = PaykitProvider(
            network: try .sandbox(application.url), reader: StandardsReader(),
            privately: try PaykitChannelPayments(
                as: application.keyPair, over: TCPTransport(), store: application.store, use: .only,
                chain: .regtest))
        let router = PaymentRouter(
            registry: try ProviderRegistry([provider]), transport: application.transport, journal: InMemoryJournal(),
            autoPay: AutoPay(within: try SpendingLimits().limits(), timeZone: .gmt))
        let payer = Payer(settler: SandboxSettler(at: application.url, over: application.transport))
        scheduler = RecurringScheduler(
            store: store, payer: RouterPayer(router, as: payer) { PaykitStandingOrder($0)?.orderOverChannel })
    }

    func answer(_ command: JSONValue) async throws -> JSONValue {
        switch command["do"]?.string {
        case "records":
            let records = try await subscriptions.records().map { record -> JSONValue in
                let terms = (record.subscription(at: .now) ?? record.proposal?.subscription)?.terms
                return [
                    "id": .string(record.id), "status": .string("\(record.status(at: .now))"),
                    "amount": .string(terms?.amount ?? ""), "description": .string(terms?.description ?? ""),
                ]
            }
            return ["records": .array(records)]
        case "propose":
            let start = try command.number("start")
            let subscription = try PaykitSubscription(
                id: "sub_\(start)", subscriber: subscriptions.peer, provider: application.keyPair.publicKey,
                terms: PaykitSubscriptionTerms(
                    amount: try command.text("amount"), frequency: .daily, description: "news, daily"),
                metadata: ["edition": "morning"], createdAt: start, startsAt: start)
            return ["id": .string(try await subscriptions.propose(subscription).id)]
        case "accept": try await subscriptions.accept(command.text("id"))
        case "cancel": try await subscriptions.cancel(command.text("id"), effectiveAt: .now, reason: "moved away")
        case "exchange":
            let refused = try await subscriptions.exchangeOverChannel().refused
            return ["refused": .array(refused.map { .string($0.reason) })]
        case "pay": return ["paid": .array(try await pay().map { .number(JSONNumber(Int64($0))) })]
        case "receipts":
            let receipts = try await application.client.receipts().map { receipt -> JSONValue in
                [
                    "id": .string(receipt.id.name), "stage": .string(receipt.stage.rawValue),
                    "amount": .string(receipt.amount ?? ""), "preimage": receipt.proof?["preimage"] ?? .null,
                ]
            }
            return ["receipts": .array(receipts)]
        default: throw UnfitCommand(description: "there is no such command")
        }
        return [:]
    }

    /// Pays what is due of the agreements in which this side pays.
    ///
    /// - Returns: the numbers of the paid periods.
    private func pay() async throws -> [Int] {
        for record in try await subscriptions.records() where record.original.provider == subscriptions.peer {
            try await record.keepPlans(
                in: scheduler, paysByItself: true, policy: RecurringPolicy(.all))
        }
        try await scheduler.look()
        var paid: [Int] = []
        let plans = RecurringPlans(store)
        for plan in try await plans.all() {
            for charge in try await plans.charges(of: plan.id) {
                guard case .paid = charge.state else { throw UnfitCommand(description: "\(charge)") }
                paid.append(charge.id.number)
            }
        }
        return paid.sorted()
    }
}

extension Int64 {
    /// The time in seconds since 1970.
    fileprivate static var now: Int64 { Int64(Date().timeIntervalSince1970) }
}
