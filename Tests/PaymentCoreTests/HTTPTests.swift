import PaymentCore
import Testing

@Suite("HTTP values")
struct HTTPTests {
    @Test("Header names compare without case; values stay in order")
    func headers() {
        var headers: HTTPHeaders = ["Accept": "a", "accept": "b", "X": "c"]
        #expect(headers["ACCEPT"] == "a")
        #expect(headers.values("aCCept") == ["a", "b"])
        headers["accept"] = "d"
        #expect(headers.values("Accept") == ["d"])
        headers.append("Accept", "e")
        #expect(headers.values("Accept") == ["d", "e"])
        headers["Accept"] = nil
        #expect(headers["accept"] == nil)
        #expect(headers.fields.map(\.name) == ["X"])
    }

    @Test("Only safe methods may be repeated unless the caller says otherwise")
    func replay() throws {
        let url = try HTTPURL("https://a.example")
        #expect(HTTPRequest(.get, url).replay == .safe)
        #expect(HTTPRequest(.init(rawValue: "HEAD"), url).replay == .safe)
        for method in [.post, .put, .patch, .delete, .init(rawValue: "get")] as [HTTPRequest.Method] {
            #expect(HTTPRequest(method, url).replay == .never, "\(method.rawValue)")
        }
        #expect(HTTPRequest(.post, url, replay: .safe).replay == .safe)
    }

    @Test(
        "Parts of a URL",
        arguments: [
            ("https://A.Example", "https://a.example", "https://a.example", 443, "/", nil),
            ("https://a.example:443/x#f", "https://a.example/x", "https://a.example", 443, "/x", nil),
            ("https://a.example/#", "https://a.example/", "https://a.example", 443, "/", nil),
            (
                "http://a.example:8080/x?y=z#f", "http://a.example:8080/x?y=z", "http://a.example:8080", 8080, "/x",
                "y=z"
            ),
            ("http://[::1]:1/", "http://[::1]:1/", "http://[::1]:1", 1, "/", nil),
            ("http://127.0.0.1?", "http://127.0.0.1?", "http://127.0.0.1", 80, "/", nil),
        ] as [(String, String, String, UInt16, String, String?)])
    func url(input: String, text: String, origin: String, port: UInt16, path: String, query: String?) throws {
        let url = try HTTPURL(input)
        #expect(url.text == text)
        #expect(url.origin == origin)
        #expect(url.description == origin)
        #expect(url.port == port)
        #expect(url.path == path)
        #expect((url.query ?? "") == (query ?? ""))
    }

    @Test(
        "What is no HTTP URL",
        arguments: [
            ("ftp://a.example", .missingHost), ("a.example", .missingHost), ("https:a.example", .missingHost),
            ("", .empty), ("https://u@a.example", .userInformation(offset: 9)),
        ] as [(String, LinkDefect)])
    func notURL(text: String, defect: LinkDefect) {
        #expect(throws: defect) { try HTTPURL(text) }
    }

    @Test(
        "Loopback hosts and hosts that only look like it",
        arguments: [
            ("http://localhost/", true), ("http://127.0.0.1/", true), ("http://127.255.1.2:9/", true),
            ("http://[::1]/", true), ("http://LOCALHOST/", true),
            ("http://127.0.0.1.example.com/", false), ("http://localhost.example.com/", false),
            ("http://128.0.0.1/", false), ("http://[::2]/", false), ("http://0.0.0.0/", false),
        ])
    func loopback(text: String, expected: Bool) throws {
        #expect(try HTTPURL(text).isLoopback == expected)
    }

    @Test(
        "A service is called over https, or on this machine",
        arguments: [
            ("https://api.example", true), ("http://127.0.0.1:8080", true), ("http://127.9.9.9", true),
            ("http://[::1]:1/v1", true), ("http://localhost", true), ("http://api.example", false),
            ("http://localhost.example", false), ("http://127.0.0.1.example", false), ("http://10.0.0.1", false),
            ("http://0.0.0.0", false), ("http://[::ffff:127.0.0.1]", false),
        ])
    func service(text: String, isAccepted: Bool) throws {
        guard isAccepted else {
            let error = #expect(throws: LinkDefect.self) { try HTTPURL(service: text) }
            #expect(error == .unencrypted(origin: text))
            #expect(error?.description.contains(text) == true && error?.description.contains("https") == true)
            return
        }
        #expect(try HTTPURL(service: text).origin == HTTPURL(text).origin)
    }

    @Test(
        "A segment that other readers could take for several, or for a step up, is refused",
        arguments: [
            ".", "..", "", "a/../b", "../b", "a/..", "a\\..\\b", "a/./b", "pay\u{0}1", "pay\n1", "pay\u{7F}1",
            "pay\u{85}1",
        ])
    func segments(segment: String) throws {
        let base = try HTTPURL("https://a.example/v1")
        #expect(throws: LinkDefect.self) { try base.appending([segment, "x"]) }
        #expect(throws: LinkDefect.self) { try base.appending(["x", segment]) }
    }

    @Test("Appended segments and items cannot change the URL's shape")
    func appending() throws {
        let base = try HTTPURL("https://a.example/v1/?old=1#f")
        #expect(try base.appending([]).text == "https://a.example/v1")
        #expect(
            try base.appending(["a/b?c#d", "é %"], query: [("k&", "v=&+ "), ("", "")]).text
                == "https://a.example/v1/a%2Fb%3Fc%23d/%C3%A9%20%25?k%26=v%3D%26%2B%20&=")
        #expect(try HTTPURL("https://a.example").appending(["x"]).text == "https://a.example/x")
        #expect(throws: LinkDefect.self) { try base.appending([String(repeating: "x", count: 9000)]) }
    }

    @Test("An address is called with the escapes that its author wrote")
    func escapes() throws {
        let text = "https://a.example/%7e/%2e?sign=%2b%41"
        #expect(try HTTPURL(text).text == text && PaymentLink(text).text == "https://a.example/~/.?sign=%2BA")
    }

    @Test("Items of a query stay as they stand")
    func queryItems() {
        func items(_ query: Substring) -> [String] { QueryItems(query).map { "\($0.name)|\($0.value)" } }
        #expect(items("").isEmpty)
        #expect(items("&&").isEmpty)
        #expect(items("a=1&b&=2&c==&a=%31") == ["a|1", "b|", "|2", "c|=", "a|%31"])
        #expect(QueryItems("a=1&A=2&a=3").values("a") == ["1", "3"])
        #expect(QueryItems("%61=1").values("a").isEmpty)
        let decoded = QueryItems("a=x+y%2B%C3%A9&b=%zz&c=%").map(\.decodedValue)
        #expect(decoded == ["x y+é", nil, nil])
    }

    @Test("Middleware sees requests outermost first and answers last")
    func layers() async throws {
        struct Base: HTTPTransport {
            func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
                HTTPResponse(status: 200, headers: ["Trace": request.headers.values("Trace").joined()])
            }
        }
        struct Layer: HTTPMiddleware {
            let name: String
            func intercept(_ request: HTTPRequest, next: HTTPNext) async throws(TransportError) -> HTTPResponse {
                var request = request
                request.headers.append("Trace", name)
                var response = try await next(request)
                response.headers["Trace"] = (response.headers["Trace"] ?? "") + name
                return response
            }
        }
        let transport = LayeredTransport(Base(), [Layer(name: "1"), Layer(name: "2")])
        let response = try await transport.send(HTTPRequest(.get, HTTPURL("https://a.example")))
        #expect(response.headers["Trace"] == "1221")
    }
}
