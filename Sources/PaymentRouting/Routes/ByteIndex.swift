/// A map from byte strings to small numbers that is searched in place: no key is made, nothing is retained.
///
/// All keys lie in one array, so a search touches one slot and the key's bytes.
struct ByteIndex: Sendable {
    private struct Slot {
        var hash: UInt32 = 0
        var start: UInt32 = 0
        var count: UInt32 = 0
        /// -1 where the slot is free.
        var number: Int32 = -1
    }

    private var slots = [Slot](repeating: Slot(), count: 8)
    private var keys: [UInt8] = []
    private(set) var count = 0
    /// A bit for each length modulo 64 that a key has: most searches end here.
    private var lengths: UInt64 = 0

    var isEmpty: Bool { count == 0 }

    /// The number of `key`, which is added when it is new. Numbers count from zero.
    mutating func insert(_ key: [UInt8]) -> Int {
        if let number = key.withUnsafeBufferPointer({ find($0) }) { return number }
        if (count + 1) * 2 > slots.count {
            let old = slots
            slots = [Slot](repeating: Slot(), count: old.count * 2)
            for slot in old where slot.number >= 0 { place(slot) }
        }
        place(
            Slot(
                hash: key.withUnsafeBufferPointer(Self.hash), start: UInt32(keys.count), count: UInt32(key.count),
                number: Int32(count)))
        keys += key
        lengths |= 1 << UInt64(key.count % 64)
        count += 1
        return count - 1
    }

    /// The number of the key that equals `bytes`, or nil.
    @inline(__always)
    func find(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        guard lengths >> UInt64(bytes.count % 64) & 1 != 0 else { return nil }
        let hash = Self.hash(bytes)
        let mask = slots.count - 1
        var index = Int(hash) & mask
        // At most half of the slots are taken, so a free one ends every search.
        while slots[index].number >= 0 {
            let slot = slots[index]
            if slot.hash == hash, Int(slot.count) == bytes.count, holds(bytes, at: Int(slot.start)) {
                return Int(slot.number)
            }
            index = (index + 1) & mask
        }
        return nil
    }

    /// True if the key at `start` equals `bytes`, as long as the caller knows that their lengths are equal.
    private func holds(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
        keys.withUnsafeBytes { keys in
            let raw = UnsafeRawBufferPointer(bytes)
            let key = UnsafeRawBufferPointer(rebasing: keys[start..<start + raw.count])
            guard raw.count >= 8 else { return raw.elementsEqual(key) }
            var index = 0
            while index < raw.count {
                // The last eight bytes overlap those before.
                let offset = min(index, raw.count - 8)
                let word = raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                guard word == key.loadUnaligned(fromByteOffset: offset, as: UInt64.self) else { return false }
                index += 8
            }
            return true
        }
    }

    private mutating func place(_ slot: Slot) {
        let mask = slots.count - 1
        var index = Int(slot.hash) & mask
        while slots[index].number >= 0 { index = (index + 1) & mask }
        slots[index] = slot
    }

    /// Eight bytes at a time by multiplication and folding. Links cannot choose the keys, only the registry can, so
    /// the hash needs spread, not secrecy.
    @inline(__always)
    private static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
        let raw = UnsafeRawBufferPointer(bytes)
        var hash = UInt64(raw.count)
        func add(_ word: UInt64) {
            hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash >> 32
        }
        var index = 0
        while index + 8 <= raw.count {
            add(raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            index += 8
        }
        if raw.count >= 8 {
            if index < raw.count { add(raw.loadUnaligned(fromByteOffset: raw.count - 8, as: UInt64.self)) }
        } else {
            var word: UInt64 = 0
            for byte in raw { word = word << 8 | UInt64(byte) }
            add(word)
        }
        return UInt32(truncatingIfNeeded: hash)
    }
}
