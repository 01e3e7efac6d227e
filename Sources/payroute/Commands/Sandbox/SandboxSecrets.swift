import CitconProvider
import PaymentCore
import PaymentSandbox

/// What an application would keep secret, got from the sandbox, whose keys are no secrets.
struct SandboxSecrets: SecretStore {
    let sandbox: HTTPURL
    let transport: any HTTPTransport

    /// An access token for Citcon, as an application gets it from its merchant's server; nil for anything else.
    func secret(_ name: String) async throws -> Redacted<String>? {
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
