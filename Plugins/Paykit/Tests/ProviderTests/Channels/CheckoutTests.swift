import Foundation
import PaykitKit
import PaykitSandbox
import PaymentCore
import PaymentCrypto
import PaymentTesting
import Testing

@testable import PaykitProvider

/// A user of the simulated network who pays others over private channels.
struct PrivatePayer: Sendable {
    let sandbox: PubkySandbox
    let streams: any StreamTransport
    let store = InMemoryRecords()
    let client: PaykitClient
    /// The endpoints that the wallet has paid.
    let wallet = Noted<String>()

    init(_ streams: any StreamTransport = LocalStreams(), timeout: Duration = .seconds(30)) async throws {
        var rules = PubkySandbox.Configuration()
        rules.slowness = .milliseconds(20)
        sandbox = PubkySandbox(rules, random: SeededRandomSource(seed: 1))
        self.streams = streams
        client = try await sandbox.client(clock: SystemPaymentClock(), streams: streams, store: store) {
            $0.channelTimeout = timeout
        }
    }

    /// Pays an endpoint of the simulated network, and returns its proof.
    func settle(_ endpoint: String, _ amount: UInt64) async throws -> PaykitSettlement {
        wallet.note(endpoint)
        switch try await sandbox.pay(endpoint, amount: amount) {
        case .preimage(let preimage):
            let secret = try #require(Hex.decode(preimage))
            return .paid(.preimage(preimage, paymentHash: Hex.encode(Digest.sha256.hash(secret))))
        case .transaction(let id): return .paid(.transaction(id))
        }
    }

    /// Pays a peer.
    ///
    /// - Parameter paying: pays an endpoint; nil for ``settle(_:_:)``.
    @discardableResult
    func pay(
        _ peer: PubkySandbox.Peer, _ method: String = "lightning", receiptId: String? = nil,
        paying: (@Sendable (String) async throws -> PaykitSettlement)? = nil
    ) async throws -> PaykitChannelPayment {
        try await client.payOverChannel(
            pubkey: peer.user.key.text, PaykitReceiptRequest(amount: 2100, method: method), receiptId: receiptId
        ) { _, endpoint in
            if let paying { return try await paying(endpoint) }
            return try await settle(endpoint, 2100)
        }
    }

    /// Runs `work` while a peer of this manner listens.
    func with<Value: Sendable>(
        _ manner: PubkySandbox.PeerManner, _ work: @escaping @Sendable (PubkySandbox.Peer) async throws -> Value
    ) async throws -> Value {
        let peer = try await sandbox.createPeer(manner, over: streams)
        let running = Task { await peer.run() }
        defer {
            peer.close()
            running.cancel()
        }
        return try await work(peer)
    }

    func paid(_ peer: PubkySandbox.Peer) async -> Int { await sandbox.ledger.captures(of: peer.user.key.text) }
}

@Suite("Private payments", .timeLimit(.minutes(2)))
struct PrivatePaymentTests {
    @Test(
        "For every payee: paid once and confirmed, paid once, or nothing has moved",
        arguments: PubkySandbox.PeerManner.allCases)
    func manners(_ manner: PubkySandbox.PeerManner) async throws {
        // A peer that never answers gets a shorter time limit than usual.
        let isQuick = [.silent, .late].contains(manner)
        let payer = try await PrivatePayer(timeout: isQuick ? .milliseconds(700) : .seconds(30))
        try await payer.with(manner) { peer in
            var payment: PaykitChannelPayment?
            let failure = await networkFailure { payment = try await payer.pay(peer) }
            let count = await payer.paid(peer)
            #expect(count == payer.wallet.all.count)
            switch manner.expectedOutcome {
            case .confirmed, .paid:
                #expect(failure == nil && count == 1)
                #expect(payment?.isConfirmed == (manner.expectedOutcome == .confirmed))
                #expect(payment?.proof?.isSound == true)
                #expect(payment?.receipt.payee == peer.user.key.text)
            case .refused:
                #expect([.paymentRejected, .invalidData].contains(failure?.code) && count == 0)
            default:
                #expect(failure != nil && failure?.code != .paymentInDoubt && count == 0)
            }
            if let failure { Self.checkWords(failure) }
        }
    }

    /// A stranger's text is one short line.
    private static func checkWords(_ failure: PaykitNetworkError) {
        #expect(!failure.message.contains("\n") && !failure.message.contains("\u{202E}"))
        #expect(failure.message.utf8.count < 600)
    }

    @Test("Over TCP it is the same", arguments: [PubkySandbox.PeerManner.ready, .newerGeneration, .flatDialect])
    func overTCP(_ manner: PubkySandbox.PeerManner) async throws {
        let payer = try await PrivatePayer(TCPTransport())
        try await payer.with(manner) { peer in
            let payment = try await payer.pay(peer, "onchain")
            #expect(payment.isConfirmed)
            #expect(await payer.paid(peer) == 1)
        }
    }

    @Test("Over IPv6 it is the same; where the machine has none, this says so")
    func overV6() async throws {
        let payer = try await PrivatePayer(TCPTransport())
        let peer: PubkySandbox.Peer
        let place = StreamAddress(.v6(0, 1), port: 0)
        do { peer = try await payer.sandbox.createPeer(.ready, over: TCPTransport(), at: place) } catch {
            print("no IPv6 loopback here: \(error)")
            return
        }
        #expect(peer.endpoint.host == "::1" && peer.endpoint.isConnectable)
        let running = Task { await peer.run() }
        defer { running.cancel() }
        #expect(try await payer.pay(peer).isConfirmed)
        #expect(await payer.paid(peer) == 1)
    }

    @Test("The same receipt is paid once, by several callers, again and at the same time")
    func once() async throws {
        let payer = try await PrivatePayer()
        try await payer.with(.ready) { peer in
            let results = await withTaskGroup(of: PaykitNetworkError?.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        await networkFailure { _ = try await payer.pay(peer, receiptId: "rcpt_same") }
                    }
                }
                return await group.reduce(into: [PaykitNetworkError?]()) { $0.append($1) }
            }
            #expect(payer.wallet.all.count == 1)
            #expect(results.contains { $0 == nil })
            #expect(results.allSatisfy { $0 == nil || $0?.code == .paymentInDoubt })
            // Later it is known as paid.
            let known = try await payer.pay(peer, receiptId: "rcpt_same")
            #expect(known.proof?.isSound == true)
            #expect(payer.wallet.all.count == 1)
            #expect(await payer.paid(peer) == 1)
        }
    }

    @Test("A name that was used for another payment is not used for a second one")
    func names() async throws {
        let payer = try await PrivatePayer()
        try await payer.with(.ready) { peer in
            _ = try await payer.pay(peer, receiptId: "rcpt_same")
            let failure = await networkFailure {
                _ = try await payer.pay(peer, "onchain", receiptId: "rcpt_same")
            }
            #expect(failure?.code == .validationFailed)
            #expect(payer.wallet.all.count == 1)
        }
    }

    private struct Crash: Error {}

    @Test("A wallet that fails leaves the payment in doubt, and is not asked again before its state is known")
    func doubt() async throws {
        let payer = try await PrivatePayer()
        try await payer.with(.ready) { peer in
            let request = PaykitReceiptRequest(amount: 2100, method: "lightning")
            func crash() async -> PaykitNetworkError? {
                await networkFailure {
                    try await payer.pay(peer, receiptId: "rcpt_doubt") { endpoint in
                        // It is paid, and the report is lost.
                        _ = try await payer.settle(endpoint, 2100)
                        throw Crash()
                    }
                }
            }
            #expect(await crash()?.code == .paymentInDoubt)
            #expect(await crash()?.code == .paymentInDoubt)
            #expect(payer.wallet.all.count == 1)
            let again = await networkFailure {
                _ = try await payer.client.requestReceipt(
                    fromPubkey: peer.user.key.text, request, receiptId: "rcpt_doubt")
            }
            #expect(again?.code == .paymentInDoubt)
            let receipt = try #require(try await payer.client.receipts().first)
            let hash = try #require(receipt.metadata["payment_hash"]?.string)
            guard case .preimage(let preimage)? = await payer.sandbox.proof(ofPaying: hash) else {
                Issue.record("not paid")
                return
            }
            let proof = PaykitProof.preimage(preimage, paymentHash: hash)
            #expect(try await payer.client.resolvePayment(receipt.id, as: .paid(proof)))
            #expect(try await !payer.client.resolvePayment(receipt.id, as: .notPaid("no")))
            try await payer.client.confirmPayment(receipt.id)
            #expect(await payer.paid(peer) == 1)
        }
    }

    @Test("What is certain not to be paid may be tried again, with the same invoice")
    func notPaid() async throws {
        let payer = try await PrivatePayer()
        try await payer.with(.ready) { peer in
            let refused = await code {
                try await payer.pay(peer, receiptId: "rcpt_again") { _ in .notPaid("the wallet is empty") }
            }
            #expect(refused == .paymentRejected)
            let payment = try await payer.pay(peer, receiptId: "rcpt_again")
            #expect(payment.isConfirmed)
        }
    }

    @Test("A proof that proves nothing is no payment, and no reason to pay again")
    func lyingWallet() async throws {
        let payer = try await PrivatePayer()
        try await payer.with(.ready) { peer in
            for _ in 0..<2 {
                let doubt = await code {
                    try await payer.pay(peer, receiptId: "rcpt_lie") {
                        payer.wallet.note($0)
                        return .paid(.preimage(String(repeating: "00", count: 32), paymentHash: "00"))
                    }
                }
                #expect(doubt == .paymentInDoubt)
            }
            #expect(payer.wallet.all.count == 1)
        }
    }

    @Test("Receipts are listed, the latest first")
    func listing() async throws {
        let payer = try await PrivatePayer()
        try await payer.with(.ready) { peer in
            for number in 0..<5 { _ = try await payer.pay(peer, receiptId: "rcpt_\(number)") }
            let all = try await payer.client.receipts()
            #expect(all.map(\.id.name) == ["rcpt_4", "rcpt_3", "rcpt_2", "rcpt_1", "rcpt_0"])
            #expect(all.allSatisfy { $0.stage == .paid && $0.proof?["preimage"]?.string != nil })
            #expect(
                try await payer.client.receipts(before: all[1].id, limit: 2).map(\.id.name) == ["rcpt_2", "rcpt_1"])
        }
    }

    @Test("A payee who has published no address, or a broken one, is not paid privately")
    func nowhere() async throws {
        let payer = try await PrivatePayer()
        let user = await payer.sandbox.createUser(.ready)
        let request = PaykitReceiptRequest(amount: 1, method: "lightning")
        func failure() async -> PaykitNetworkError? {
            await networkFailure {
                _ = try await payer.client.requestReceipt(fromPubkey: user.key.text, request)
            }
        }
        #expect(await failure()?.code == .methodNotSupported)
        for text in ["[]", #"{"host":"a","port":70000,"pubkey":"00"}"#, #"{"host":"a","port":1,"pubkey":"00"}"#] {
            await payer.sandbox.publish(Array(text.utf8), at: "/pub/paykit.app/v0/noise", of: user.key)
            #expect(await failure()?.code == .invalidData)
        }
    }
}
