package import PaymentCrypto

/// A resource record (RFC 1035 section 4.1.3).
package struct DNSRecord: Sendable, Hashable {
    package let name: DNSName
    /// The longest time to keep it, in seconds.
    package let ttl: UInt32
    package let data: Content

    package init(_ name: DNSName, ttl: UInt32 = 3600, _ data: Content) {
        self.name = name
        self.ttl = ttl
        self.data = data
    }

    package enum Content: Sendable, Hashable {
        case a([UInt8])
        case aaaa([UInt8])
        case cname(DNSName)
        case txt([[UInt8]])
        /// The location of a service (RFC 9460), of type SVCB.
        case svcb(DNSService)
        /// The location of a web service (RFC 9460), of type HTTPS.
        case https(DNSService)
        case other(type: UInt16, [UInt8])

        package var type: UInt16 {
            switch self {
            case .a: 1
            case .cname: 5
            case .txt: 16
            case .aaaa: 28
            case .svcb: 64
            case .https: 65
            case .other(let type, _): type
            }
        }

        /// The content that both types of service records share.
        package var service: DNSService? {
            switch self {
            case .svcb(let service), .https(let service): service
            default: nil
            }
        }
    }

    var wire: [UInt8] {
        let content: [UInt8] =
            switch data {
            case .a(let bytes), .aaaa(let bytes), .other(_, let bytes): bytes
            case .cname(let name): name.wire
            case .txt(let texts): texts.flatMap { [UInt8($0.count)] + $0 }
            case .svcb(let service), .https(let service): service.wire
            }
        return DNSResource.wire(name, type: data.type, ttl: ttl, content)
    }

    /// Reads the next record; nil for a class other than IN.
    static func read(_ reader: inout ByteReader) throws(WireDefect) -> DNSRecord? {
        let resource = try DNSResource(&reader)
        guard resource.family == DNSResource.internet else { return nil }
        return DNSRecord(resource.owner, ttl: resource.ttl, try Content(resource))
    }
}

extension DNSRecord.Content {
    fileprivate init(_ resource: DNSResource) throws(WireDefect) {
        let (bytes, place) = (resource.data, resource.start.position)
        switch resource.type {
        case 1:
            guard bytes.count == 4 else { throw WireDefect("an address of type A has not 4 bytes", at: place) }
            self = .a(bytes)
        case 28:
            guard bytes.count == 16 else { throw WireDefect("an address of type AAAA has not 16 bytes", at: place) }
            self = .aaaa(bytes)
        case 5: self = .cname(try resource.name())
        case 16:
            var reader = ByteReader(bytes)
            var texts: [[UInt8]] = []
            while !reader.isAtEnd { texts.append(try reader.bytes(Int(try reader.byte()))) }
            self = .txt(texts)
        case 64: self = .svcb(try DNSService(resource.start, until: place + bytes.count))
        case 65: self = .https(try DNSService(resource.start, until: place + bytes.count))
        case let type: self = .other(type: type, bytes)
        }
    }
}
