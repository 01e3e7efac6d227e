#if canImport(CCurl)
    import CCurl
    import PaymentCore

    /// An address to which a host's name resolved.
    struct ResolvedAddress {
        /// In the order of the network: 4 of IPv4, 16 of IPv6; none for other families.
        let bytes: [UInt8]

        init(bytes: [UInt8]) { self.bytes = bytes }

        init(_ address: UnsafePointer<curl_sockaddr>) { self.init { ccurl_address(address, $0) } }

        /// - Parameter digits: The address of a connection, as libcurl states it.
        init(digits: UnsafePointer<CChar>?) { self.init { ccurl_address_in(digits, $0) } }

        /// - Parameter read: Writes the bytes, and returns their number.
        private init(_ read: (UnsafeMutablePointer<UInt8>) -> Int32) {
            var room = [UInt8](repeating: 0, count: 16)
            // Not within one expression: what is called on an array there sees it as it was before.
            let count = room.withUnsafeMutableBufferPointer { $0.baseAddress.map(read) ?? 0 }
            bytes = Array(room.prefix(Int(count)))
        }

        /// True for an address of one host on the open network, as the registries of special addresses (RFC 6890) have
        /// it, and not of a private, shared, local or reserved network.
        var isPublic: Bool {
            if let v4 { return Self.isPublic(v4) }
            // Of IPv6 only 2000::/3 is handed out, with Teredo, 6to4 and examples in it.
            return bytes.count == 16 && bytes[0] & 0xE0 == 0x20 && !bytes.starts(with: [0x20, 0x01, 0, 0])
                && !bytes.starts(with: [0x20, 0x02]) && !bytes.starts(with: [0x20, 0x01, 0x0D, 0xB8])
        }

        /// True for an address of this machine or its link.
        var isNear: Bool {
            if let v4 { return v4[0] == 127 || v4[0] == 0 || v4[0] == 169 && v4[1] == 254 }
            guard bytes.count == 16 else { return false }
            return bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
                || bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] < 2
        }

        /// The bytes of IPv4, also in other forms: mapped, translated (RFC 6052).
        private var v4: [UInt8]? {
            if bytes.count == 4 { return bytes }
            guard bytes.starts(with: Self.mapped) || bytes.starts(with: Self.translated) else { return nil }
            return Array(bytes[12...])
        }

        private static let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
        private static let translated: [UInt8] = [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]

        private static func isPublic(_ v4: [UInt8]) -> Bool {
            switch (v4[0], v4[1], v4[2]) {
            case (0, _, _), (10, _, _), (127, _, _), (224..., _, _): false
            case (100, 64...127, _), (169, 254, _), (172, 16...31, _), (192, 168, _), (198, 18...19, _): false
            case (192, 0, 0), (192, 0, 2), (198, 51, 100), (203, 0, 113): false
            default: true
            }
        }
    }

    /// The addresses to which one request may be sent. The owner of a name decides where it leads: the name of another
    /// host never leads to the programs of this machine.
    struct AddressRule {
        /// True for a host that is called by a name or address of this machine, and for a proxy.
        var takesAll = false
        var takesPrivate = true

        /// Returns the reason for which nothing is sent to `address`; nil if it may be.
        func refusal(of address: ResolvedAddress) -> TransportError.Reason? {
            if takesAll { return nil }
            if address.isNear { return Self.near }
            return takesPrivate || address.isPublic ? nil : Self.privateNetwork
        }

        private static let near = TransportError.Reason.connectFailed(
            "its name leads to this machine or to its own link; a service of this machine is called localhost")
        private static let privateNetwork = TransportError.Reason.connectFailed(
            "its name leads into a private network, where hosts that others choose are not called")
    }
#endif
