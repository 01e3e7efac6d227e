extension HTTPURL {
    /// Returns true if a page at this address may be shown to a payer whom `service` sends to it: an encrypted one
    /// anywhere else, and one on this machine only when the service is on this machine too. A service elsewhere that
    /// leads to this machine targets the programs that listen here.
    ///
    /// - Parameter service: the service that sends the payer there.
    public func mayBeOpened(by service: HTTPURL) -> Bool {
        leadsToThisMachine ? service.isLoopback : isSecure
    }

    /// True if a browser would look for the host on this machine: ``isLoopback`` and its other spellings, names under
    /// `localhost` (RFC 6761 section 6.3), and the unspecified addresses.
    var leadsToThisMachine: Bool {
        if isLoopback || host.hasSuffix(".localhost") || host.hasPrefix("0.") { return true }
        guard host.hasPrefix("["), let bits = IPv6Text.read(String(host.dropFirst().dropLast())) else { return false }
        // `::`, `::1`, and addresses of IPv4 within: 127.0.0.0/8 and 0.0.0.0/8.
        guard bits >> 32 == 0xFFFF || bits >> 32 == 0 else { return false }
        let first = UInt8(truncatingIfNeeded: bits >> 24)
        return first == 0x7F || first == 0
    }
}
