import Synchronization

/// Listens for payers, and answers each over a separate channel. Connections are limited in number, size and time; the
/// worst that a stranger can do is to have their own connection closed.
package final class PayeeListener: Sendable {
    package struct Limits: Sendable {
        package var gate = ListenerGate.Limits()
        package var timeout = PrivateChannel.Timeouts()
        package var messages = 100
        package var lifetime = Duration.seconds(300)

        package init() {}
    }

    private let listener: any StreamListener
    private let identity: ChannelIdentity
    private let responder: ReceiptResponder
    private let clock: any PaymentClock
    private let random: any RandomSource
    private let limits: Limits
    private let gate: Mutex<ListenerGate>

    package init(
        _ listener: any StreamListener, as identity: ChannelIdentity, _ responder: ReceiptResponder,
        clock: any PaymentClock, random: any RandomSource, _ limits: Limits = Limits()
    ) {
        self.listener = listener
        self.identity = identity
        self.responder = responder
        self.clock = clock
        self.random = random
        self.limits = limits
        gate = Mutex(ListenerGate(limits.gate))
    }

    package var localAddress: StreamAddress { listener.localAddress }

    package var connections: Int { gate.withLock { $0.connections } }

    /// Answers payers until the task is cancelled or the listener is closed.
    package func run() async {
        await withDiscardingTaskGroup { group in
            loop: while !Task.isCancelled {
                let stream: any ByteStream
                do throws(StreamError) { stream = try await listener.accept() } catch {
                    switch error {
                    case .closed, .cancelled: break loop
                    default:
                        // The system has no resources now: an immediate retry would only add load.
                        guard (try? await clock.sleep(for: .seconds(1))) != nil else { break loop }
                        continue
                    }
                }
                let peer = stream.peer
                guard gate.withLock({ $0.enter(peer, at: clock.uptime) }) else {
                    stream.close()
                    continue
                }
                group.addTask {
                    _ = await self.clock.limit(to: self.limits.lifetime) { await self.serve(stream) }
                    stream.close()
                    self.gate.withLock { $0.leave(peer) }
                }
            }
            group.cancelAll()
        }
    }

    package func close() { listener.close() }

    private func serve(_ stream: any ByteStream) async {
        let wire = ChannelWire(stream, clock: clock, limits.timeout)
        let now = UInt64(max(0, clock.now.timeIntervalSince1970))
        guard let channel = try? await PrivateChannel.accept(as: identity, over: wire, random: random, now: now) else {
            return
        }
        for _ in 0..<limits.messages {
            // A message that cannot be read ends the connection without an answer.
            guard let (message, dialect) = try? await channel.receive() else { return }
            for answer in await responder.answers(to: message, from: channel.peer, dialect) {
                guard (try? await channel.send(answer, in: dialect)) != nil else { return }
            }
        }
    }
}
