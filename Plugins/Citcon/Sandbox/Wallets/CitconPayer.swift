public import PaymentCore
import PaymentTesting

extension CitconSandbox {
    /// The behaviour of a simulated payer on every page and in every wallet.
    @nonexhaustive
    public enum Behaviour: String, Sendable, Hashable, CaseIterable {
        /// Pays and returns.
        case pays
        /// Pays and never returns.
        case paysAndStays = "pays-and-stays"
        /// Cancels and returns.
        case cancels
        /// Tries to pay, but the wallet or page fails.
        case fails
        /// Does nothing and never returns.
        case vanishes
    }

    /// Returns a payer with all wallets, for payments at this sandbox. The act of a charge's scenario
    /// (``Scenario/cancelledInWeChat``, …) takes precedence.
    public nonisolated func payer(_ behaviour: Behaviour = .pays) -> Payer {
        CitconPayer(behaviour: behaviour, transport: SandboxTransport(self), origin: nil).payer
    }

    /// Returns a payer with all wallets, for payments only at the sandbox that is served at `origin`.
    public static func payer(
        _ behaviour: Behaviour = .pays, at origin: HTTPURL, over transport: any HTTPTransport
    ) -> Payer {
        CitconPayer(behaviour: behaviour, transport: transport, origin: origin).payer
    }
}

/// A payer's browser and wallets.
struct CitconPayer: Sendable {
    let behaviour: CitconSandbox.Behaviour
    let transport: any HTTPTransport
    /// The only origin that is called; nil if the transport has no other destination.
    let origin: HTTPURL?

    var payer: Payer {
        Payer(
            dataCollector: { data(for: $0) }, browser: { try await browse($0.url) },
            appLauncher: { try await launch($0) },
            codeDisplay: { code in
                guard let url = try? HTTPURL(code.text.reveal()) else {
                    throw failure("the code is no address of a payment page")
                }
                _ = try await browse(url)
            }, policy: .firstWhateverItCosts)
    }

    private var act: CitconAct? {
        switch behaviour {
        case .pays, .paysAndStays: .pay
        case .cancels: .cancel
        case .fails: .fail
        case .vanishes: nil
        }
    }

    /// Returns made-up data, and for a card a nonce that Braintree publishes for tests.
    private func data(for request: DataRequest) -> [String: Redacted<String>]? {
        let nonce: String
        switch behaviour {
        case .pays, .paysAndStays: nonce = "fake-three-d-secure-visa-full-authentication-nonce"
        case .fails: nonce = "fake-processor-declined-visa-nonce"
        case .cancels, .vanishes: return nil
        }
        let known = [
            "nonce": nonce, "pan": "4111111111111111", "cvv": "123", "expiry": "12/33", "first_name": "Ada",
            "last_name": "Example", "email": "ada@example.com", "phone": "+15555550100", "street": "1 Example Street",
            "city": "Vienna", "zip": "1010", "country": "AT",
        ]
        let values = request.fields.map { ($0.id, Redacted(known[$0.id] ?? "sandbox")) }
        return Dictionary(values) { first, _ in first }
    }

    /// Opens a page and presses a button.
    private func browse(_ url: HTTPURL) async throws -> PaymentLink? {
        if let origin, url.origin != origin.origin { throw failure("the page is not at the sandbox") }
        guard let act else { return nil }
        let shown = try await transport.send(HTTPRequest(.get, url))
        guard shown.status == 200, shown.headers["Content-Type"]?.hasPrefix("text/html") == true else {
            throw failure("the page cannot be opened (HTTP \(shown.status))")
        }
        let answer = try await transport.send(
            HTTPRequest(
                .post, url, headers: ["Content-Type": "application/x-www-form-urlencoded"],
                body: Array("act=\(act.rawValue)".utf8)))
        guard behaviour != .paysAndStays, answer.status == 303, let location = answer.headers["Location"] else {
            return nil
        }
        return try PaymentLink(location)
    }

    /// Starts a wallet.
    private func launch(_ request: AppRequest) async throws -> PaymentLink? {
        guard let act else { return nil }
        let body: WireJSON = [
            "act": .text(act.rawValue), "url": .text(orNull: request.url?.reveal()),
            "texts": .array(request.payload.reveal().sorted { $0.key < $1.key }.map { .text($0.value) }),
            "returnURLs": .array(request.returnURLs.map(WireJSON.text)),
        ]
        let base = try origin ?? HTTPURL("https://sandbox.invalid")
        let answer = try await transport.send(
            HTTPRequest(
                .post, try base.appending(["sandbox", "citcon", "wallet"]),
                headers: ["Content-Type": "application/json"], body: body.bytes))
        guard answer.status == 200, let json = try? JSONValue(parsing: answer.body) else {
            throw failure("\(request.name) does not accept what it was started with")
        }
        guard behaviour != .paysAndStays, let url = json["data"]?["returnURL"]?.string else { return nil }
        return try PaymentLink(url)
    }

    private func failure(_ message: String) -> PaymentError {
        PaymentError(.payer, "the simulated payer: \(message)", provider: "citcon")
    }
}
