/// Limits the connections to a payee: at once and over time, in total and by origin. Limits what it remembers, too.
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

    /// Admits or rejects a connection. `uptime` is the uptime of the listener's clock. Returns true if it is admitted;
    /// then ``leave(_:)`` has to follow.
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
        guard case .v6(let bits) = host else { return host }
        return .v6((bits >> 64) << 64)
    }

    /// The network that many units of one owner may share.
    fileprivate var network: Host {
        if case .v4(let bits) = host { return .v4((bits >> 8) << 8) }
        guard case .v6(let bits) = host else { return host }
        return .v6((bits >> 80) << 80)
    }
}
