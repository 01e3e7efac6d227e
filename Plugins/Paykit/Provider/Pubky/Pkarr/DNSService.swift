package import PaymentCrypto

/// The location of a service (RFC 9460 section 2.2), from SVCB and HTTPS records.
package struct DNSService: Sendable, Hashable {
    /// Zero for an alias; otherwise the smallest is preferred.
    package let priority: UInt16
    /// The location; the root means "at the name of the record".
    package let target: DNSName
    package let parameters: [Parameter]

    package struct Parameter: Sendable, Hashable {
        package let key: UInt16
        package let value: [UInt8]

        package init(_ key: UInt16, _ value: [UInt8]) {
            self.key = key
            self.value = value
        }
    }

    package init(priority: UInt16, target: DNSName, parameters: [Parameter] = []) {
        self.priority = priority
        self.target = target
        self.parameters = parameters.sorted { $0.key < $1.key }
    }

    package static let portKey: UInt16 = 3
    package static let ipv4Key: UInt16 = 4
    /// Pubky's own key of the port at which a homeserver on this machine serves plain HTTP.
    package static let localHTTPPortKey: UInt16 = 65280

    package func value(_ key: UInt16) -> [UInt8]? { parameters.first { $0.key == key }?.value }

    package func port(_ key: UInt16 = portKey) -> UInt16? {
        guard let bytes = value(key), bytes.count == 2 else { return nil }
        return UInt16(bytes[0]) << 8 | UInt16(bytes[1])
    }

    var wire: [UInt8] {
        priority.bigEndianBytes + target.wire
            + parameters.flatMap { $0.key.bigEndianBytes + UInt16($0.value.count).bigEndianBytes + $0.value }
    }

    /// Reads the content of a record that ends at `end` in its message.
    init(_ start: ByteReader, until end: Int) throws(WireDefect) {
        var reader = start
        let priority = try reader.uint16()
        let target = try DNSName(&reader)
        guard reader.position <= end else {
            throw WireDefect("a service's target is longer than its record", at: start.position)
        }
        reader = ByteReader(try reader.bytes(end - reader.position))
        var parameters: [Parameter] = []
        while !reader.isAtEnd {
            let key = try reader.uint16()
            if let last = parameters.last?.key, key <= last {
                throw WireDefect("a service's parameters are not in order", at: start.position)
            }
            parameters.append(Parameter(key, try reader.bytes(Int(try reader.uint16()))))
        }
        self.init(priority: priority, target: target, parameters: parameters)
    }
}
