import PaykitKit
import PaykitProvider
import PaykitSandbox
import TestSupport

/// What suites of Paykit's client share: a user, and a homeserver in the sandbox.
protocol ClientSuite {
    var sandbox: PubkySandbox { get }
    var clock: VirtualClock { get }
}

extension ClientSuite {
    static var secret: String { String(repeating: "11", count: 32) }
    /// The key of ``secret``.
    static var me: String { "4bfmrcuwfq4ksqoupn6wcfxrh5enr1izdeyszmhfrntuf1mzoh5o" }

    /// Signs the user up, or in.
    func signedIn(_ client: PaykitClient) async throws -> PaykitClient {
        // Homeservers know tokens by key and time: another device is not as quick as a clock that stands.
        clock.advance(by: .milliseconds(1))
        try await client.initialize(secretKeyHex: Self.secret, homeserverPubkey: sandbox.homeserver.text)
        return client
    }

    /// What `work` fails of; nil when it does not.
    func failure(_ work: () async throws -> Void) async -> PaykitNetworkError? {
        do {
            try await work()
            return nil
        } catch { return (error as? PaykitError)?.failure }
    }
}
