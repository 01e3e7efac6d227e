import PaykitProvider
import PaymentCore

/// The tokens that a node issues so that only the owner of an address may store from there: a checksum over the address
/// and a secret that changes every five minutes. The previous secret is accepted too.
struct DHTTokenSecrets: Sendable {
    private var current: [UInt8]
    private var previous: [UInt8]
    private var changedAt: Duration
    private let random: any RandomSource

    /// The time for which a secret is used.
    static let period = Duration.seconds(300)

    init(random: any RandomSource, now: Duration) {
        self.random = random
        current = NodeID(random: random).bytes
        previous = current
        changedAt = now
    }

    mutating func token(for address: DatagramAddress, now: Duration) -> [UInt8] {
        change(now)
        return Self.token(address, current)
    }

    mutating func accepts(_ token: [UInt8], from address: DatagramAddress, now: Duration) -> Bool {
        change(now)
        return token == Self.token(address, current) || token == Self.token(address, previous)
    }

    private mutating func change(_ now: Duration) {
        guard now - changedAt >= Self.period else { return }
        previous = now - changedAt < Self.period * 2 ? current : NodeID(random: random).bytes
        current = NodeID(random: random).bytes
        changedAt = now
    }

    private static func token(_ address: DatagramAddress, _ secret: [UInt8]) -> [UInt8] {
        let checksum = CRC32C.checksum(address.octets + secret)
        return (0..<4).map { UInt8(truncatingIfNeeded: checksum >> UInt32(24 - 8 * $0)) }
    }
}
