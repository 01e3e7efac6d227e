import PaymentCore
import PaymentLoopback
import PaymentTesting
import Testing

@Suite("Sandboxes that share an address")
struct SharedAddressTests {
    private struct Named: SandboxService {
        let name: String
        func respond(to request: HTTPRequest) async -> HTTPResponse {
            HTTPResponse(status: 200, body: Array(name.utf8))
        }
    }

    private let address = SharedAddress([
        .init(Named(name: "gateway"), paths: ["/v1/gateway", "/collect"]),
        .init(Named(name: "charges"), paths: ["/v1/charges"]),
    ])

    @Test(
        "A path leads to who claims it, by whole segments",
        arguments: [
            ("/v1/gateway/payment/p", "gateway"), ("/collect", "gateway"), ("/collect/", "gateway"),
            ("/v1/charges", "charges"), ("/v1/chargesx", nil), ("/v1", nil), ("/", nil), ("/other", nil),
        ])
    func paths(path: String, name: String?) async throws {
        let request = HTTPRequest(.get, try HTTPURL("http://127.0.0.1:1\(path)"))
        let response = await address.respond(to: request)
        #expect(response.status == (name == nil ? 404 : 200))
        #expect(String(decoding: response.body, as: UTF8.self) == name ?? "")
        guard case .response(let answer) = await address.answer(to: request) else { Issue.record("no answer"); return }
        #expect(answer.status == response.status)
    }
}
