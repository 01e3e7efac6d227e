import PaymentCore
import ServiceSupport
import Testing

/// The pages to which a service may send a payer.
@Suite struct PageAddressTests {
    @Test(
        "This machine, however it is spelt, is for services on this machine",
        arguments: [
            "http://127.0.0.1/", "https://127.0.0.1/", "https://127.255.0.3:8443/x", "http://localhost:80/",
            "https://LOCALHOST/", "https://a.b.localhost/", "https://[::1]/", "https://[0:0:0:0:0:0:0:1]/",
            "https://[0::0001]/", "https://[::ffff:127.0.0.1]/", "https://[::ffff:7f00:1]/", "https://[::127.0.0.1]/",
            "https://[::]/", "https://0.0.0.0/", "https://0.1.2.3/", "https://[::ffff:0.0.0.0]/",
        ])
    func thisMachine(_ text: String) throws {
        let page = try HTTPURL(text)
        #expect(!page.mayBeOpened(by: try HTTPURL("https://api.example/")))
        #expect(!page.mayBeOpened(by: try HTTPURL("https://10.0.0.1/")))
        for service in ["http://127.0.0.1:1/v1/", "https://localhost/", "http://[::1]:8080/"] {
            #expect(page.mayBeOpened(by: try HTTPURL(service)))
        }
    }

    @Test("Elsewhere a page has to be encrypted, whichever service sends there")
    func elsewhere() throws {
        for service in ["https://api.example/", "http://127.0.0.1:1/"] {
            let service = try HTTPURL(service)
            for host in [
                "bank.example", "localhost.example", "notlocalhost", "128.0.0.1", "[2001:db8::1]", "[::2:0:0]",
                "[::ffff:10.0.0.1]", "[fe80::1]", "10.127.0.1", "127.example",
            ] {
                #expect(try HTTPURL("https://\(host)/").mayBeOpened(by: service), "\(host)")
                #expect(try !HTTPURL("http://\(host)/").mayBeOpened(by: service), "\(host)")
            }
        }
    }
}
