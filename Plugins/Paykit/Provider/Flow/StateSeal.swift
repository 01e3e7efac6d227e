import PaymentCrypto

/// Seals the states of private links and subscriptions. A seal binds a state to its key and its number.
///
/// Each change of a state increases its number, and only the successor of the stored state can replace it
/// (`RecordStore.keep(_:following:)`). So a state is neither lost nor returns to an earlier one.
struct StateSeal: Sendable {
    private let key: Redacted<[UInt8]>
    /// The error for a state that was changed since its owner stored it.
    let changed: PaykitNetworkError

    init(_ secret: [UInt8], for purpose: String, changed: String) {
        key = Redacted(
            HKDF.derive(
                .sha256, secret: secret, salt: Array("swift-payment-router".utf8), info: Array(purpose.utf8),
                byteCount: 32))
        self.changed = PaykitNetworkError(.storage, changed)
    }

    init(_ keys: PrivateLinkKeys) {
        self.init(
            keys.noiseSecret, for: "kept state of private links",
            changed:
                "what is kept of a private link was changed, or is another app's; give this app its own secret and store"
        )
    }

    /// A state that was read.
    struct Opened<Content> {
        let content: Content
        let number: UInt64
    }

    /// The most bytes of a record. The parts of a longer state are in several records.
    static let longestPart = 4 << 20

    /// Returns the writes that store a state. Its number and the length of its sealed content precede the content.
    func writes(
        _ content: some Encodable, at key: RecordKey, number: UInt64, marks: [String: RecordMark] = [:],
        _ random: any RandomSource
    ) throws(PaykitNetworkError) -> [RecordWrite] {
        let nonce = random.bytes(24)
        guard let plain = try? JSONEncoder().encode(content),
            let sealed = try? XChaCha20Poly1305.seal(
                Array(plain), key: self.key.reveal(), nonce: nonce, authenticating: Self.binding(key, number))
        else { throw PaykitNetworkError(.storage, "the state of a '\(key.room.kind)' cannot be sealed") }
        let bytes = number.bigEndianBytes + UInt64(nonce.count + sealed.count).bigEndianBytes + nonce + sealed
        return stride(from: 0, to: bytes.count, by: Self.longestPart).enumerated().map { part, start in
            .put(
                Self.part(part, of: key), Array(bytes[start..<min(start + Self.longestPart, bytes.count)]),
                marks: part == 0 ? marks : [:])
        }
    }

    /// Returns the state of a key; nil when there is none. `values` are the values of all records of its room.
    func open<Content: Decodable>(
        _ key: RecordKey, in values: [RecordKey: [UInt8]], as type: Content.Type
    ) throws(PaykitNetworkError) -> Opened<Content>? {
        guard let first = values[key] else { return nil }
        guard first.count > Self.headLength else { throw changed }
        let number = Self.integer(first[..<8])
        let length = Self.integer(first[8..<Self.headLength])
        var sealed = Array(first[Self.headLength...])
        // A shorter state may have left parts of a longer one behind it.
        var part = 1
        while UInt64(sealed.count) < length {
            guard let next = values[Self.part(part, of: key)], !next.isEmpty else { throw changed }
            sealed += next
            part += 1
        }
        guard UInt64(sealed.count) == length, length > 24,
            let plain = try? XChaCha20Poly1305.open(
                Array(sealed.dropFirst(24)), key: self.key.reveal(), nonce: Array(sealed.prefix(24)),
                authenticating: Self.binding(key, number)),
            let content = try? JSONDecoder().decode(type, from: Data(plain))
        else { throw changed }
        return Opened(content: content, number: number)
    }

    /// Returns the number of a stored state, which is readable without the key; 0 when there is none, and nil for a
    /// damaged one.
    static func number(of record: StoredRecord?) -> UInt64? {
        guard let record else { return 0 }
        return record.value.count > headLength ? integer(record.value[..<8]) : nil
    }

    private static let headLength = 16

    private static func integer(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    private static func part(_ number: Int, of key: RecordKey) -> RecordKey {
        number == 0 ? key : RecordKey(key.room, "part/\(number)/\(key.name)")
    }

    /// Neither kinds nor names of rooms have a zero byte, and a number has eight bytes.
    private static func binding(_ key: RecordKey, _ number: UInt64) -> [UInt8] {
        Array("\(key.room.kind)\u{0}\(key.room.name)\u{0}\(key.name)\u{0}".utf8) + number.bigEndianBytes
    }
}

extension RecordStore {
    /// Returns the values of all records of a room, as they were at one moment.
    func values(of room: RecordRoom) async throws -> [RecordKey: [UInt8]] {
        Dictionary(try await records([.room(room)])[0].map { ($0.key, $0.value) }) { $1 }
    }

    /// Makes all writes of a change if the stored states have these numbers; 0 for no state. Of several concurrent
    /// callers with a state in common, one succeeds. Every room that is written has a state among them.
    ///
    /// - Returns: true if all of it was stored; false if nothing was.
    func keep(_ writes: [RecordWrite], following numbers: [RecordKey: UInt64]) async throws -> Bool {
        let keys = Array(numbers.keys)
        return try await change(keys.map { .record($0) }) { found in
            for (key, records) in zip(keys, found) where StateSeal.number(of: records.first) != numbers[key] {
                return RecordChange(false)
            }
            return RecordChange(writes, true)
        }
    }
}

/// The times of keys' latest packets. They are public, and stored in clear.
package struct StoredPacketTimes: PacketTimes {
    private let store: any RecordStore

    package init(_ store: any RecordStore) { self.store = store }

    package func latest(of key: PubkyKey) async throws -> UInt64? {
        try Self.time(in: await store.record(Self.key(of: key)))
    }

    package func record(_ time: UInt64, of key: PubkyKey) async throws {
        if let known = try await latest(of: key), known >= time { return }
        let key = Self.key(of: key)
        try await store.change([.record(key)]) { found in
            if let known = try Self.time(in: found[0].first), known >= time { return RecordChange(()) }
            return RecordChange([.put(key, time.bigEndianBytes)], ())
        }
    }

    private static func key(of key: PubkyKey) -> RecordKey { RecordKey("paykit-packet-time", room: key.text) }

    private static func time(in record: StoredRecord?) throws -> UInt64? {
        guard let record else { return nil }
        guard record.value.count == 8 else {
            throw PaykitNetworkError(.storage, "the stored time of a packet is damaged")
        }
        return record.value.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
