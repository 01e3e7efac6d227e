import CitconProvider
package import PaymentCore

/// What an application would keep secret, got from the sandbox, whose keys are no secrets.
package struct SandboxSecrets: SecretStore {
    private let sandbox: HTTPURL
    private let transport: any HTTPTransport

    package init(sandbox: HTTPURL, transport: any HTTPTransport) {
        self.sandbox = sandbox
        self.transport = transport
    }

    /// An access token for Citcon, as an application gets it from its merchant's server; nil for anything else.
    package func secret(_ name: String) async throws -> Redacted<String>? {
        guard name == CitconProvider.accessTokenName() else { return nil }
        let request = HTTPRequest(
            .post, try sandbox.appending(["v1", "access-tokens"]),
            headers: [
                "Authorization": "Bearer \(CitconSandbox.privateKey.reveal())", "Content-Type": "application/json",
            ],
            body: Array(#"{"token_type":"client"}"#.utf8))
        let answer = try await transport.send(request)
        return try JSONValue(parsing: answer.body)["data"]?["access_token"]?.string.map { Redacted($0) }
    }
}
