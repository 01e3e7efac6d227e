package import PaymentCrypto

/// The answers of a DNS message (RFC 1035 section 4.1): all that a signed packet carries.
package struct DNSMessage: Sendable, Hashable {
    package let answers: [DNSRecord]

    package init(answers: [DNSRecord]) { self.answers = answers }

    /// Reads a message. Questions are skipped; nothing after the answers is read.
    package init(parsing bytes: [UInt8]) throws(WireDefect) {
        var reader = ByteReader(bytes)
        _ = try reader.uint32()
        let (questions, count) = (try reader.uint16(), try reader.uint16())
        _ = try reader.uint32()
        for _ in 0..<questions {
            _ = try DNSName(&reader)
            _ = try reader.uint32()
        }
        var answers: [DNSRecord] = []
        for _ in 0..<count { if let record = try DNSRecord.read(&reader) { answers.append(record) } }
        self.answers = answers
    }

    /// The message on the wire: a reply without an id, with uncompressed names.
    package var wire: [UInt8] {
        let head: [UInt16] = [0, 0x8000, 0, UInt16(answers.count), 0, 0]
        return head.flatMap(\.bigEndianBytes) + answers.flatMap(\.wire)
    }
}

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
    /// Pubky's own key of the plain HTTP port of a homeserver on this machine.
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
