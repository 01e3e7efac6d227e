extension PubkySandbox {
    /// A user's behaviour on the network: a name, a summary, what a payer can expect, and what is published.
    ///
    /// Equal names are equal scenarios.
    public struct Scenario: RawRepresentable, CaseIterable, Hashable, Sendable, CustomStringConvertible {
        /// The result for a payer who looks for a way to pay.
        @nonexhaustive
        public enum Outcome: String, Sendable, Hashable, CaseIterable {
            /// There is a way to pay.
            case payable
            /// The key is unknown, or its user names no homeserver.
            case unknownUser = "nobody"
            /// The user's homeserver cannot be found or reached.
            case unreachable
            /// The user has no way to pay that can be used.
            case nothing
            /// A service refuses, fails, or tampers with its answers.
            case error
        }

        /// The name, as the command line takes it.
        public let rawValue: String
        /// A few words for people.
        public let summary: String
        /// The result for a payer who looks for a way to pay.
        public let expectedOutcome: Outcome
        let plan: Plan

        init(_ name: String, _ summary: String, ends outcome: Outcome = .payable, _ plan: Plan = Plan()) {
            (rawValue, self.summary, expectedOutcome, self.plan) = (name, summary, outcome, plan)
        }

        /// Finds the scenario of a name; nil if there is none.
        public init?(rawValue: String) {
            guard let known = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
            self = known
        }

        /// The methods that can be paid, in the order of payers' attempts; empty unless it is
        /// ``Outcome/payable``.
        public var expectedMethods: [String] { expectedOutcome == .payable ? plan.methods : [] }
        /// The name.
        public var description: String { rawValue }
    }
}

extension PubkySandbox.Scenario {
    /// The network's part in a scenario. Unless given, everything is as for an ordinary user, who has an invoice, an
    /// address on the chain, a profile and contacts.
    struct Plan: Sendable {
        /// The content of the user's record.
        enum Record: Sendable {
            /// The sandbox's homeserver.
            case here
            case none
            case withoutHomeserver
            case unknownHomeserver
            case deadHomeserver
            case homeserverByKeyOnly
            case homeserversInCircle
        }

        enum Relay: Sendable {
            case unavailable
            case busy
            case forges
            case goesBack
        }

        enum Server: Sendable {
            case fails
            case isBusy
            case isSlow
            case losesSession
            case isFull
            case isDisabled
            case listsForeign
            /// Nothing of the user is published.
            case knowsNoUser
        }

        /// The content of a file.
        enum Content: Sendable {
            case text(String)
            /// An invoice for this many satoshi; nil leaves it to the payer.
            case invoice(UInt64?)
            case expiredInvoice
            /// An address on the chain.
            case address
            case empty
            /// This many bytes.
            case filler(Int)
            /// Listed, and answered with this status when it is read.
            case refused(Int)
            /// A text with the content of another in place of `%`.
            indirect case framed(String, Content)
            /// The content of another with its last character changed.
            indirect case spoilt(Content)
        }

        /// A file by its path below Paykit's directory, or from the root if it begins with a slash.
        typealias File = (path: String, content: Content)

        enum Profile: Sendable {
            case usual
            case odd
            case broken
        }

        /// The methods that can be paid, best first; without meaning if the user cannot be paid.
        var methods = ["lightning", "onchain"]
        var files = [invoice, address]
        var profile = Profile.usual
        var record = Record.here
        var relay: Relay?
        var server: Server?

        static let invoice: File = ("lightning", .invoice(2100))
        static let address: File = ("onchain", .address)

        /// Returns an endpoint as JSON of the method registry.
        static func registered(_ method: String, _ content: Content, isEnabled: Bool) -> File {
            let rest = #""endpoint":"%","enabled":\#(isEnabled),"updated_at":1767225600000}"#
            return (method, .framed(#"{"method_id":"\#(method)","# + rest, content))
        }
    }
}

extension PubkySandbox.Scenario {
    /// Has an invoice, an address on the chain, a profile and contacts.
    public static let ready = Self("ready", "an invoice, an address on the chain, a profile and contacts")
    /// Has an invoice whose amount the payer chooses.
    public static let openAmount = Self(
        "open-amount", "an invoice whose amount the payer chooses",
        .init(methods: ["lightning"], files: [("lightning", .invoice(nil))]))
    /// Has a Lightning address instead of an invoice.
    public static let lightningAddress = Self(
        "lightning-address", "a Lightning address",
        .init(methods: ["lightning"], files: [("lightning", .text("mina@paykit-sandbox.example"))]))
    /// Has an address on the chain and nothing else.
    public static let chainOnly = Self(
        "chain-only", "an address on the chain only", .init(methods: ["onchain"], files: [Plan.address]))
    /// Publishes endpoints as JSON of the method registry; one of them is switched off.
    public static let registryJSON = Self(
        "registry-json", "endpoints as JSON of the registry, one of them switched off",
        .init(
            methods: ["lightning"],
            files: [
                Plan.registered("lightning", .invoice(2100), isEnabled: true),
                Plan.registered("onchain", .address, isEnabled: false),
            ]))
    /// Publishes endpoints as JSON of Paykit's generation 1.
    public static let firstGenerationJSON = Self(
        "first-generation-json", "endpoints as JSON of generation 1",
        .init(files: [
            ("lightning", .framed(#"{"bolt11":"%"}"#, .invoice(2100))),
            ("onchain", .framed(#"{"p2wpkh":"%"}"#, .address)),
        ]))
    /// Has `noise`, `supported.json` and a directory next to an invoice. These are no methods.
    public static let notMethods = Self(
        "not-methods", "files beside the invoice that are no methods",
        .init(
            methods: ["lightning"],
            files: [
                Plan.invoice,
                (
                    "noise",
                    .text(
                        #"{"host":"pending","port":0,"pubkey":"\#(String(repeating: "4d", count: 32))","#
                            + #""metadata":"{\"provisioned_by\":\"sandbox\"}"}"#)
                ),
                ("supported.json", .framed(#"[{"method_id":"lightning","endpoint":"%"}]"#, .invoice(2100))),
                ("requests/\(String(repeating: "55", count: 32))/request-1", .text("sealed")),
            ]))
    /// Has rarely known methods, invalid names, and an invoice.
    public static let unknownMethods = Self(
        "unknown-methods", "methods that few know, and names that are none",
        .init(
            methods: ["lightning"],
            files: [
                Plan.invoice, ("custom:bolt12", .text("lno1sandbox")), ("paypal", .text("mina")),
                ("LIGHTNING", .text("upper case")), ("two words", .text("a space")),
                (String(repeating: "long-", count: 8), .text("40 characters")),
            ]))
    /// One endpoint is an empty file; the other can be paid.
    public static let emptyEndpoint = Self(
        "empty-endpoint", "an empty file in place of an invoice",
        .init(methods: ["onchain"], files: [("lightning", .empty), Plan.address]))
    /// The invoice has expired; the address can be paid.
    public static let expiredInvoice = Self(
        "expired-invoice", "an invoice that is over, and an address",
        .init(methods: ["onchain"], files: [("lightning", .expiredInvoice), Plan.address]))
    /// The profile has invalid names, pictures, links and contacts.
    public static let oddProfile = Self("odd-profile", "a profile that no profile may be", .init(profile: .odd))
    /// The profile is not JSON.
    public static let brokenProfile = Self("broken-profile", "a profile that is not JSON", .init(profile: .broken))
    /// The relay, asked again, returns an older packet, which names another homeserver.
    public static let olderPacket = Self(
        "older-packet", "a relay that goes back to an older packet", .init(relay: .goesBack))
    /// The homeserver answers slowly.
    public static let slow = Self("slow", "a homeserver that takes its time", .init(server: .isSlow))
    /// The homeserver loses the first session that is opened.
    public static let sessionLost = Self(
        "session-lost", "a homeserver that loses its owner's first session", .init(server: .losesSession))
    /// The homeserver has no room for anything else.
    public static let quotaFull = Self("quota-full", "a homeserver without room for its owner", .init(server: .isFull))
    /// The homeserver permits no writing.
    public static let disabled = Self(
        "disabled", "a homeserver that lets its owner write nothing", .init(server: .isDisabled))
    /// The homeserver lists files of others as well.
    public static let foreignListing = Self(
        "foreign-listing", "a homeserver that lists files of others", .init(server: .listsForeign))
    /// The key belongs to no user.
    public static let unknownKey = Self(
        "unknown-key", "a key that belongs to no user", ends: .unknownUser, .init(record: .none, server: .knowsNoUser))
    /// Is known, but names no homeserver.
    public static let noHomeserver = Self(
        "no-homeserver", "a record without a homeserver", ends: .unknownUser, .init(record: .withoutHomeserver))
    /// Names a homeserver that is unknown.
    public static let unknownHomeserver = Self(
        "unknown-homeserver", "a homeserver that is unknown", ends: .unreachable, .init(record: .unknownHomeserver))
    /// Names a homeserver that is down.
    public static let homeserverDown = Self(
        "homeserver-down", "a homeserver that is down", ends: .unreachable, .init(record: .deadHomeserver))
    /// Names a homeserver that can be reached by its key only.
    public static let homeserverByKeyOnly = Self(
        "homeserver-by-key-only", "a homeserver without a web address", ends: .unreachable,
        .init(record: .homeserverByKeyOnly))
    /// Names a homeserver that refers to another, which refers to the first.
    public static let homeserversInCircle = Self(
        "homeservers-in-circle", "two homeservers that refer to each other", ends: .unreachable,
        .init(record: .homeserversInCircle))
    /// The homeserver does not know this user.
    public static let notSignedUp = Self(
        "not-signed-up", "a homeserver that does not know its user", ends: .nothing, .init(server: .knowsNoUser))
    /// Has published nothing.
    public static let emptyDirectory = Self(
        "empty-directory", "a profile and no endpoints", ends: .nothing, .init(files: []))
    /// Endpoints are listed, but gone when they are read (404 and 410).
    public static let endpointsGone = Self(
        "endpoints-gone", "endpoints that are listed, but gone", ends: .nothing,
        .init(files: [("lightning", .refused(404)), ("onchain", .refused(410))]))
    /// Endpoints fail their checksums.
    public static let brokenEndpoints = Self(
        "broken-endpoints", "endpoints that fail their checksums", ends: .nothing,
        .init(files: [("lightning", .spoilt(.invoice(2100))), ("onchain", .spoilt(.address))]))
    /// The endpoint is a file of half a megabyte.
    public static let hugeEndpoint = Self(
        "huge-endpoint", "an endpoint of half a megabyte", ends: .error,
        .init(files: [("lightning", .filler(1 << 19))]))
    /// The homeserver fails (500).
    public static let homeserverFails = Self(
        "homeserver-fails", "a homeserver that fails (500)", ends: .error, .init(server: .fails))
    /// The homeserver wants fewer requests (429).
    public static let homeserverBusy = Self(
        "homeserver-busy", "a homeserver that wants fewer requests (429)", ends: .error, .init(server: .isBusy))
    /// The relay is not available (503).
    public static let relayUnavailable = Self(
        "relay-unavailable", "a relay that is not available (503)", ends: .error, .init(relay: .unavailable))
    /// The relay wants fewer requests (429).
    public static let relayBusy = Self(
        "relay-busy", "a relay that wants fewer requests (429)", ends: .error, .init(relay: .busy))
    /// The relay returns a packet that another key signed.
    public static let forgedPacket = Self(
        "forged-packet", "a packet that another key signed", ends: .error, .init(relay: .forges))

    /// Every scenario.
    public static let allCases = users + generation3 + services
    private static let users: [Self] = [
        .ready, .openAmount, .lightningAddress, .chainOnly, .registryJSON, .firstGenerationJSON, .notMethods,
        .unknownMethods, .emptyEndpoint, .expiredInvoice, .oddProfile, .brokenProfile, .olderPacket, .slow,
        .sessionLost, .quotaFull, .disabled, .foreignListing, .unknownKey, .noHomeserver, .unknownHomeserver,
        .homeserverDown, .homeserverByKeyOnly, .homeserversInCircle, .notSignedUp, .emptyDirectory, .endpointsGone,
        .brokenEndpoints, .hugeEndpoint,
    ]
    private static let services: [Self] = [
        .homeserverFails, .homeserverBusy, .relayUnavailable, .relayBusy, .forgedPacket,
    ]
}

/// Users of Paykit's generation 3.
extension PubkySandbox.Scenario {
    /// Publishes for Paykit's generation 3 only.
    public static let thirdGeneration = Self(
        "third-generation", "a wallet of generation 3: an invoice and an address",
        .init(methods: Plan.walletMethods, files: Plan.walletFiles))
    /// Publishes as several apps of generation 3; the first has no endpoint.
    public static let receivers = Self(
        "receivers", "several apps of generation 3: an empty wallet, a server, files that are no endpoints",
        .init(
            methods: ["btc-lightning-bolt11"],
            files: [
                Plan.current("aaa/wallet/receiver.json", "{}"),
                Plan.current("shop/server/endpoints/btc-lightning-bolt11", .invoice(2100)),
                Plan.current("shop/server/endpoints/btc-bitcoin-p2tr", #"{"value":"bc1qsomethingelse"}"#),
                Plan.current("shop/server/endpoints/usdt-tron-address", "no JSON"),
                Plan.current("private/shop/server/messages/00/0", "sealed"),
                Plan.current("Not An App/wallet/endpoints/btc-lightning-bolt11", .invoice(1)),
            ]))
    /// Publishes as the first apps of generation 3 did.
    public static let flatIdentifiers = Self(
        "flat-identifiers", "the oldest form of generation 3: identifiers without an app",
        .init(methods: ["btc-lightning-bolt11"], files: [Plan.current("btc-lightning-bolt11", .invoice(2100))]))
    /// Publishes for generations 2 and 3.
    public static let bothGenerations = Self(
        "both-generations", "generations 2 and 3 beside each other, each with its own invoice",
        .init(methods: Plan.walletMethods, files: [Plan.invoice] + Plan.walletFiles))
    /// Publishes in a form that is newer than generation 3.
    public static let appRegistry = Self(
        "app-registry", "a form of Paykit that is newer than generation 3", ends: .nothing,
        .init(files: [
            Plan.current("app-registry.json", #"{"version":1,"kind":"paykit.app_registry","apps":{}}"#),
            Plan.current("apps/bitkit/endpoints/btc-lightning-bolt11", .invoice(2100)),
        ]))

    static let generation3: [Self] = [.thirdGeneration, .receivers, .flatIdentifiers, .bothGenerations, .appRegistry]
}

extension PubkySandbox.Scenario.Plan {
    /// Returns a file below the root of generation 3.
    fileprivate static func current(_ path: String, _ text: String) -> File { ("/pub/paykit/v0/" + path, .text(text)) }

    /// Returns an endpoint of generation 3.
    fileprivate static func current(_ path: String, _ content: Content) -> File {
        ("/pub/paykit/v0/" + path, .framed(#"{"value":"%"}"#, content))
    }

    /// The methods and files of a wallet of generation 3.
    fileprivate static let walletMethods = ["btc-lightning-bolt11", "btc-regtest-p2wpkh"]
    fileprivate static let walletFiles = [
        current("bitkit/wallet/endpoints/btc-lightning-bolt11", .invoice(2100)),
        current("bitkit/wallet/endpoints/btc-regtest-p2wpkh", .address),
    ]
}
