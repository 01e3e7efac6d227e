import Foundation
import PaykitKit
import PaykitProvider
import PaykitSandbox
import PaymentCore
import PaymentRouting
import PaymentStandards
import PaymentStore
import PaymentTransport
import TestSupport

// Pays all requests over a private link, as a process that tests kill:
//
//     RequestProcess JOURNAL LINKS SANDBOX HOMESERVER PAYEE LOOKS
//
// LINKS is the file of the private links. LOOKS is the number of polls for requests. Each moment that
// matters is a line on standard output.

func tell(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

/// The store of records, with a line before and after each change.
struct TellingRecords: ForwardingRecords {
    let base: any RecordStore

    func transact(
        _ ranges: [RecordRange], under lease: RecordLease?, at now: Date,
        _ decide: @escaping @Sendable ([[StoredRecord]]) throws -> [RecordWrite]
    ) async throws {
        tell("keeping")
        try await base.transact(ranges, under: lease, at: now, decide)
        tell("kept")
    }
}

/// The sandbox's settler, with a line before and after each call.
struct TellingSettler: PaymentSettler {
    let base: SandboxSettler

    var name: String { base.name }
    func feeLimit(for amount: Money, to kind: SettlementEndpoint.Kind) -> Money? {
        base.feeLimit(for: amount, to: kind)
    }
    func register(_ name: String) async throws { try await base.register(name) }

    func canSettle(_ kind: SettlementEndpoint.Kind, on network: String?) -> Bool {
        base.canSettle(kind, on: network)
    }
    func order(named name: String) async throws -> SettlementOrder? { try await base.order(named: name) }
    func order(paying endpoint: SettlementEndpoint) async throws -> SettlementOrder? {
        try await base.order(paying: endpoint)
    }
    func abandon(_ name: String) async throws -> SettlementState { try await base.abandon(name) }
    func settle(_ settlement: Settlement) async throws -> SettlementState {
        tell("settling")
        let state = try await base.settle(settlement)
        tell("settled")
        return state
    }
}

let words = Array(CommandLine.arguments.dropFirst())
guard words.count == 6, let looks = Int(words[5]) else {
    print("usage: RequestProcess JOURNAL LINKS SANDBOX HOMESERVER PAYEE LOOKS")
    exit(64)
}
let url = try HTTPURL(words[2])
let transport = StandardTransport()
let store = TellingRecords(base: try SQLiteRecords(path: words[1]))
var configuration = PaykitClientConfiguration(network: try .sandbox(url))
configuration.receiver = PaykitReceiverPath("router/wallet")
configuration.receiverSecret = Redacted([UInt8](repeating: 9, count: 32))
let client = PaykitClient(configuration: configuration, transport: transport, store: store)
try await client.initialize(secretKeyHex: String(repeating: "07", count: 32), homeserverPubkey: words[3])
try await client.publishReceiver()
tell("signed in")
let link = try await client.privateLink(with: words[4], app: PaykitReceiverPath("shop/server"))
let provider = PaykitProvider(
    network: configuration.network, reader: StandardsReader(),
    links: try await client.linkPayments(chain: .regtest))
let router = PaymentRouter(
    registry: try ProviderRegistry([provider]), transport: transport, journal: try SQLiteJournal(path: words[0]),
    readers: [StandardsReader()], log: PaymentLog { tell("\($0)") },
    leases: LeasePolicy(duration: .seconds(600), timeout: .seconds(3)))
let payer = Payer(
    policy: .firstWhateverItCosts, settler: TellingSettler(base: SandboxSettler(at: url, over: transport)))

for _ in 0..<looks {
    do {
        // A request that was proven before the journal's final entry is no longer listed: recovery completes its
        // attempt.
        for report in try await router.recover(as: payer) { tell("recovered \(report)") }
        try await link.poll()
        for request in try await link.requests() where !request.isOwn && request.phase != .proven {
            guard let text = link.paymentLink(of: request) else { continue }
            tell("told \(try await router.pay(text, as: payer))")
        }
        try await link.poll()
    } catch { tell("failed: \(error)") }
    try await Task.sleep(for: .milliseconds(10))
}
