import PaymentCore
import Testing

@Suite("Hosts that a provider may call")
struct OutboundHostsTests {
    private let hosts = OutboundHosts(["api.acme.example", "127.0.0.1:8080", ".pay.example"])

    @Test(
        "Named hosts, and all below a named domain",
        arguments: [
            "https://api.acme.example/x", "http://127.0.0.1:8080/",
            "https://a.pay.example/", "https://a.b.pay.example/", "https://A.PAY.EXAMPLE:443/",
        ])
    func permitted(url: String) throws {
        #expect(hosts.permits(try HTTPURL(url)))
    }

    @Test(
        "Nothing else: not the domain itself, no name that merely ends alike, no other port, nothing unencrypted",
        arguments: [
            "http://api.acme.example/", "https://pay.example/", "https://notpay.example/",
            "https://pay.example.evil.example/",
            "https://xpay.example/", "http://a.pay.example/", "https://a.pay.example:8443/", "https://acme.example/",
            "https://b.api.acme.example/", "https://127.0.0.1/", "http://127.0.0.1:8081/",
            "https://api.acme.example:81/",
        ])
    func refused(url: String) throws {
        #expect(!hosts.permits(try HTTPURL(url)))
    }

    @Test("A star stands for every encrypted host with a name, and for no address and nothing on this machine")
    func anyName() throws {
        let hosts = OutboundHosts(["*", "127.0.0.1:8080"])
        for url in ["https://home.example/", "https://a.home.example:8443/", "http://127.0.0.1:8080/"] {
            #expect(hosts.permits(try HTTPURL(url)), "\(url)")
        }
        for url in [
            "http://home.example/", "https://127.0.0.1/", "https://localhost/", "https://[::1]/", "https://10.0.0.1/",
            "https://router/", "http://127.0.0.1:8081/", "https://x.localhost/", "https://metadata.google.internal/",
            "https://printer.local/", "https://nas.home.arpa/", "https://abc.onion/", "https://0.0.0.0/",
            "https://[::ffff:127.0.0.1]/",
        ] {
            #expect(!hosts.permits(try HTTPURL(url)), "\(url)")
        }
        #expect(OutboundHosts.isWellFormed("*") && hosts.includeThisMachine)
        #expect(!OutboundHosts(["*"]).includeThisMachine)
    }

    private struct Recorder: HTTPTransport {
        func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
            HTTPResponse(status: request.reachesPrivateNetworks ? 200 : 404)
        }
    }

    @Test("A host that a star alone permits is not looked for in private networks, a declared one is")
    func networks() async throws {
        let guarded = GuardedTransport(
            base: Recorder(), hosts: OutboundHosts(["*", "api.acme.example", "127.0.0.1:8080"]))
        for (url, reaches) in [
            ("https://home.example/", false), ("https://api.acme.example:8443/", false),
            ("https://api.acme.example/", true), ("http://127.0.0.1:8080/", true),
        ] {
            #expect(try await guarded.send(HTTPRequest(.get, HTTPURL(url))).status == (reaches ? 200 : 404), "\(url)")
        }
        let declared = GuardedTransport(base: Recorder(), hosts: hosts)
        var request = HTTPRequest(.get, try HTTPURL("https://a.pay.example/"))
        #expect(try await declared.send(request).status == 200)
        request.reachesPrivateNetworks = false
        #expect(try await declared.send(request).status == 404)
    }

    @Test("How entries are written")
    func form() {
        for entry in ["api.acme.example", "127.0.0.1:8080", "localhost", ".pay.example", ".a.pay.example"] {
            #expect(OutboundHosts.isWellFormed(entry), "\(entry)")
        }
        for entry in [
            "", ".", "API.acme.example", "https://acme.example", "acme.example/", ".example", "..pay.example",
            ".pay.example:8080", ".127.0.0.1", ".Pay.example", "*.pay.example",
        ] {
            #expect(!OutboundHosts.isWellFormed(entry), "\(entry)")
        }
    }
}
