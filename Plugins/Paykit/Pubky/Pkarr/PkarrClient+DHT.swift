package import PaymentCore

/// Packets in the DHT (Protocol 2.4): items whose sequence number is the packet's time.
extension PkarrClient {
    /// Creates a client with the relays and the DHT of `network`.
    ///
    /// - Parameters:
    ///   - way: the connection to the DHT; without it only relays are asked.
    ///   - times: the stored times of packets.
    package init(
        _ network: PubkyNetwork, http: any HTTPTransport, dht way: DHTWay?, times: (any PacketTimes)?,
        clock: any PaymentClock, random: any RandomSource
    ) {
        let dht: DHTResolver? = network.dht.flatMap { configuration in
            way.map {
                DHTResolver(configuration, transport: $0.transport, memory: $0.memory, clock: clock, random: random)
            }
        }
        self.init(relays: network.relays, http: http, dht: dht, times: times, clock: clock)
    }

    /// Asks the DHT. An incomplete search does not show that a packet is missing.
    static func ask(_ dht: DHTResolver, for key: PubkyKey) async -> Answer {
        do throws(DHTError) {
            let search = try await dht.resolve(key.bytes)
            if let packet = search.item.flatMap({ packet($0, of: key) }) { return .packet(packet) }
            guard search.isComplete else {
                return .failed(
                    PaykitNetworkError(.connectionTimeout, "the DHT was not searched to the end; try again later"))
            }
            return .nothing
        } catch { return .failed(failure(error)) }
    }

    static func put(_ packet: SignedPacket, to dht: DHTResolver) async -> Stored {
        guard let sequence = Int64(exactly: packet.timestamp),
            let item = try? MutableItem(
                key: packet.key.bytes, sequence: sequence, value: packet.dns, signature: packet.signature)
        else {
            return .refused(
                PaykitNetworkError(.validationFailed, "the packet's time is beyond what the DHT can number"))
        }
        do throws(DHTError) {
            _ = try await dht.publish(item)
            return .stored
        } catch {
            if case .outdated(let item) = error, let later = self.packet(item, of: packet.key) {
                return .outdated(later)
            }
            return .refused(failure(error))
        }
    }

    /// Returns the packet in an item; nil for a malformed one, which is ignored.
    private static func packet(_ item: MutableItem, of key: PubkyKey) -> SignedPacket? {
        guard let time = UInt64(exactly: item.sequence) else { return nil }
        return try? SignedPacket(key: key, signature: item.signature, timestamp: time, dns: item.value)
    }

    private static func failure(_ error: DHTError) -> PaykitNetworkError {
        switch error {
        case .noAnswer, .network, .cancelled: PaykitNetworkError(.connectionFailed, "\(error)")
        default: PaykitNetworkError(.storage, "\(error)")
        }
    }
}
