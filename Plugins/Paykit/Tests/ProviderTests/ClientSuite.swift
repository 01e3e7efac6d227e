import PaykitKit
import PaykitProvider
import PaykitSandbox
import TestSupport

/// The common parts of the suites of Paykit's client: a user, and a homeserver in the sandbox.
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
        // Homeservers identify tokens by key and time: another sign-in needs another time.
        clock.advance(by: .milliseconds(1))
        try await client.initialize(secretKeyHex: Self.secret, homeserverPubkey: sandbox.homeserver.text)
        return client
    }

    /// The failure of `work`; nil if it succeeds.
    func failure(_ work: () async throws -> Void) async -> PaykitNetworkError? {
        do {
            try await work()
            return nil
        } catch { return (error as? PaykitError)?.failure }
    }
}
