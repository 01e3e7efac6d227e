import PaykitProvider
import PaymentCore
import PaymentCrypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
