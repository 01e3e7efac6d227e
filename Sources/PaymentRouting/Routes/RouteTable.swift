import PaymentCore

/// All patterns of a registry, compiled. A lookup costs the same however many providers there are.
struct RouteTable: Sendable {
    /// The claims on a host or suffix: that without a path, and those by path.
    private struct HostClaims: Sendable {
        var whole: Claim?
        var paths = PrefixIndex()
    }

    private var returns = ByteIndex()
    private var byReturn: [Claim] = []
    private var names = ByteIndex()
    /// By the number of a name: the claims on it as a host, and as a suffix.
    private var exact: [HostClaims] = []
    private var suffixed: [HostClaims] = []
    private var schemes = ByteIndex()
    private var byScheme: [Claim] = []
    private var prefixes = PrefixIndex()
    private var standards: [String: Claim] = [:]

    /// Adds a claim. The pattern is normalised: lower-case host and scheme.
    mutating func insert(_ claim: Claim) {
        switch claim.pattern {
        case .returnURL(let url): Self.insert(claim, Array(url.utf8), into: &returns, &byReturn)
        case .host(let host, let path): Self.insert(claim, path, &exact[number(of: host)])
        case .hostSuffix(let host, let path): Self.insert(claim, path, &suffixed[number(of: host)])
        case .scheme(let scheme): Self.insert(claim, Array(scheme.utf8), into: &schemes, &byScheme)
        case .textPrefix(let prefix): prefixes.insert(claim, Array(prefix.utf8))
        case .standard(let id): standards[id] = claim.with(standards[id])
        }
    }

    /// Visits the claims on `link`, the most specific first, until a provider recognises it.
    func find(_ link: PaymentLink, _ finding: inout Finding) {
        let isDone: Bool? = link.text.utf8.withContiguousStorageIfAvailable { visit(link, $0, &finding) }
        if isDone == nil {
            // Scanned texts are contiguous. This is for a standard library with other texts.
            _ = Array(link.text.utf8).withUnsafeBufferPointer { visit(link, $0, &finding) }
        }
    }

    /// Visits the claims on a payment standard.
    func find(standard id: String, _ link: PaymentLink, _ finding: inout Finding) {
        if let claim = standards[id] { _ = finding.take(claim, link) }
    }

    // MARK: Looking up

    private typealias Bytes = UnsafeBufferPointer<UInt8>

    private func visit(_ link: PaymentLink, _ bytes: Bytes, _ finding: inout Finding) -> Bool {
        let layout = link.layout
        if case .text = layout.form { return prefixes.visit(bytes, endingWhere: { _ in true }, link, &finding) }
        if let url = returns.find(bytes.part(0, layout.pathEnd)), finding.take(byReturn[url], link) { return true }
        if link.isHTTP, visitHosts(link, bytes, &finding) { return true }
        guard let scheme = schemes.find(bytes.part(0, layout.schemeEnd)) else { return false }
        return finding.take(byScheme[scheme], link)
    }

    private func visitHosts(_ link: PaymentLink, _ bytes: Bytes, _ finding: inout Finding) -> Bool {
        let layout = link.layout
        var hasSuffixes = false
        if case .name = layout.hostKind { hasSuffixes = layout.port == 0 }
        // A port that is not the default stands between host and path and so belongs to the key.
        if let name = names.find(bytes.part(layout.hostStart, layout.pathStart)) {
            if Self.visit(exact, at: name, link, bytes: bytes, &finding) { return true }
            if hasSuffixes, Self.visit(suffixed, at: name, link, bytes: bytes, &finding) { return true }
        }
        guard hasSuffixes else { return false }
        // Ever shorter suffixes, cut at the dots.
        var index = layout.hostStart
        while index < layout.hostEnd {
            let isDot = bytes[Int(index)] == UInt8(ascii: ".")
            index += 1
            guard isDot, let name = names.find(bytes.part(index, layout.hostEnd)) else { continue }
            if Self.visit(suffixed, at: name, link, bytes: bytes, &finding) { return true }
        }
        return false
    }

    /// Visits the claim on the longest path first, then the one on the whole host.
    @inline(__always)
    private static func visit(
        _ claims: [HostClaims], at name: Int, _ link: PaymentLink, bytes: Bytes, _ finding: inout Finding
    ) -> Bool {
        if !claims[name].paths.isEmpty {
            let path = bytes.part(link.layout.pathStart, link.layout.pathEnd)
            if claims[name].paths.visit(path, endingWhere: { endsSegment(path, at: $0) }, link, &finding) {
                return true
            }
        }
        guard let claim = claims[name].whole else { return false }
        return finding.take(claim, link)
    }

    /// Returns true if a cut at `length` leaves whole segments on both sides.
    private static func endsSegment(_ path: Bytes, at length: Int) -> Bool {
        length == path.count || path[length] == UInt8(ascii: "/") || path[length - 1] == UInt8(ascii: "/")
    }

    // MARK: Adding

    private static func insert(_ claim: Claim, _ key: [UInt8], into index: inout ByteIndex, _ claims: inout [Claim]) {
        let number = index.insert(key)
        if number == claims.count {
            claims.append(claim)
        } else {
            claims[number] = claim.with(claims[number])
        }
    }

    private static func insert(_ claim: Claim, _ path: String?, _ claims: inout HostClaims) {
        if let path {
            claims.paths.insert(claim, Array(path.utf8))
        } else {
            claims.whole = claim.with(claims.whole)
        }
    }

    /// Returns the number of `host`, which is added if it is new.
    private mutating func number(of host: String) -> Int {
        let number = names.insert(Array(host.utf8))
        if number == exact.count {
            exact.append(HostClaims())
            suffixed.append(HostClaims())
        }
        return number
    }

    /// Claims on texts that begin with a key.
    private struct PrefixIndex: Sendable {
        private var index = ByteIndex()
        private var claims: [Claim] = []
        /// The lengths of the keys, longest first. A search costs one look per length, not per key.
        private var lengths: [Int] = []

        var isEmpty: Bool { claims.isEmpty }

        mutating func insert(_ claim: Claim, _ key: [UInt8]) {
            RouteTable.insert(claim, key, into: &index, &claims)
            if !lengths.contains(key.count) {
                lengths.append(key.count)
                lengths.sort(by: >)
            }
        }

        /// Visits the claims on the prefixes of `bytes`, the longest first, if `isCut` allows that length.
        @inline(__always)
        func visit(
            _ bytes: Bytes, endingWhere isCut: (Int) -> Bool, _ link: PaymentLink, _ finding: inout Finding
        ) -> Bool {
            for length in lengths where length <= bytes.count && isCut(length) {
                if let claim = index.find(bytes.part(0, UInt16(length))), finding.take(claims[claim], link) {
                    return true
                }
            }
            return false
        }
    }
}

/// One provider's claim to the links of one pattern. It is a class: routes share it instead of copying its parts.
final class Claim: Sendable {
    let id: ProviderID
    let pattern: LinkPattern
    private let provider: any PaymentProvider
    /// The next claim of equal right, and so on. Nearly always nil.
    private let rival: Claim?

    init(id: ProviderID, pattern: LinkPattern, provider: any PaymentProvider, rival: Claim? = nil) {
        self.id = id
        self.pattern = pattern
        self.provider = provider
        self.rival = rival
    }

    /// Returns this claim with another one of equal right.
    func with(_ rival: Claim?) -> Claim {
        Claim(id: id, pattern: pattern, provider: provider, rival: rival)
    }

    /// True if other claims have equal right.
    var hasRivals: Bool { rival != nil }

    /// Returns the routes of `link` by this claim and its rivals, as far as their providers recognise it, in the order
    /// of the providers' ids.
    func routes(_ link: PaymentLink) -> [Route] {
        var routes: [Route] = []
        var next: Claim? = self
        while let claim = next {
            if let match = claim.match(link) { routes.append(Route(claim: claim, link: link, match: match)) }
            next = claim.rival
        }
        return routes.sorted { $0.provider.rawValue < $1.provider.rawValue }
    }

    /// Returns the provider's reading of `link`; nil if the link is not the provider's.
    func match(_ link: PaymentLink) -> LinkMatch? {
        let match = provider.recognize(link)
        guard link.isPlainHTTP, let match, case .verified = match.trust else { return match }
        // Anyone on the path can change plain HTTP, so no provider may vouch for it.
        return LinkMatch(
            match.subject, role: match.role,
            trust: .unverified(reason: "the link uses plain http; anyone on the way can change it"),
            holdsSecret: match.holdsSecret)
    }
}

/// A map from byte strings to small numbers that is searched in place. A search makes no key and retains nothing.
///
/// All keys lie in one array, so a search touches one slot and the key's bytes.
struct ByteIndex: Sendable {
    private struct Slot {
        var hash: UInt32 = 0
        var start: UInt32 = 0
        var count: UInt32 = 0
        /// -1 if the slot is free.
        var number: Int32 = -1
    }

    private var slots = [Slot](repeating: Slot(), count: 8)
    private var keys: [UInt8] = []
    private(set) var count = 0
    /// A bit for each length modulo 64 that a key has. Most searches end here.
    private var lengths: UInt64 = 0

    var isEmpty: Bool { count == 0 }

    /// Returns the number of `key`, which is added if it is new. Numbers count from zero.
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

    /// Returns the number of the key that equals `bytes`, or nil.
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

    /// Returns true if the key at `start` equals `bytes`. The caller knows that their lengths are equal.
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

    /// Hashes eight bytes at a time by multiplication and folding. The registry alone chooses the keys, so the hash
    /// needs spread, not secrecy.
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

extension UnsafeBufferPointer {
    /// Returns the elements from `start` up to `end`.
    @inline(__always)
    fileprivate func part(_ start: UInt16, _ end: UInt16) -> Self {
        Self(rebasing: self[Int(start)..<Int(end)])
    }
}
