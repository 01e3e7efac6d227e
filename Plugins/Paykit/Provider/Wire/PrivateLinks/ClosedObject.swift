import PaymentCrypto

/// A JSON object without members other than those read from it: this distinguishes messages of private links from those
/// of other forms (Protocol 12.4). Errors name the wrong member, never its content.
struct ClosedObject {
    private let members: [String: JSONValue]
    private var read: Set<String> = []

    init(_ json: JSONValue?) throws(WireDefect) {
        guard let members = json?.object else { throw WireDefect("what should be an object is none") }
        self.members = members
    }

    /// Returns a required member, which may be null.
    mutating func nullable(_ name: String) throws(WireDefect) -> JSONValue? {
        read.insert(name)
        guard let value = members[name] else { throw WireDefect("the member '\(name)' is missing") }
        // Written in full: a bare nil beside a value of JSON would be JSON's null.
        if value.isNull { return Optional.none }
        return value
    }

    /// Returns a member that may be missing, but is not null.
    mutating func optional(_ name: String) throws(WireDefect) -> JSONValue? {
        read.insert(name)
        guard let value = members[name] else { return nil }
        guard !value.isNull else { throw WireDefect("the member '\(name)' is null") }
        return value
    }

    mutating func value(_ name: String) throws(WireDefect) -> JSONValue {
        guard let value = try optional(name) else { throw WireDefect("the member '\(name)' is missing") }
        return value
    }

    mutating func text(_ name: String) throws(WireDefect) -> String {
        guard let text = try value(name).string else { throw WireDefect("the member '\(name)' is no text") }
        return text
    }

    mutating func id(_ name: String) throws(WireDefect) -> String {
        guard let id = EventID.normal(try text(name)) else { throw WireDefect("the member '\(name)' is no id") }
        return id
    }

    mutating func reference(_ name: String = "payment_reference") throws(WireDefect) -> String {
        let text = try text(name)
        guard 1...256 ~= text.unicodeScalars.count, !text.hasControlCharacters else {
            throw WireDefect("the member '\(name)' is no reference")
        }
        return text
    }

    mutating func object(_ name: String) throws(WireDefect) -> [String: JSONValue] {
        guard let object = try value(name).object else { throw WireDefect("the member '\(name)' is no object") }
        return object
    }

    mutating func identifier(_ name: String) throws(WireDefect) -> PaykitIdentifier {
        guard let identifier = PaykitIdentifier(try text(name)) else {
            throw WireDefect("the member '\(name)' is no identifier")
        }
        return identifier
    }

    /// Checks version and kind, the first members of every form.
    mutating func begin(_ kind: String) throws(WireDefect) {
        guard try value("version").uint64 == 1 else { throw WireDefect("it has a version that is not known") }
        guard try text("kind") == kind else { throw WireDefect("it is of another kind") }
    }

    func end() throws(WireDefect) {
        guard Set(members.keys).isSubset(of: read) else { throw WireDefect("it has a member that is not known") }
    }
}

extension String {
    var hasControlCharacters: Bool { unicodeScalars.contains { $0.properties.generalCategory == .control } }
}

/// Ids of events, requests and receipts: UUIDs of version 4 (RFC 9562).
package enum EventID {
    /// Returns the id in lower case with hyphens; nil if the text is no UUID of version 4.
    package static func normal(_ text: String) -> String? {
        let plain = text.lowercased().filter { $0 != "-" }
        guard plain.utf8.count == 32, let bytes = Hex.decode(plain), bytes[6] >> 4 == 4, bytes[8] >> 6 == 2 else {
            return nil
        }
        let whole = written(bytes)
        // Without any hyphen, or with all of them where they belong.
        return text.utf8.count == 32 || text.lowercased() == whole ? whole : nil
    }

    package static func draw(_ random: any RandomSource) -> String {
        var bytes = random.bytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return written(bytes)
    }

    private static func written(_ bytes: [UInt8]) -> String {
        let hex = Array(Hex.encode(bytes))
        let ends = [8, 12, 16, 20, 32]
        return zip([0] + ends, ends).map { String(hex[$0..<$1]) }.joined(separator: "-")
    }
}
