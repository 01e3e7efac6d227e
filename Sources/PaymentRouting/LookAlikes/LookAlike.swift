public import PaymentCore

/// A registered host that the host of a link resembles without being it.
///
/// It only explains. A link that resembles nothing is not more trustworthy, and a link that does may still be honest.
public struct LookAlike: Sendable, Hashable {
    /// The differences between two hosts.
    @nonexhaustive
    public enum Difference: String, Sendable, Hashable, CaseIterable {
        /// Another host of the same domain.
        case sibling
        /// The real name stands within the host, before the name of the actual host.
        case embedded
        /// Another ending, such as `.org` for `.com`.
        case otherSuffix = "other-suffix"
        /// Dots or hyphens stand elsewhere or are missing.
        case separators
        /// Letters are replaced by digits or letters that look the same.
        case confusable
        /// Letters of another alphabet that look the same.
        case international
        /// One letter is added, left out, changed, or swapped with its neighbour.
        case misspelt
        /// Words are added, left out or change places.
        case words
    }

    /// The real host.
    public let host: String
    /// The provider that claims it.
    public let provider: ProviderID
    /// The difference of the link's host.
    public let difference: Difference
    /// The registered domain that the link's host belongs to.
    public let owner: String

    /// Creates a finding.
    public init(host: String, provider: ProviderID, difference: Difference, owner: String) {
        self.host = host
        self.provider = provider
        self.difference = difference
        self.owner = owner
    }

    /// The explanation for people, a sentence.
    public var explanation: String {
        let detail: String? =
            switch difference {
            case .sibling: nil
            case .embedded: nil
            case .otherSuffix: "its ending differs"
            case .separators: "its dots or hyphens are elsewhere"
            case .confusable: "it has characters that only look the same"
            case .international: "it has letters of another alphabet that look the same"
            case .misspelt: "it differs by one letter"
            case .words: "its words differ"
            }
        let claim = "this looks like \(host) but is not: "
        guard difference != .sibling else { return claim + "it is another host of \(owner)" }
        return claim + "the address belongs to \(owner)" + (detail.map { "; \($0)" } ?? "")
    }
}

/// Finds the registered host that a host resembles. However many hosts there are, a search looks up a bounded number of
/// keys and compares a bounded number of names.
struct LookAlikeIndex: Sendable {
    private struct Real: Sendable {
        let host: String
        let provider: ProviderID
        /// True if its subdomains are claimed too.
        let hasSubdomains: Bool
        /// Its names as the eye reads them.
        let names: [[UInt8]]
    }

    private var reals: [Real] = []
    private var hosts = Keys()
    private var domains = Keys()
    private var names = Keys()
    private var halves = Keys()

    /// Numbers by keys. Of several numbers of a key, the first few are kept.
    private struct Keys: Sendable {
        private var index = ByteIndex()
        private var numbers: [[Int]] = []
        /// The maximum number of compared names that share half their letters.
        private static let most = 8

        mutating func insert(_ key: [UInt8], _ number: Int) {
            let place = index.insert(key)
            if place == numbers.count { numbers.append([]) }
            if numbers[place].count < Self.most, numbers[place].last != number { numbers[place].append(number) }
        }

        func find(_ key: some Collection<UInt8>) -> [Int] {
            let place =
                key.withContiguousStorageIfAvailable { index.find($0) }
                ?? Array(key).withUnsafeBufferPointer {
                    index.find($0)
                }
            return place.map { numbers[$0] } ?? []
        }
    }

    /// Words that many hosts share. Alone they do not identify a host.
    private static let generic: Set<String> = [
        "account", "accounts", "billing", "checkout", "example", "invoice", "invoices", "merchant", "mobile", "online",
        "payment", "payments", "paylink", "portal", "secure", "security", "service", "services", "shop", "store",
        "support", "wallet", "wallets",
    ]
    /// The minimum length of a name that is searched for within others. Shorter ones occur there by chance.
    private static let shortest = 6

    /// Indexes the hosts of `claims`. Their order changes nothing.
    init(_ claims: [(host: String, provider: ProviderID, hasSubdomains: Bool)]) {
        let sorted = claims.sorted {
            ($0.host.utf8.count, $0.host, $0.provider.rawValue) < ($1.host.utf8.count, $1.host, $1.provider.rawValue)
        }
        for claim in sorted where claim.host.contains(".") && !claim.host.contains(":") {
            let skeleton = HostSkeleton(claim.host)
            // The longest name is found first.
            let names = [skeleton.whole, skeleton.stem, skeleton.brand].reduce(into: [[UInt8]]()) { names, name in
                if name.count > 2, !names.contains(name) { names.append(name) }
            }
            let number = reals.count
            reals.append(
                Real(host: claim.host, provider: claim.provider, hasSubdomains: claim.hasSubdomains, names: names))
            hosts.insert(Array(claim.host.utf8), number)
            domains.insert(Array(skeleton.domain.utf8), number)
            for name in names {
                self.names.insert(name, number)
                guard name.count >= Self.shortest else { continue }
                halves.insert(Self.head(name.prefix(name.count / 2), name.count), number)
                halves.insert(Self.tail(name.suffix(name.count - name.count / 2), name.count), number)
            }
        }
    }

    /// Returns the real host that `host`, in lower case, resembles. Nil if there is none, or `host` is registered
    /// itself.
    func find(_ host: some StringProtocol) -> LookAlike? {
        guard !reals.isEmpty else { return nil }
        let skeleton = HostSkeleton(host)
        guard skeleton.labels.count > 1, !isClaimed(skeleton.labels) else { return nil }
        if let real = domains.find(Array(skeleton.domain.utf8)).first { return found(real, .sibling, skeleton) }
        guard let real = exact(skeleton) ?? affixed(skeleton) ?? near(skeleton) else { return nil }
        return found(real, difference(skeleton, String(host), reals[real]), skeleton)
    }

    private func found(_ real: Int, _ difference: LookAlike.Difference, _ skeleton: HostSkeleton) -> LookAlike {
        LookAlike(
            host: reals[real].host, provider: reals[real].provider, difference: difference, owner: skeleton.domain)
    }

    private func isClaimed(_ labels: [Substring]) -> Bool {
        var rest = labels[...]
        while rest.count > 1 {
            let key = Array(rest.joined(separator: ".").utf8)
            if hosts.find(key).contains(where: { rest.count == labels.count || reals[$0].hasSubdomains }) {
                return true
            }
            rest = rest.dropFirst()
        }
        return false
    }

    // MARK: Searching

    /// Returns a real name that some words of the host make, the longest first.
    private func exact(_ skeleton: HostSkeleton) -> Int? {
        let words = skeleton.words
        for length in stride(from: min(words.count, 5), through: 1, by: -1) {
            for start in 0...(words.count - length) {
                let name = Array(words[start..<start + length].joined())
                let isStem = start == 0 && length == skeleton.stemWords
                guard isStem || isTelling(name) else { continue }
                if let real = names.find(name).first { return real }
            }
        }
        return nil
    }

    /// Returns a real name that a word begins or ends with.
    private func affixed(_ skeleton: HostSkeleton) -> Int? {
        for word in skeleton.words where word.count > Self.shortest {
            for length in stride(from: word.count - 1, through: Self.shortest + 1, by: -1) {
                for part in [word.prefix(length), word.suffix(length)] where isTelling(part) {
                    if let real = names.find(part).first { return real }
                }
            }
        }
        return nil
    }

    /// Returns a real name that differs by one slip from the host's words together, or from one of them.
    private func near(_ skeleton: HostSkeleton) -> Int? {
        for name in [skeleton.stem] + skeleton.words[..<skeleton.stemWords] where isTelling(name) {
            if let real = near(name) { return real }
        }
        return nil
    }

    private func near(_ name: [UInt8]) -> Int? {
        for count in (name.count - 1)...(name.count + 1) where count >= Self.shortest {
            // One slip leaves one half of a name whole, unless it swaps the two letters in the middle.
            let middle = count / 2
            var keys = [Self.head(name.prefix(middle), count), Self.tail(name.suffix(count - middle), count)]
            if count == name.count {
                var swapped = name
                swapped.swapAt(middle - 1, middle)
                keys.append(Self.head(swapped.prefix(middle), count))
            }
            for key in keys {
                for real in halves.find(key) where reals[real].names.contains(where: { Self.isSlip(name, $0) }) {
                    return real
                }
            }
        }
        return nil
    }

    private func isTelling(_ name: some Collection<UInt8>) -> Bool {
        name.count >= Self.shortest && !Self.foldedGeneric.contains(Array(name))
    }

    private static let foldedGeneric = Set(generic.map { HostSkeleton("\($0).x").stem })

    private static func head(_ half: some Collection<UInt8>, _ count: Int) -> [UInt8] {
        [UInt8(count & 0xFF), 1] + half
    }
    private static func tail(_ half: some Collection<UInt8>, _ count: Int) -> [UInt8] {
        [UInt8(count & 0xFF), 2] + half
    }

    /// Returns true if one letter added, left out, changed or swapped with its neighbour turns one name into the other.
    private static func isSlip(_ name: [UInt8], _ other: [UInt8]) -> Bool {
        guard abs(name.count - other.count) <= 1 else { return false }
        let same = zip(name, other).prefix { $0 == $1 }.count
        let (rest, otherRest) = (name.dropFirst(same), other.dropFirst(same))
        if name.count < other.count { return rest.elementsEqual(otherRest.dropFirst()) }
        if name.count > other.count { return rest.dropFirst().elementsEqual(otherRest) }
        if rest.dropFirst().elementsEqual(otherRest.dropFirst()) { return true }
        return rest.count > 1 && rest.first == otherRest.dropFirst().first && rest.dropFirst().first == otherRest.first
            && rest.dropFirst(2).elementsEqual(otherRest.dropFirst(2))
    }

    // MARK: Explaining

    private func difference(_ skeleton: HostSkeleton, _ host: String, _ real: Real) -> LookAlike.Difference {
        let other = HostSkeleton(real.host)
        if ".\(host).".contains(".\(real.host).") || host.hasPrefix(real.host) { return .embedded }
        if skeleton.stemText == other.stemText { return .otherSuffix }
        if skeleton.isInternational { return .international }
        if host.hasPrefix("\(other.stemText).") { return .embedded }
        let plain = { (text: String) in text.filter { !"-_.".contains($0) } }
        if plain(skeleton.stemText) == plain(other.stemText) { return .separators }
        if plain(host) == plain(real.host) || plain(skeleton.stemText) == plain(real.host) { return .separators }
        if skeleton.stem == other.stem { return .confusable }
        let brand = other.brand
        if !host.contains(other.brandText), skeleton.words.contains(brand) { return .confusable }
        let isSlip = Self.isSlip(skeleton.stem, other.stem) || skeleton.words.contains { Self.isSlip($0, brand) }
        return isSlip && !skeleton.words.contains(brand) ? .misspelt : .words
    }
}
