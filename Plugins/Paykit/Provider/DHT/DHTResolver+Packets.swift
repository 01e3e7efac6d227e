/// Packets in the DHT (Protocol 2.4): items whose sequence number is the packet's time.
extension DHTResolver: PacketStore {
    /// Returns the latest packet of `key`; nil when every node near enough was asked and none has one.
    ///
    /// - Throws: ``PaykitNetworkError``, also for an incomplete search: a packet may have been missed.
    public func packet(of key: PubkyKey) async throws(PaykitNetworkError) -> SignedPacket? {
        let search: DHTSearch
        do { search = try await resolve(key.bytes) } catch { throw Self.failure(error) }
        if let item = search.item, let packet = Self.packet(item, of: key) { return packet }
        try require(search.isComplete, .connectionTimeout, "the DHT was not searched to the end; try again later")
        return nil
    }

    /// Stores a packet at the nodes near its key.
    ///
    /// - Returns: the later packet of the key that the DHT has; nil when `packet` is stored.
    /// - Throws: ``PaykitNetworkError`` when no node stores it.
    public func store(_ packet: SignedPacket) async throws(PaykitNetworkError) -> SignedPacket? {
        guard let sequence = Int64(exactly: packet.timestamp),
            let item = try? MutableItem(
                key: packet.key.bytes, sequence: sequence, value: packet.dns, signature: packet.signature)
        else { throw PaykitNetworkError(.validationFailed, "the packet's time is beyond what the DHT can number") }
        do {
            _ = try await publish(item)
            return nil
        } catch {
            if case .outdated(let item) = error, let later = Self.packet(item, of: packet.key) { return later }
            throw Self.failure(error)
        }
    }

    /// Returns the addresses of a host, as the transport finds them. `host` is a name, or an address in dotted form.
    public func addresses(of host: String) async -> [StreamAddress]? {
        try? await transport.addresses(of: host, port: 443).map { StreamAddress($0) }
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
