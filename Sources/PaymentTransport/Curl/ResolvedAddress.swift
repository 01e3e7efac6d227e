#if canImport(CCurl)
    import CCurl

    /// An address to which a host's name resolved.
    struct ResolvedAddress {
        /// In the order of the network: 4 of IPv4, 16 of IPv6; none for other families.
        let bytes: [UInt8]

        init(bytes: [UInt8]) { self.bytes = bytes }

        init(_ address: UnsafePointer<curl_sockaddr>) {
            var room = [UInt8](repeating: 0, count: 16)
            bytes = Array(room.prefix(Int(ccurl_address(address, &room))))
        }

        /// True for an address of one host on the open network, as the registries of special addresses (RFC 6890) have
        /// it, and not of a private, shared, local or reserved network.
        var isPublic: Bool {
            switch bytes.count {
            case 4: Self.isPublic(bytes)
            // IPv4 in other forms: mapped, translated (RFC 6052).
            case 16 where bytes.starts(with: Self.mapped) || bytes.starts(with: Self.translated):
                Self.isPublic(Array(bytes[12...]))
            // Of IPv6 only 2000::/3 is handed out, with Teredo, 6to4 and examples in it.
            case 16:
                bytes[0] & 0xE0 == 0x20 && !bytes.starts(with: [0x20, 0x01, 0, 0]) && !bytes.starts(with: [0x20, 0x02])
                    && !bytes.starts(with: [0x20, 0x01, 0x0D, 0xB8])
            default: false
            }
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
#endif
