public import PaykitProvider
import PaymentCore
import PaymentCrypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension PubkySandbox {
    /// A user with a private channel, at a port of this machine. The money is simulated.
    public final class Peer: Sendable {
        /// The user.
        public let user: User
        /// The behaviour.
        public let manner: PeerManner
        /// The published address of the channel.
        public let endpoint: PaykitNoiseEndpoint
        private let listener: any StreamListener
        private let conversation: PubkyConversation

        init(_ user: User, _ endpoint: PaykitNoiseEndpoint, _ listener: any StreamListener, talk: PubkyConversation) {
            self.user = user
            self.endpoint = endpoint
            self.listener = listener
            manner = talk.manner
            conversation = talk
        }

        deinit { listener.close() }

        /// Serves all connections, until the task is cancelled or the peer is closed.
        public func run() async {
            await withDiscardingTaskGroup { group in
                while let stream = try? await listener.accept() {
                    group.addTask { [conversation] in
                        await conversation.run(over: stream)
                        stream.close()
                    }
                }
                group.cancelAll()
            }
        }

        /// Stops listening.
        public func close() { listener.close() }
    }

    /// Creates a user with a private channel, and publishes its address. Call ``Peer/run()``.
    ///
    /// - Parameters:
    ///   - manner: the user's behaviour.
    ///   - name: for the profile; nil for one of the sandbox's names.
    ///   - streams: the transport to listen on: TCP, or streams of this process.
    ///   - place: the address to listen at.
    /// - Throws: ``/PaykitProvider/StreamError`` when listening there is not possible.
    public func createPeer(
        _ manner: PeerManner = .ready, name: String? = nil, over streams: any StreamTransport,
        at place: StreamAddress = .loopback()
    ) async throws(StreamError) -> Peer {
        let listener = try await streams.listen(at: place)
        let host = if case .v6 = listener.localAddress.host { "::1" } else { "127.0.0.1" }
        let user = createUser(.ready, name: name)
        let identity = identity(of: user.keyPair)
        let published = manner == .identityMismatch ? self.identity(of: keys.pair("somebody else")) : identity
        let endpoint = PaykitNoiseEndpoint(
            owner: user.key, host: manner == .placeholder ? "pending" : host,
            port: manner == .placeholder ? 0 : listener.localAddress.port, key: published.publicKey)
        if [.notListening, .placeholder].contains(manner) { listener.close() }
        publish(endpoint.wire, at: Self.directory + "noise", of: user.key)
        let talk = PubkyConversation(
            manner: manner, identity: identity,
            responder: responder(of: user.key, factor: manner == .anotherInvoice ? 10 : 1),
            clock: clock, random: random,
            pause: configuration.slowness)
        return Peer(user, endpoint, listener, talk: talk)
    }

    private func identity(of pair: PubkyKeyPair) -> ChannelIdentity {
        guard let identity = try? ChannelIdentity(pair) else { preconditionFailure("no X25519 on this system") }
        return identity
    }

    private func responder(of payee: PubkyKey, factor: UInt64) -> ReceiptResponder {
        ReceiptResponder(payee, PubkyPayee(sandbox: self, key: payee, factor: factor), Receipts(InMemoryRecords()))
    }

    /// Returns a user's terms for a receipt.
    func terms(_ inquiry: PaykitInquiry, of payee: PubkyKey, factor: UInt64) throws(PaykitPayeeError)
        -> PaykitPayeeTerms
    {
        guard inquiry.currency ?? "SAT" == "SAT" else {
            throw PaykitPayeeError("UNSUPPORTED_CURRENCY", "Only SAT is taken")
        }
        guard let amount = inquiry.amount.flatMap({ UInt64($0) }), amount > 0 else {
            throw PaykitPayeeError("INVALID_AMOUNT", "Amount must be specified and non-zero")
        }
        // More than all bitcoin cannot be asked for; an invoice counts in smaller units.
        guard amount <= Self.mostSatoshi / max(1, factor) else {
            throw PaykitPayeeError("INVALID_AMOUNT", "Amount is more than there is")
        }
        switch inquiry.methodID {
        case "lightning":
            let text = createInvoice(amount * factor, for: payee)
            return PaykitPayeeTerms(
                endpoint: text, paymentHash: invoices.first { $0.value.text == text }?.key,
                metadata: ["generated_at": .number(JSONNumber(Int64(now / 1_000_000)))])
        case "onchain":
            guard let address = payees.first(where: { $0.value == payee })?.key else { fallthrough }
            return PaykitPayeeTerms(endpoint: address)
        default: throw PaykitPayeeError("UNSUPPORTED_METHOD", "Unsupported payment method")
        }
    }
}

/// One of the sandbox's users, who is paid.
private struct PubkyPayee: PaykitPayee {
    let sandbox: PubkySandbox
    let key: PubkyKey
    /// The factor between the amount of an inquiry and that of its invoice.
    let factor: UInt64

    func terms(for inquiry: PaykitInquiry) async throws -> PaykitPayeeTerms {
        try await sandbox.terms(inquiry, of: key, factor: factor)
    }

    func hasArrived(_ inquiry: PaykitInquiry, _ proof: PaykitProof) async -> Bool {
        guard case .transaction(let id) = proof else { return false }
        return await sandbox.transactions[id] == key
    }
}

extension PubkySandbox {
    /// The behaviour of a user with a private channel.
    @nonexhaustive
    public enum PeerManner: String, Sendable, Hashable, CaseIterable {
        /// Provides the terms, and confirms the payment.
        case ready
        /// Understands payers of the older generation only.
        case olderGeneration = "older-generation"
        /// Understands payers of the newer generation only.
        case newerGeneration = "newer-generation"
        /// Uses the mobile library's dialect.
        case mobileDialect = "mobile-dialect"
        /// Uses the dialect of some apps: flat, with the endpoint in a separate message.
        case flatDialect = "flat-dialect"
        /// Pings the payer before every answer.
        case pings
        /// Sends everything twice.
        case repeats
        /// Delays every answer.
        case slow
        /// Never confirms a payment.
        case unconfirming
        /// Refuses the terms of the payment.
        case refuses
        /// Claims to be another user.
        case wrongPayee = "wrong-payee"
        /// Confirms another amount than was asked for.
        case anotherAmount = "another-amount"
        /// Confirms the amount, with an invoice for ten times as much.
        case anotherInvoice = "another-invoice"
        /// Confirms a receipt that was not asked for.
        case anotherReceipt = "another-receipt"
        /// Confirms the payment of another user.
        case anotherPayer = "another-payer"
        /// Confirms without an endpoint.
        case noInvoice = "no-invoice"
        /// Has another key than it has published.
        case identityMismatch = "identity-mismatch"
        /// Accepts the connection and never sends anything.
        case silent
        /// Agrees on the channel, and answers after the payer has stopped waiting.
        case late
        /// Closes the connection at once.
        case closesAtOnce = "closes-at-once"
        /// Closes the connection in the middle of an answer.
        case closesInTheMiddle = "closes-in-the-middle"
        /// Announces a message of four gigabytes.
        case oversizedFrame = "oversized-frame"
        /// Sends random bytes in place of the handshake.
        case garbage
        /// Sends an old message of the channel again.
        case replays
        /// Sends bytes that are no message.
        case notJSON = "not-json"
        /// Sends an endless series of messages that are no answer.
        case chatters
        /// Has published a key, but does not listen yet.
        case placeholder
        /// Has published an address without a listener.
        case notListening = "nobody-listens"
    }
}

extension PubkySandbox.PeerManner {
    /// The outcome for a payer who asks.
    @nonexhaustive
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// They get the terms, pay, and get a confirmation of the arrival.
        case confirmed
        /// They get the terms and pay, without a confirmation.
        case paid
        /// They get a refusal, or do not trust the answer. Nothing is paid.
        case refused
        /// There is no channel, or no answer. Nothing is paid.
        case failed
    }

    /// A few words for people.
    public var summary: String { plan.summary }

    /// The outcome for a payer who asks.
    public var expectedOutcome: Outcome { plan.outcome }

    private var plan: (summary: String, outcome: Outcome) {
        switch self {
        case .ready: ("says how to be paid, and confirms it", .confirmed)
        case .olderGeneration: ("understands the older generation only", .confirmed)
        case .newerGeneration: ("understands the newer generation only", .confirmed)
        case .mobileDialect: ("speaks as the mobile library does", .confirmed)
        case .flatDialect: ("speaks flat, as some apps do", .confirmed)
        case .pings: ("asks whether the payer is there", .confirmed)
        case .repeats: ("says everything twice", .confirmed)
        case .slow: ("takes a while for every answer", .confirmed)
        case .unconfirming: ("never confirms what was paid", .paid)
        case .refuses: ("does not want to be paid like this", .refused)
        case .wrongPayee: ("claims another identity", .refused)
        case .anotherAmount: ("confirms another amount", .refused)
        case .anotherInvoice: ("has an invoice for ten times as much", .refused)
        case .anotherReceipt: ("confirms another receipt", .refused)
        case .anotherPayer: ("confirms another payer's payment", .refused)
        case .noInvoice: ("does not say where to pay", .refused)
        case .identityMismatch: ("has another key than published", .failed)
        case .silent: ("never says anything", .failed)
        case .late: ("answers after the payer has stopped waiting", .failed)
        case .closesAtOnce: ("closes the connection at once", .failed)
        case .closesInTheMiddle: ("closes in the middle of an answer", .failed)
        case .oversizedFrame: ("announces a message of four gigabytes", .failed)
        case .garbage: ("sends random bytes as its handshake", .failed)
        case .replays: ("sends an old message once more", .failed)
        case .notJSON: ("sends what is no message", .failed)
        case .chatters: ("sends message after message, none an answer", .failed)
        case .placeholder: ("has a key, but listens nowhere yet", .failed)
        case .notListening: ("has published an address without a listener", .failed)
        }
    }
}

/// One peer's side of private channels, in its manner.
struct PubkyConversation: Sendable {
    let manner: PubkySandbox.PeerManner
    let identity: ChannelIdentity
    let responder: ReceiptResponder
    let clock: any PaymentClock
    let random: any RandomSource
    /// The delay of a slow peer; a late one waits a hundred times as long.
    let pause: Duration

    private struct EndedError: Error {}

    /// Converses with a connected payer until either side ends.
    func run(over stream: any ByteStream) async {
        var timeout = PrivateChannel.Timeouts()
        timeout.message = .seconds(600)
        timeout.handshake = .seconds(600)
        let wire = ChannelWire(stream, clock: clock, timeout)
        do {
            var (noise, peer) = try await shakeHands(wire)
            while true {
                let sealed = try await wire.read()
                let (message, dialect) = try ChannelMessage.read(try noise.receiving.open(sealed))
                let answers = await responder.answers(to: message, from: peer, spoken(dialect))
                for answer in try await changed(answers, to: message, wire, &noise) {
                    try await send(answer, spoken(dialect), over: wire, &noise)
                }
            }
        } catch {}
    }

    // MARK: The handshake

    private func shakeHands(_ wire: ChannelWire) async throws -> (NoiseChannel, PubkyKey) {
        if manner == .closesAtOnce { throw EndedError() }
        let first = try await wire.read()
        switch manner {
        case .silent:
            _ = try await wire.read()
            throw EndedError()
        case .oversizedFrame:
            try await wire.stream.send([0xFF, 0xFF, 0xFF, 0xFF] + [UInt8](repeating: 0, count: 1000))
            _ = try await wire.read()
            throw EndedError()
        case .garbage:
            try await wire.write(random.bytes(48))
            _ = try await wire.read()
            throw EndedError()
        default: break
        }
        var handshake = try identity.handshake(.responder, random)
        let payload = try handshake.read(first)
        guard let remote = handshake.remoteStatic else { throw EndedError() }
        let now = UInt64(max(0, clock.now.timeIntervalSince1970))
        let payer = try NoiseIdentity(
            payload, .init(.ik, .client, local: remote, remote: identity.publicKey), now: now)
        // A peer of either real generation ends the connection here.
        if manner == .olderGeneration, payer.generation != .a { throw EndedError() }
        if manner == .newerGeneration, payer.generation != .b { throw EndedError() }
        try await wire.write(try handshake.write([]))
        return (try handshake.channel(), payer.key)
    }

    // MARK: Answers

    private func spoken(_ dialect: ChannelMessage.Dialect) -> ChannelMessage.Dialect {
        switch manner {
        case .mobileDialect: .mobile
        case .flatDialect: .flat
        default: dialect
        }
    }

    private func send(
        _ message: ChannelMessage, _ dialect: ChannelMessage.Dialect, over wire: ChannelWire,
        _ noise: inout NoiseChannel
    ) async throws {
        guard let text = message.wire(dialect) ?? message.wire() ?? message.wire(.flat) else { throw EndedError() }
        let sealed = try noise.sending.seal(text)
        if manner == .closesInTheMiddle {
            try await wire.stream.send(Array(NoiseFrames.wire(sealed).dropLast(sealed.count / 2)))
            throw EndedError()
        }
        try await wire.write(sealed)
    }

    /// Returns the messages that a peer of this manner sends in place of the right answers.
    private func changed(
        _ answers: [ChannelMessage], to message: ChannelMessage, _ wire: ChannelWire, _ noise: inout NoiseChannel
    ) async throws -> [ChannelMessage] {
        switch manner {
        case .slow: try await clock.sleep(for: pause)
        case .late: try await clock.sleep(for: pause * 100)
        case .pings:
            // Pongs to the peer's pings cause no further ping.
            if message != .pong { return [.ping] + answers }
        case .repeats: return answers.flatMap { [$0, $0] }
        case .refuses: return [.error(code: "DECLINED", message: "Not today,\u{202E}\nthanks")]
        case .wrongPayee: return [.error(code: "WRONG_PAYEE", message: "I am not the intended payee")]
        case .replays:
            let sealed = try noise.sending.seal(ChannelMessage.acknowledgement.wire() ?? [])
            try await wire.write(sealed)
            try await wire.write(sealed)
        case .notJSON: try await wire.write(try noise.sending.seal(Array("{\"type\":".utf8)))
        case .chatters: return [ChannelMessage](repeating: .acknowledgement, count: 100)
        case .unconfirming:
            if case .confirmReceipt = message { throw EndedError() }
        default: break
        }
        return answers.map { answer in
            guard case .confirmReceipt(var receipt) = answer else { return answer }
            switch manner {
            case .anotherAmount: receipt.amount = (receipt.amount ?? "") + "0"
            case .anotherReceipt: receipt.id += "0"
            case .anotherPayer: receipt.payer = receipt.payee
            case .noInvoice: receipt.metadata = [:]
            default: break
            }
            return .confirmReceipt(receipt)
        }
    }
}
