extension HTTPURL {
    /// Returns whether a page here may be shown to a payer whom `service` sends to it: an encrypted one anywhere else,
    /// and one on this machine only when the service is on this machine too. A service elsewhere that leads to this
    /// machine is after what listens here.
    ///
    /// - Parameter service: who sends the payer there.
    public func mayBeOpened(by service: HTTPURL) -> Bool {
        leadsToThisMachine ? service.isLoopback : isSecure
    }

    /// Whether a browser would look for the host on this machine: ``isLoopback`` and its other spellings, names under
    /// `localhost` (RFC 6761 section 6.3), and the unspecified addresses.
    var leadsToThisMachine: Bool {
        if isLoopback || host.hasSuffix(".localhost") || host.hasPrefix("0.") { return true }
        guard host.hasPrefix("["), let groups = Self.groups(host.dropFirst().dropLast()) else { return false }
        let isMapped = groups[..<5].allSatisfy { $0 == 0 } && (groups[5] == 0xFFFF || groups[5] == 0)
        guard isMapped else { return false }
        // `::`, `::1`, and addresses of IPv4 within: 127.0.0.0/8 and 0.0.0.0/8.
        return groups[6] >> 8 == 0x7F || groups[6] >> 8 == 0
    }

    /// The eight groups of an IPv6 address.
    private static func groups(_ text: Substring) -> [UInt16]? {
        func read(_ part: String) -> [UInt16]? {
            var groups: [UInt16] = []
            for word in part.split(separator: ":") {
                if word.contains(".") {
                    let bytes = word.split(separator: ".").compactMap { UInt16($0) }
                    guard bytes.count == 4 else { return nil }
                    groups += [bytes[0] << 8 | bytes[1], bytes[2] << 8 | bytes[3]]
                } else {
                    guard let group = UInt16(word, radix: 16) else { return nil }
                    groups.append(group)
                }
            }
            return groups
        }
        let halves = String(text).replacing("::", with: "|").split(separator: "|", omittingEmptySubsequences: false)
        guard let head = halves.first.flatMap({ read(String($0)) }) else { return nil }
        guard halves.count == 2 else { return head.count == 8 ? head : nil }
        guard let tail = read(String(halves[1])), head.count + tail.count < 8 else { return nil }
        return head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail
    }
}
