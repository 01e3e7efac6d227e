extension HTTPURL {
    /// True if a browser would look for the host on this machine: ``isLoopback`` and its other spellings, names under
    /// `localhost` (RFC 6761 section 6.3), and the unspecified addresses.
    package var leadsToThisMachine: Bool {
        if isLoopback || host.hasSuffix(".localhost") || host.hasPrefix("0.") { return true }
        guard host.hasPrefix("["), let bits = IPv6Text.read(String(host.dropFirst().dropLast())) else { return false }
        // `::`, `::1`, and addresses of IPv4 within: 127.0.0.0/8 and 0.0.0.0/8.
        guard bits >> 32 == 0xFFFF || bits >> 32 == 0 else { return false }
        let first = UInt8(truncatingIfNeeded: bits >> 24)
        return first == 0x7F || first == 0
    }
}
