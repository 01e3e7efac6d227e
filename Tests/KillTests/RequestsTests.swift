import Foundation
import PaykitKit
import PaykitProvider
import PaykitSandbox
import PaymentCore
import PaymentLoopback
import PaymentStore
import PaymentTesting
import TestSupport
import Testing

/// A payer over a private link whose process is killed again and again, while the payee requests, polls and keeps the
/// records.
@Suite("Requests over private links, paid by processes that are killed", .serialized)
struct RequestsTests {
    private let folder = ScratchFolder()
    private static let kills = ProcessInfo.processInfo.environment["PAYROUTE_KILLS"].flatMap { Int($0) } ?? 4

    /// The payee, and the place of both.
    private struct Place {
        let sandbox: PubkySandbox
        let url: String
        let payee: PubkyKey
        let link: PaykitPrivateLink
        let store: SQLiteRecords
        let key: RecordKey

        /// The number of states of the link that the payer has stored: the first eight bytes of the last one.
        var number: UInt64 {
            get async throws { try await store.record(key)?.value.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } ?? 0 }
        }
    }

    private func place(_ sandbox: PubkySandbox, _ server: LoopbackServer) async throws -> Place {
        let url = "http://localhost:\(server.baseURL.port)"
        var configuration = PaykitClientConfiguration(network: try .sandbox(HTTPURL(url)))
        let (receiver, payers) = (
            try #require(PaykitReceiverPath("shop/server")), try #require(PaykitReceiverPath("router/wallet"))
        )
        configuration.receiver = receiver
        configuration.receiverSecret = Redacted([UInt8](repeating: 8, count: 32))
        let client = PaykitClient(configuration: configuration, transport: SandboxTransport(sandbox))
        try await client.initialize(
            secretKeyHex: String(repeating: "01", count: 32), homeserverPubkey: sandbox.homeserver.text)
        try await client.publishReceiver()
        let payee = try #require(await client.user)
        let payer = try PubkyKeyPair(seed: [UInt8](repeating: 7, count: 32)).publicKey
        return Place(
            sandbox: sandbox, url: url, payee: payee,
            link: try await client.privateLink(with: payer.text, app: payers),
            store: try SQLiteRecords(path: folder.file("links")),
            key: RecordKey("paykit-link", room: "\(payer)/\(payers)/\(payee)/\(receiver)", name: "state"))
    }

    private func process(_ place: Place, looks: Int) throws -> Program {
        try Program(
            [
                folder.file("journal"), folder.file("links"), place.url, place.sandbox.homeserver.text,
                place.payee.text, "\(looks)",
            ], executable: Program.url("PaykitRequestProcess"))
    }

    /// Lets a payer poll while the payee does, until its end or `lines` lines.
    ///
    /// - Returns: true if it was killed.
    @discardableResult
    private func run(_ place: Place, looks: Int, lines: Int? = nil) async throws -> Bool {
        let program = try process(place, looks: looks)
        var count = 0
        for await line in program.lines {
            count += 1
            if count == lines { program.signal(SIGKILL) }
            // The payee polls whenever the payer has stored something.
            if line == "kept" || line == "signed in" { _ = try? await place.link.poll() }
        }
        let (code, errors) = await program.end()
        #expect(code == 0 || code == -SIGKILL && lines != nil, "\(errors)")
        return code == -SIGKILL
    }

    @Test("Whenever the payer is killed, each request is paid once and proven, and what is kept never goes back")
    func killed() async throws {
        let sandbox = PubkySandbox(random: SeededRandomSource(seed: 12))
        let server = try LoopbackServer(sandbox)
        defer { server.stop() }
        let place = try await place(sandbox, server)
        let random = SeededRandomSource(seed: 21)
        try await run(place, looks: 6)
        var (asked, killed, number): ([String], Int, UInt64) = ([], 0, try await place.number)
        while killed < Self.kills, asked.count < 4 * Self.kills {
            let invoice = await sandbox.createInvoice(2100, for: place.payee)
            let id = try await place.link.ask(
                for: Money(minorUnits: 2100, currency: .satoshi), reference: "order \(asked.count)",
                methods: ["btc-lightning-bolt11"],
                at: [PaykitEndpoint(methodID: "btc-lightning-bolt11", endpoint: invoice)])
            asked.append(id)
            try await place.link.poll()
            // Some thirty lines lead to the proof; after each death there are fewer left.
            var lines = 34
            while lines > 3, try await place.link.proof(of: id) == nil {
                killed += try await run(place, looks: 4, lines: 1 + Int(random.next() % UInt64(lines))) ? 1 : 0
                lines /= 2
                #expect(await sandbox.ledger.captures(of: place.payee.text) <= asked.count)
                let now = try await place.number
                #expect(now >= number, "what is kept goes back from \(number) to \(now)")
                number = now
            }
            // Two or three are enough, if the payee is able to poll.
            for _ in 0..<40 {
                guard try await place.link.proof(of: id) == nil else { break }
                try await run(place, looks: 4)
                try await place.link.poll()
            }
            #expect(await sandbox.ledger.captures(of: place.payee.text) == asked.count, "request \(asked.count)")
        }
        #expect(killed >= Self.kills)
        try await run(place, looks: 1)
        var proofs: Set<PaykitProof> = []
        for id in asked { proofs.insert(try #require(try await place.link.proof(of: id))) }
        #expect(proofs.count == asked.count && proofs.allSatisfy(\.isSound))
        #expect(try await SQLiteJournal(path: folder.file("journal")).unfinished().isEmpty)
        print("\(killed) payers of private requests killed: \(asked.count) requests paid once, and proven")
    }
}
