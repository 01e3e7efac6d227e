public import PaymentCore
import PaymentTesting

extension PayrailsSandbox {
    /// The behaviour of a simulated payer on the pages of a payment.
    @nonexhaustive
    public enum PayerBehaviour: String, Sendable, Hashable, CaseIterable {
        /// Proves their identity, agrees, pays.
        case completes
        /// Cannot prove their identity, or cannot pay. At PayPal, which has no such answer, the same as `cancels`.
        case fails
        /// Cancels on the page.
        case cancels
        /// Closes the page without an answer.
        case leaves
    }

    /// Returns a payer who opens this sandbox's pages and answers them with `behaviour`.
    public nonisolated func payer(_ behaviour: PayerBehaviour = .completes) -> Payer {
        Self.payer(behaviour, transport: SandboxTransport(self))
    }

    /// Returns a payer who opens pages through `transport`, such as those of a sandbox served on loopback.
    public static func payer(_ behaviour: PayerBehaviour = .completes, transport: any HTTPTransport) -> Payer {
        Payer(
            dataCollector: { _ in behaviour == .completes ? card : nil },
            browser: { request in try await browse(request, behaviour, transport) }, policy: .firstWhateverItCosts)
    }

    /// A card for tests, as the fields of the vendor's form.
    private static let card = [
        "card_number": "4111111111111111", "expiry_month": "12", "expiry_year": "2033", "security_code": "123",
        "cardholder_name": "Ada Example",
    ].mapValues { Redacted($0) }

    /// Opens the page and answers it.
    ///
    /// - Returns: the address of the page's redirect, if it is one of the request's return URLs.
    private static func browse(
        _ request: PageRequest, _ behaviour: PayerBehaviour, _ transport: any HTTPTransport
    ) async throws -> PaymentLink? {
        var url = request.url
        var response = try await transport.send(HTTPRequest(.get, url))
        // The waiting page redirects the payer.
        for _ in 0..<3 {
            guard response.status == 303, let location = response.headers["Location"] else { break }
            if let link = try returned(location, request) { return link }
            url = try HTTPURL(location)
            response = try await transport.send(HTTPRequest(.get, url))
        }
        guard response.status == 200, behaviour != .leaves else { return nil }
        let page = String(decoding: response.body, as: UTF8.self)
        let answer: PageAnswer =
            switch behaviour {
            case .completes: .complete
            case .fails where page.contains("value=\"fail\""): .fail
            case .fails, .cancels, .leaves: .cancel
            }
        guard page.contains("value=\"\(answer.rawValue)\"") else { return nil }
        let reply = HTTPRequest(
            .post, url, headers: ["Content-Type": "application/x-www-form-urlencoded"],
            body: Array("answer=\(answer.rawValue)".utf8))
        return try await transport.send(reply).headers["Location"].flatMap { try returned($0, request) }
    }

    private static func returned(_ location: String, _ request: PageRequest) throws -> PaymentLink? {
        let address = location.prefix { $0 != "?" && $0 != "#" }
        guard request.returnURLs.contains(String(address)) else { return nil }
        return try PaymentLink(location)
    }
}
