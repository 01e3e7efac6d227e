/// Stores the time of the latest packet that was seen of each key, so that a program that starts again takes no older
/// one: relays and the DHT can return packets from before their owner has moved.
package protocol PacketTimes: Sendable {
    /// Returns the time of the latest packet, in microseconds since 1970; nil for none. Throws the storage failure.
    func latest(of key: PubkyKey) async throws -> UInt64?

    /// Stores a time, unless a later one is stored. Throws the storage failure.
    func record(_ time: UInt64, of key: PubkyKey) async throws
}

extension PkarrClient {
    /// Returns the stored time of the latest packet of `key`. Throws `storage`, as it may be later than those found.
    func latestTime(of key: PubkyKey) async throws(PaykitNetworkError) -> UInt64? {
        do { return try await times?.latest(of: key) } catch {
            throw PaykitNetworkError(.storage, "the time of the latest packet of \(key) cannot be read: \(error)")
        }
    }

    func record(_ packet: SignedPacket) async throws(PaykitNetworkError) {
        do { try await times?.record(packet.timestamp, of: packet.key) } catch {
            throw PaykitNetworkError(
                .storage, "the time of the latest packet of \(packet.key) cannot be kept: \(error)")
        }
    }

    static func outdated(_ key: PubkyKey) -> PaykitNetworkError {
        PaykitNetworkError(
            .invalidData,
            "the network returns an older packet of \(key) than it did before, and it is not used: try again later",
            retryAfter: .seconds(60))
    }
}
