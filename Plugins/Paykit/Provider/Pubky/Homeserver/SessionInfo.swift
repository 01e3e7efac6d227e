import PaymentCrypto

/// A homeserver's description of a session (Protocol 3.4).
package struct SessionInfo: Sendable, Hashable {
    package let key: PubkyKey
    /// The time at which the session was opened: microseconds since 1970.
    package let createdAt: UInt64
    package let name: String
    package let userAgent: String
    package let capabilities: [PubkyCapability]

    package init(
        key: PubkyKey, createdAt: UInt64, name: String = "", userAgent: String, capabilities: [PubkyCapability]
    ) {
        self.key = key
        self.createdAt = createdAt
        self.name = name
        self.userAgent = userAgent
        self.capabilities = capabilities
    }

    package init(parsing bytes: [UInt8]) throws(WireDefect) {
        var reader = ByteReader(bytes)
        guard try reader.varint() == 0 else { throw WireDefect("a session has a version that is not known") }
        let key = try reader.bytes(32)
        do { self.key = try PubkyKey(bytes: key) } catch { throw WireDefect("\(error)") }
        createdAt = try reader.varint()
        name = try reader.string()
        userAgent = try reader.string()
        var capabilities: [PubkyCapability] = []
        for text in try reader.strings() {
            do { capabilities.append(try PubkyCapability(text)) } catch { throw WireDefect("\(error)") }
        }
        self.capabilities = capabilities
        try reader.end()
    }
}
