extension PubkySandbox {
    /// How one of the sandbox's users is to be found and paid.
    @nonexhaustive
    public enum Scenario: String, Sendable, Hashable, CaseIterable {
        /// Has an invoice, an address on the chain, a profile and contacts.
        case ready
        /// Has an invoice whose amount the payer chooses.
        case openAmount = "open-amount"
        /// Has a Lightning address instead of an invoice.
        case lightningAddress = "lightning-address"
        /// Has an address on the chain and nothing else.
        case chainOnly = "chain-only"
        /// Publishes endpoints as JSON of the method registry; one of them is switched off.
        case registryJSON = "registry-json"
        /// Publishes endpoints as JSON of Paykit's first generation.
        case firstGenerationJSON = "first-generation-json"
        /// Beside an invoice lie `noise`, `supported.json` and a directory, which are no methods.
        case notMethods = "not-methods"
        /// Has methods that few know, names that are none, and an invoice.
        case unknownMethods = "unknown-methods"
        /// One endpoint is an empty file; the other can be paid.
        case emptyEndpoint = "empty-endpoint"
        /// The invoice can be paid no longer; the address can.
        case expiredInvoice = "expired-invoice"
        /// The profile has names, pictures and links that no profile may have, and contacts that are none.
        case oddProfile = "odd-profile"
        /// The profile is not JSON.
        case brokenProfile = "broken-profile"
        /// The relay brings an older packet, which names another homeserver, to whoever asks again.
        case olderPacket = "older-packet"
        /// The homeserver takes its time.
        case slow
        /// The homeserver loses the first session that is opened.
        case sessionLost = "session-lost"
        /// The homeserver has no room for anything else.
        case quotaFull = "quota-full"
        /// The homeserver lets nothing be written.
        case disabled
        /// The homeserver lists files of others as well.
        case foreignListing = "foreign-listing"
        /// Nobody has this key.
        case unknownKey = "unknown-key"
        /// Is known, but names no homeserver.
        case noHomeserver = "no-homeserver"
        /// Names a homeserver that nobody knows.
        case unknownHomeserver = "unknown-homeserver"
        /// Names a homeserver that is down.
        case homeserverDown = "homeserver-down"
        /// Names a homeserver that can be reached by its key only.
        case homeserverByKeyOnly = "homeserver-by-key-only"
        /// Names a homeserver that refers to another, which refers to the first.
        case homeserversInCircle = "homeservers-in-circle"
        /// The homeserver does not know this user.
        case notSignedUp = "not-signed-up"
        /// Has published nothing.
        case emptyDirectory = "empty-directory"
        /// Endpoints are listed, but gone when they are read (404 and 410).
        case endpointsGone = "endpoints-gone"
        /// Endpoints fail their checksums.
        case brokenEndpoints = "broken-endpoints"
        /// The endpoint is a file of half a megabyte.
        case hugeEndpoint = "huge-endpoint"
        /// Publishes for Paykit's third generation only, as wallets of today do.
        case thirdGeneration = "third-generation"
        /// Publishes as several apps of today; the first has no endpoint.
        case receivers
        /// Publishes as the first apps of the third generation did.
        case flatIdentifiers = "flat-identifiers"
        /// Publishes for the guide's generation and for today's.
        case bothGenerations = "both-generations"
        /// Publishes in a form that is newer than what is spoken here.
        case appRegistry = "app-registry"
        /// The homeserver fails (500).
        case homeserverFails = "homeserver-fails"
        /// The homeserver wants fewer requests (429).
        case homeserverBusy = "homeserver-busy"
        /// The relay is not available (503).
        case relayUnavailable = "relay-unavailable"
        /// The relay wants fewer requests (429).
        case relayBusy = "relay-busy"
        /// The relay brings a packet that somebody else signed.
        case forgedPacket = "forged-packet"
    }
}

extension PubkySandbox.Scenario {
    /// What becomes of a payer who looks for a way to pay.
    @nonexhaustive
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// There is one.
        case payable
        /// Nobody of this key is known, or they name no homeserver.
        case nobody
        /// The user's homeserver cannot be found or reached.
        case unreachable
        /// The user has none that can be used.
        case nothing
        /// A service refuses, fails or lies.
        case error
    }

    /// A few words for people.
    public var summary: String { plan.summary }

    /// What becomes of a payer who looks for a way to pay.
    public var expectedOutcome: Outcome { plan.outcome }

    /// The methods that can be paid, in the order in which payers try them; empty unless it is
    /// ``Outcome/payable``.
    public var expectedMethods: [String] { plan.outcome == .payable ? plan.methods : [] }
}
