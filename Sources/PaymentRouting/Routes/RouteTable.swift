import PaymentCore

/// All patterns of a registry, compiled so that a lookup costs the same however many providers there are.
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
            // Scanned texts are contiguous; this is for a standard library in which they are not.
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

    /// The claim on the longest path first, then that on the whole host.
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

    /// True if a cut at `length` leaves whole segments on both sides.
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

    /// The number of `host`, which is added when it is new.
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
        /// The lengths of the keys, longest first: a search costs one look per length, not per key.
        private var lengths: [Int] = []

        var isEmpty: Bool { claims.isEmpty }

        mutating func insert(_ claim: Claim, _ key: [UInt8]) {
            RouteTable.insert(claim, key, into: &index, &claims)
            if !lengths.contains(key.count) {
                lengths.append(key.count)
                lengths.sort(by: >)
            }
        }

        /// Visits the claims on the prefixes of `bytes`, the longest first, where `isCut` allows that length.
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

extension UnsafeBufferPointer {
    /// The elements from `start` up to `end`.
    @inline(__always)
    fileprivate func part(_ start: UInt16, _ end: UInt16) -> Self {
        Self(rebasing: self[Int(start)..<Int(end)])
    }
}
