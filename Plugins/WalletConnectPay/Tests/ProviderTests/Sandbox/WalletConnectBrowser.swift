import PaymentCore
import PaymentLoopback
import TestSupport
import Testing

/// A payer's details that fulfil the schema.
let goodDetails = [
    "fullName": "Zoë O'Hara", "dob": "1990-02-28", "pobCountry": "US", "pobAddress": "New York, NY",
    "tosConfirmed": "true",
]

extension PayWorld {
    /// Opens a page; only the path and the query of `url` count if the sandbox is called in process.
    func open(_ url: String) async throws -> SeenPage {
        let url = try HTTPURL(url)
        if let server { #expect(url.origin == server.baseURL.origin) }
        return SeenPage(answer: try await send(HTTPRequest(.get, url)))
    }

    /// Sends a form, its hidden inputs and `values`.
    func submit(_ page: SeenPage, _ values: [String: String]) async throws -> SeenPage {
        let hidden = page.inputs.filter { ["pid", "accounts", "theme"].contains($0.key) }
        return try await post(hidden.merging(values) { $1 })
    }

    func post(_ values: [String: String]) async throws -> SeenPage {
        let body = values.map { PercentCoding.encode($0.key) + "=" + PercentCoding.encode($0.value) }
        return try await post(raw: body.joined(separator: "&"))
    }

    func post(raw body: String, type: String = "application/x-www-form-urlencoded") async throws -> SeenPage {
        let base = server?.baseURL.origin ?? "https://pay.walletconnect.com"
        let request = HTTPRequest(
            .post, try HTTPURL(base + "/collect/submit"), headers: ["Content-Type": type], body: Array(body.utf8))
        return SeenPage(answer: try await send(request))
    }
}
