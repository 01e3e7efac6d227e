import Foundation
import PaykitSandbox
import PaymentCore
import PaymentCrypto
import PaymentTesting
import Synchronization
import Testing

@testable import PaykitProvider

/// Time that passes only when it is advanced: nothing times out.
final class PatientClock: PaymentClock {
    private let state = Mutex(Duration.zero)

    var now: Date { Date(timeIntervalSince1970: 1_767_225_600) + Double(uptime.components.seconds) }
    var uptime: Duration { state.withLock { $0 } }

    func advance(by duration: Duration) { state.withLock { $0 += duration } }

    func sleep(for duration: Duration) async throws {
        // Until the task is cancelled.
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        defer { continuation.finish() }
        for await _ in stream {}
        throw CancellationError()
    }
}

/// A payee whose invoices are made up, with the requests for them.
final class TestPayee: PaykitPayee {
    private let asked = Mutex<[PaykitInquiry]>([])
    let preimage = [UInt8](repeating: 0xAB, count: 32)
    let refusal: PaykitPayeeError?
    let arrived: Bool
    /// True if its invoices name no amount.
    let isOpen: Bool

    init(refusal: PaykitPayeeError? = nil, arrived: Bool = false, isOpen: Bool = false) {
        self.isOpen = isOpen
        self.refusal = refusal
        self.arrived = arrived
    }

    /// The invoice for the receipt of this number, over so many satoshis.
    static func invoice(_ count: Int, over amount: String?) -> String {
        "lnbc\(amount ?? "")0n1p" + String(repeating: "q", count: count)
    }

    var inquiries: [PaykitInquiry] { asked.withLock { $0 } }
    var paymentHash: String { Hex.encode(Digest.sha256.hash(preimage)) }
    var proof: PaykitProof { .preimage(Hex.encode(preimage), paymentHash: paymentHash) }

    func terms(for inquiry: PaykitInquiry) async throws -> PaykitPayeeTerms {
        let count = asked.withLock { asked in
            asked.append(inquiry)
            return asked.count
        }
        if let refusal { throw refusal }
        return PaykitPayeeTerms(
            endpoint: isOpen ? "lnbc1pq" : Self.invoice(count, over: inquiry.amount),
            paymentHash: inquiry.methodID == "lightning" ? paymentHash : nil,
            metadata: ["shop": "The corner"])
    }

    func hasArrived(_ inquiry: PaykitInquiry, _ proof: PaykitProof) async -> Bool { arrived }
}

/// A payer and a listening payee in one process.
struct PrivateWorld: Sendable {
    static let payerPair = try? PubkyKeyPair(seed: [UInt8](repeating: 0x11, count: 32))
    static let payeePair = try? PubkyKeyPair(seed: [UInt8](repeating: 0x22, count: 32))

    let streams = LocalStreams()
    let clock: any PaymentClock
    let payer: ChannelIdentity
    let payee: ChannelIdentity
    let shop: TestPayee
    let received = Receipts(InMemoryRecords())
    let offers = Noted<PaykitChannelOffer>()
    let listener: PayeeListener
    let endpoint: PaykitNoiseEndpoint

    init(
        _ shop: TestPayee = TestPayee(), clock: any PaymentClock = PatientClock(),
        _ limits: PayeeListener.Limits = .init()
    ) async throws {
        self.clock = clock
        self.shop = shop
        payer = try ChannelIdentity(try #require(Self.payerPair), device: Array("client-device-01".utf8))
        payee = try ChannelIdentity(try #require(Self.payeePair), device: Array("server-device-01".utf8))
        let socket = try await streams.listen(at: .loopback())
        let owner = payee.owner.publicKey
        let offers = offers
        listener = PayeeListener(
            socket, as: payee,
            ReceiptResponder(owner, shop, received) { offer, _ in
                offers.note(offer)
                return true
            }, clock: clock, random: SeededRandomSource(seed: 3), limits)
        endpoint = PaykitNoiseEndpoint(
            owner: owner, host: "127.0.0.1", port: socket.localAddress.port, key: payee.publicKey)
    }

    /// Runs `work` while the payee listens.
    func open<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let listening = Task { await listener.run() }
        defer {
            listener.close()
            listening.cancel()
        }
        return try await work()
    }

    var dialer: ChannelDialer { dialer(.init()) }

    func dialer(_ timeout: PrivateChannel.Timeouts) -> ChannelDialer {
        ChannelDialer(
            payer, over: streams, allowsLocal: true, clock: clock, random: SeededRandomSource(seed: 4),
            timeout: timeout)
    }

    /// An open connection, before the first message.
    func wire() async throws -> ChannelWire {
        ChannelWire(
            try await streams.connect(to: .loopback(port: endpoint.port)), clock: clock, PrivateChannel.Timeouts())
    }

    /// Both ends of a connection.
    func pair() async throws -> (client: any ByteStream, server: any ByteStream) {
        let socket = try await streams.listen(at: .loopback())
        let client = try await streams.connect(to: socket.localAddress)
        return (client, try await socket.accept())
    }

    func receipt(_ change: (inout PaykitReceiptRecord) -> Void = { _ in }) -> PaykitReceiptRecord {
        var record = PaykitReceiptRecord(
            id: "rcpt_1", payer: payer.owner.publicKey, payee: payee.owner.publicKey, methodID: "lightning",
            amount: "1000", currency: "SAT", createdAt: 1_767_225_600, metadata: ["note": "coffee"])
        change(&record)
        return record
    }
}

extension PrivateChannel {
    func answersPing() async throws -> Bool {
        try await send(.ping)
        return try await receive()?.message == .pong
    }
}
