import Testing

@testable import PaykitProvider

@Suite("Addresses of streams")
struct StreamAddressTests {
    @Test(
        "An address has one spelling, whatever it was read from (RFC 5952)",
        arguments: [
            ("127.0.0.1:80", "127.0.0.1:80"), ("[::1]:80", "[::1]:80"), ("[::]:0", "[::]:0"),
            ("[0:0:0:0:0:0:0:1]:80", "[::1]:80"), ("[2001:DB8::00ff:0]:65535", "[2001:db8::ff:0]:65535"),
            ("[2001:db8:0:1:1:1:1:1]:1", "[2001:db8:0:1:1:1:1:1]:1"),
            ("[2001:0:0:1:0:0:0:1]:1", "[2001:0:0:1::1]:1"), ("[2001:0:0:1:2:0:0:1]:1", "[2001::1:2:0:0:1]:1"),
            ("[fe80::]:9", "[fe80::]:9"), ("[1:2:3:4:5:6:7:8]:9", "[1:2:3:4:5:6:7:8]:9"),
            ("[1:2:3:4:5:6:7::]:9", "[1:2:3:4:5:6:7:0]:9"), ("[::2:3:4:5:6:7:8]:9", "[0:2:3:4:5:6:7:8]:9"),
            ("[64:ff9b::192.0.2.33]:9", "[64:ff9b::c000:221]:9"), ("[::1.2.3.4]:9", "[::102:304]:9"),
            ("[1:2:3:4:5:6:1.2.3.4]:9", "[1:2:3:4:5:6:102:304]:9"), ("[::ffff:1.2.3.4]:9", "1.2.3.4:9"),
            ("[::ffff:102:304]:9", "1.2.3.4:9"),
        ])
    func texts(_ text: String, _ spelling: String) throws {
        let address = try #require(StreamAddress(text))
        #expect(address.description == spelling)
        #expect(StreamAddress(spelling) == address)
    }

    @Test(
        "Nothing else is an address",
        arguments: [
            "", "::1", "[::1]", "[::1]:", "[::1]80", "::1:80", "[::1]:65536", "[::1]:080", "[::1]:+1", "[:::]:1",
            "[1::2::3]:1", "[1:2:3:4:5:6:7]:1", "[1:2:3:4:5:6:7:8:9]:1", "[12345::]:1", "[g::]:1", "[::1%eth0]:1",
            "[::1.2.3]:1", "[::256.1.1.1]:1", "[1.2.3.4]:1", "[::1]:1 ", "[]:1", "[::1]]:1", "localhost:80",
            "[1:2:3:4:5:6:7:1.2.3.4]:1", "[:1]:1", "[1:]:1",
        ])
    func noAddress(_ text: String) { #expect(StreamAddress(text) == nil) }

    @Test("A host's text is an address with brackets or without, and no name is")
    func hosts() {
        for host in ["::1", "[::1]", "0::1"] {
            #expect(StreamAddress(host: host, port: 7) == StreamAddress(.v6(0, 1), port: 7))
        }
        #expect(StreamAddress(host: "127.0.0.1", port: 7) == .loopback(port: 7))
        for host in ["localhost", "", "[::1", "::1]", "127.0.0.1:7", "[127.0.0.1]", "fe80::1%1"] {
            #expect(StreamAddress(host: host, port: 7) == nil, "\(host)")
        }
    }

    @Test(
        "An address that is not on the internet, or leads to one, is not public",
        arguments: [
            "::", "::1", "::ffff:10.0.0.1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "100::1", "2001::1", "2001:1ff::1",
            "2001:db8::1", "2002:7f00:1::", "3fff::1", "3fff:fff::1", "fc00::1", "fd00::2", "fe80::1", "fec0::1",
            "ff02::1", "4000::1", "1fff::1",
        ])
    func reserved(_ host: String) throws {
        #expect(try !#require(StreamAddress(host: host, port: 1)).isPublic)
    }

    @Test("All others are, with a port", arguments: ["2000::1", "2001:200::1", "2a00:1450::1", "3ffe::1", "2003::1"])
    func open(_ host: String) throws {
        #expect(try #require(StreamAddress(host: host, port: 1)).isPublic)
        #expect(try !#require(StreamAddress(host: host, port: 0)).isPublic)
        #expect(try #require(StreamAddress(host: "8.8.8.8", port: 1)).isPublic)
    }
}
