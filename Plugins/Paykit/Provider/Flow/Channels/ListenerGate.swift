import PaymentCore

/// Who may connect to a payee: so many at once and in a while, altogether and from one place. Remembers no more places
/// than it says, however many come.
package struct ListenerGate: Sendable {
    package struct Limits: Sendable {
        /// The most connections at once.
        package var connections = 1000
        /// The most connections at once from one address; over IPv6, where everybody has a network, from one of those.
        package var perAddress = 10
        /// The most from one network: of 256 addresses, of 65,536 places over IPv6.
        package var perNetwork = 50
        /// How often one address may connect within ``window``.
        package var attempts = 10
        /// How often all together may.
        package var attemptsOfAll = 1000
        package var window = Duration.seconds(60)
        /// Of how many addresses attempts are remembered.
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

    /// How many are connected.
    package var connections: Int { all }

    /// Lets somebody in, or not.
    ///
    /// - Parameter uptime: of the listener's clock.
    /// - Returns: whether they may; then ``leave(_:)`` has to follow.
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

    /// Notes that somebody has gone who was let in.
    package mutating func leave(_ address: StreamAddress) {
        all -= 1
        Self.lower(&open, address.place)
        Self.lower(&openNetworks, address.network)
    }

    private static func lower(_ counts: inout [StreamAddress.Host: Int], _ key: StreamAddress.Host) {
        guard let count = counts[key] else { return }
        counts[key] = count > 1 ? count - 1 : nil
    }

    /// Counts an attempt.
    ///
    /// - Returns: whether it is not one too many.
    private mutating func note(_ host: StreamAddress.Host, at uptime: Duration) -> Bool {
        if uptime - attemptsOfAll.start >= limits.window { attemptsOfAll = Attempts(start: uptime, count: 0) }
        attemptsOfAll.count += 1
        guard attemptsOfAll.count <= limits.attemptsOfAll else { return false }
        if attempts[host] == nil, attempts.count >= limits.remembered {
            attempts = attempts.filter { uptime - $0.value.start < limits.window }
            // Nobody is forgotten early: who comes when all places are taken waits.
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
    /// What one machine cannot be more than one of: an IPv4 address, or the network of 64 bits that a subscriber of
    /// IPv6 has at least.
    fileprivate var place: Host {
        guard case .v6(let bits) = host else { return host }
        return .v6((bits >> 64) << 64)
    }

    /// What many places of one owner may have in common.
    fileprivate var network: Host {
        if case .v4(let bits) = host { return .v4((bits >> 8) << 8) }
        guard case .v6(let bits) = host else { return host }
        return .v6((bits >> 80) << 80)
    }
}
