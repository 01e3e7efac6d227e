/// The permissions that an app or device would get by an approval, to be shown to the user.
public struct PaykitAdmission: Sendable, Hashable {
    /// The app's own, unverified name; nil where it states none.
    public let app: String?
    /// The permissions.
    public let capabilities: [PubkyCapability]
    /// The relay that carries the approval to the app: the origin of its address; nil where none does.
    public let relay: String?
    /// The addresses that are opened afterwards, by the app's choice.
    public let callbacks: [String]

    init(app: String?, _ capabilities: [PubkyCapability], relay: String? = nil, callbacks: [String?]) {
        self.app = app
        self.capabilities = capabilities
        self.relay = relay
        self.callbacks = callbacks.compactMap(\.self)
    }

    /// The folders with a meaning for money and identity, and what an app that may write there can do.
    private static let powers = [
        ("/pub/paykit.app/", "receive payments in your name"), ("/pub/paykit/", "receive payments in your name"),
        ("/pub/pubky.app/", "change your public profile"),
    ]

    /// The acts in the user's name that the permissions allow, in sentences for the user, the gravest first.
    public var powers: [String] {
        var found: [String] = []
        func add(_ text: String) { if !found.contains(text) { found.append(text) } }
        for capability in capabilities where capability.canWrite {
            if capability.scope == "/" { add("do everything in your name, also admit other apps") }
            for (folder, text) in Self.powers
            where folder.hasPrefix(capability.scope) || capability.scope.hasPrefix(folder) { add(text) }
        }
        for capability in capabilities
        where capability.canRead
            && ["/", "/priv/"].contains(where: {
                $0.hasPrefix(capability.scope) || capability.scope.hasPrefix("/priv/")
            })
        {
            add("read what only you can read")
        }
        for capability in capabilities {
            let acts = [capability.canRead ? "read" : nil, capability.canWrite ? "write" : nil].compactMap(\.self)
            add("\(acts.joined(separator: " and ")) \(capability.scope)")
        }
        return found
    }
}

extension PaykitClient {
    /// Asks for consent to an act by which another app or device gets permissions. Throws ``PaykitError`` without a
    /// consent handler, and the error of the configuration's `consent`.
    func requireConsent(_ act: PaykitSensitiveAct) async throws {
        guard let consent = configuration.consent else {
            throw PaykitError(
                .auth, "nothing is approved without the user: set the configuration's consent, and ask the user there")
        }
        try await consent(act)
    }
}
