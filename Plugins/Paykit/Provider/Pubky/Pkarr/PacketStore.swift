/// Stores signed packets of keys beside the relays (Protocol 2.4): ``DHTResolver`` does so in the DHT.
public protocol PacketStore: Sendable {
    /// Returns the latest packet of `key`.
    ///
    /// - Returns: the packet, its signature checked; nil when the whole store was searched and has none.
    /// - Throws: ``PaykitNetworkError``, also when a part of the store did not answer and the rest has no packet.
    func packet(of key: PubkyKey) async throws(PaykitNetworkError) -> SignedPacket?

    /// Stores a packet in place of earlier ones.
    ///
    /// - Returns: a later packet of the same key that is stored, and stays; nil when `packet` is stored now.
    /// - Throws: ``PaykitNetworkError`` when neither is so.
    func store(_ packet: SignedPacket) async throws(PaykitNetworkError) -> SignedPacket?

    /// Returns the addresses of a host, so that a stranger's record directs no request into the device's own network.
    ///
    /// - Parameter host: a name, or an address in dotted form.
    /// - Returns: the addresses; nil where they cannot be found.
    func addresses(of host: String) async -> [StreamAddress]?
}
