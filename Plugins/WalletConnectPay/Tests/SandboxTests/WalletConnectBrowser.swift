import Foundation
import PaymentCore
import PaymentLoopback
import WalletConnectPaySandbox
import Testing

/// What a browser sees of a page.
struct SeenPage: Sendable {
    let answer: PayAnswer

    var html: String { answer.text }

    /// The tags with the names of their attributes and nothing else: `<input type name value>`. What a page shows
    /// must not change them.
    var structure: [String] {
        html.matches(of: /<[^>]*>/).map { tag in String(tag.output).replacing(/="[^"]*"/, with: "") }
    }

    /// Names and values of the inputs, as a browser reads them.
    var inputs: [String: String] {
        let pairs = html.matches(of: /name="([^"]*)" value="([^"]*)"/).map { match in
            (String(match.output.1), Self.unescape(match.output.2))
        }
        let choices = html.matches(of: /<select[^>]* name="([^"]*)"[^>]*>(.*?)<\/select>/).map { match in
            let chosen = match.output.2.firstMatch(of: /<option value="([^"]*)" selected>/)?.output.1 ?? ""
            return (String(match.output.1), Self.unescape(chosen))
        }
        return Dictionary(pairs + choices) { first, _ in first }
    }

    /// What the page tells the wallet around it.
    var message: JSONValue? {
        guard let text = html.firstMatch(of: /<main data-message="([^"]*)">/)?.output.1 else { return nil }
        return try? JSONValue(parsing: Array(Self.unescape(text).utf8))
    }

    private static func unescape(_ text: Substring) -> String {
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
            .reduce(String(text)) { $0.replacing($1.0, with: $1.1) }
    }
}

/// A payer's details that fulfil the schema.
let goodDetails = [
    "fullName": "Zoë O'Hara", "dob": "1990-02-28", "pobCountry": "US", "pobAddress": "New York, NY",
    "tosConfirmed": "true",
]

extension PayWorld {
    /// Opens a page; of `url` only path and query count when the sandbox is called in process.
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
