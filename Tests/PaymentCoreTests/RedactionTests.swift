import PaymentCore
import Testing

private let secret = "hunter2-9f86d081"

/// Every print of a value omits its secrets.
@Suite("Redaction")
struct RedactionTests {
    struct Card {
        let holder: String
        let number: Redacted<String>
        let code: Redacted<[UInt8]>?
    }

    struct Failure: Error {
        let key: Redacted<String>
        let reason: String
    }

    enum Outcome: Error {
        case refused(Redacted<String>)
    }

    final class Box {
        let inside: Redacted<String>
        init(_ inside: Redacted<String>) { self.inside = inside }
    }

    private static func values() -> [(String, Any)] {
        let hidden = Redacted(secret)
        return [
            ("bare", hidden), ("optional", Optional(hidden) as Any),
            ("nested optional", Optional(Optional(hidden)) as Any),
            ("array", [hidden, hidden]), ("dictionary", ["key": hidden]), ("tuple", (1, hidden)),
            ("struct", Card(holder: "A", number: hidden, code: Redacted(Array(secret.utf8)))),
            ("error", Failure(key: hidden, reason: "no")), ("enum", Outcome.refused(hidden)),
            ("class", Box(hidden)), ("result", Result<Int, Outcome>.failure(.refused(hidden))),
            ("redacted in redacted", Redacted(hidden)),
            ("redacted struct", Redacted(Failure(key: hidden, reason: secret))),
            ("any", hidden as Any), ("existential error", Failure(key: hidden, reason: "no") as any Error),
        ]
    }

    @Test("No printing shows the secret", arguments: values().indices)
    func nothingShows(index: Int) {
        let (name, value) = Self.values()[index]
        let text = everyPrint(of: value)
        #expect(!text.contains(secret), "\(name)")
        #expect(!text.contains("104, 117, 110"), "the bytes of the secret, in \(name)")
        #expect(text.contains("<redacted>"), "\(name)")
    }

    @Test("What is beside the secret still prints")
    func otherFields() {
        #expect(everyPrint(of: Card(holder: "Ada", number: Redacted(secret), code: nil)).contains("Ada"))
    }

    @Test("The value is visible to callers that ask")
    func reveal() {
        #expect(Redacted(secret).reveal() == secret)
        #expect("\(Redacted(secret))" == "<redacted>")
        #expect("\(Redacted(""))" == "\(Redacted(secret))")
    }

    @Test("It has no coded form and no children")
    func noCoding() {
        #expect(!((Redacted(secret) as Any) is any Encodable))
        #expect(Mirror(reflecting: Redacted(secret)).children.isEmpty)
    }

    @Test("Requests, answers and header fields print no content")
    func messages() throws {
        let url = try HTTPURL("https://api.example.com/v1/\(secret)?key=\(secret)#\(secret)")
        let headers: HTTPHeaders = ["Authorization": "Bearer \(secret)", "X-Key": secret]
        let request = HTTPRequest(.post, url, headers: headers, body: Array(secret.utf8))
        let response = HTTPResponse(status: 401, headers: headers, body: Array(secret.utf8))
        for value in [request, response, headers, url, Optional(request) as Any, [response]] as [Any] {
            var text = "\(value)" + String(reflecting: value) + String(describing: value)
            print(value, to: &text)
            debugPrint(value, to: &text)
            // HTTPURL has no secret fields; its stored link is for code that dumps it.
            if !(value is HTTPURL) { dump(value, to: &text) }
            #expect(!text.contains(secret), "\(type(of: value))")
            #expect(!text.contains("104, 117, 110"), "\(type(of: value))")
        }
        #expect(request.description == "POST https://api.example.com (16 bytes)")
        #expect(response.description == "HTTP 401 (16 bytes)")
        #expect(headers.description == "HTTPHeaders(Authorization, X-Key)")
    }

    @Test("A transport error names the origin and what happened")
    func transportError() throws {
        let url = try HTTPURL("https://api.example.com:8443/v1/\(secret)")
        let error = TransportError(.maybeSent, .timedOut, origin: url.origin)
        #expect(error.description == "https://api.example.com:8443: no answer in time; the request may have arrived")
        #expect(!everyPrint(of: error).contains(secret))
        #expect(TransportError(.notSent, .hostNotFound, origin: "o").description.hasSuffix("nothing was sent"))
    }

    @Test(
        "Why a link is refused never repeats the link",
        arguments: ["https://\(secret)@a.example/", "https://a.example:\(secret)", "https://a.example/\(secret)\u{7F}"])
    func linkDefect(link: String) {
        #expect {
            try PaymentLink(link)
        } throws: { error in
            !everyPrint(of: error).contains(secret)
        }
    }
}
