import Synchronization

/// Listens for payers, and answers each over a separate channel. Connections are limited in number, size and time: the
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

/// Limits the connections to a payee: at once and over time, in total and by origin. Its own memory is limited, too.
package struct ListenerGate: Sendable {
    package struct Limits: Sendable {
        package var connections = 1000
        /// The most connections at once from one address; over IPv6 from one network, as each subscriber has one.
        package var perAddress = 10
        /// The most connections at once from one network: of 256 addresses, or of 65,536 subscribers over IPv6.
        package var perNetwork = 50
        package var attempts = 10
        package var attemptsOfAll = 1000
        package var window = Duration.seconds(60)
        package var remembered = 10_000

        package init() {}
    }

    private struct Attempts {
        var start: Duration
        var count: Int
    }

    private let limits: Limits
    private var open: [StreamAddress.Host: Int] = [:]
    private var openNetworks: [StreamAddress.Host: Int] = [:]
    private var all = 0
    private var attempts: [StreamAddress.Host: Attempts] = [:]
    private var attemptsOfAll = Attempts(start: .zero, count: 0)

    package init(_ limits: Limits = Limits()) { self.limits = limits }

    package var connections: Int { all }

    /// Admits or rejects a connection. `uptime` is the uptime of the listener's clock. Returns true if it is admitted.
    /// In that case ``leave(_:)`` has to follow.
    package mutating func enter(_ address: StreamAddress, at uptime: Duration) -> Bool {
        guard note(address.place, at: uptime), all < limits.connections,
            open[address.place, default: 0] < limits.perAddress,
            openNetworks[address.network, default: 0] < limits.perNetwork
        else { return false }
        all += 1
        open[address.place, default: 0] += 1
        openNetworks[address.network, default: 0] += 1
        return true
    }

    package mutating func leave(_ address: StreamAddress) {
        all -= 1
        Self.lower(&open, address.place)
        Self.lower(&openNetworks, address.network)
    }

    private static func lower(_ counts: inout [StreamAddress.Host: Int], _ key: StreamAddress.Host) {
        guard let count = counts[key] else { return }
        counts[key] = count > 1 ? count - 1 : nil
    }

    /// Counts an attempt. Returns true if it is within the limits.
    private mutating func note(_ host: StreamAddress.Host, at uptime: Duration) -> Bool {
        if uptime - attemptsOfAll.start >= limits.window { attemptsOfAll = Attempts(start: uptime, count: 0) }
        attemptsOfAll.count += 1
        guard attemptsOfAll.count <= limits.attemptsOfAll else { return false }
        if attempts[host] == nil, attempts.count >= limits.remembered {
            attempts = attempts.filter { uptime - $0.value.start < limits.window }
            // No address is forgotten early: a new one is rejected while all places are taken.
            guard attempts.count < limits.remembered else { return false }
        }
        var own = attempts[host] ?? Attempts(start: uptime, count: 0)
        if uptime - own.start >= limits.window { own = Attempts(start: uptime, count: 0) }
        own.count += 1
        attempts[host] = own
        return own.count <= limits.attempts
    }
}

extension StreamAddress {
    /// The unit of one subscriber: an IPv4 address, or the network of 64 bits that a subscriber of IPv6 has at least.
    fileprivate var place: Host {
        guard case .v6(let first, _) = host else { return host }
        return .v6(first, 0)
    }

    /// The network that many units of one owner may share.
    fileprivate var network: Host {
        if case .v4(let bits) = host { return .v4((bits >> 8) << 8) }
        guard case .v6(let first, _) = host else { return host }
        return .v6((first >> 16) << 16, 0)
    }
}
