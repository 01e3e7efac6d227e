/// What a scenario makes the network do. Everything not said is as with an ordinary user.
struct PubkyPlan: Sendable {
    /// What the user's record says.
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
        case knowsNobody
    }

    /// What a file holds.
    enum Content: Sendable {
        case text(String)
        /// An invoice for so many satoshi; nil leaves it to the payer.
        case invoice(UInt64?)
        case expiredInvoice
        /// An address on the chain.
        case address
        case empty
        /// So many bytes.
        case filler(Int)
        /// Listed, and answered with this status when it is read.
        case refused(Int)
        /// A text with the content of another in place of `%`.
        indirect case framed(String, Content)
        /// The content of another with its last character changed.
        indirect case spoilt(Content)
    }

    enum Profile: Sendable {
        case usual
        case odd
        case broken
        case none
    }

    let summary: String
    var outcome = PubkySandbox.Scenario.Outcome.payable
    /// The methods that can be paid, best first.
    var methods: [String] = []
    /// Files by their paths below Paykit's directory, or from the root where they begin with a slash.
    var files: [(path: String, content: Content)] = []
    var profile = Profile.usual
    var record = Record.here
    var relay: Relay?
    var server: Server?
}

extension PubkySandbox.Scenario {
    private static let invoice = (path: "lightning", content: PubkyPlan.Content.invoice(2100))
    private static let address = (path: "onchain", content: PubkyPlan.Content.address)

    /// Somebody who can be paid in both ways.
    private static func usual(
        _ summary: String, profile: PubkyPlan.Profile = .usual, relay: PubkyPlan.Relay? = nil,
        server: PubkyPlan.Server? = nil
    ) -> PubkyPlan {
        PubkyPlan(
            summary: summary, methods: ["lightning", "onchain"], files: [invoice, address], profile: profile,
            relay: relay,
            server: server)
    }

    /// Somebody who could be paid in both ways if something were not in the way.
    private static func lost(
        _ summary: String, _ outcome: Outcome, record: PubkyPlan.Record = .here, relay: PubkyPlan.Relay? = nil,
        server: PubkyPlan.Server? = nil
    ) -> PubkyPlan {
        PubkyPlan(
            summary: summary, outcome: outcome, files: [invoice, address], record: record, relay: relay, server: server)
    }

    var plan: PubkyPlan {
        switch self {
        case .ready: Self.usual("an invoice, an address on the chain, a profile and contacts")
        case .openAmount:
            PubkyPlan(
                summary: "an invoice whose amount the payer chooses", methods: ["lightning"],
                files: [("lightning", .invoice(nil))])
        case .lightningAddress:
            PubkyPlan(
                summary: "a Lightning address", methods: ["lightning"],
                files: [("lightning", .text("mina@paykit-sandbox.example"))])
        case .chainOnly:
            PubkyPlan(summary: "an address on the chain only", methods: ["onchain"], files: [Self.address])
        case .thirdGeneration, .receivers, .flatIdentifiers, .bothGenerations, .appRegistry: todayPlan
        case .registryJSON, .firstGenerationJSON, .notMethods, .unknownMethods, .emptyEndpoint, .expiredInvoice:
            formPlan
        case .oddProfile: Self.usual("a profile that no profile may be", profile: .odd)
        case .brokenProfile: Self.usual("a profile that is not JSON", profile: .broken)
        case .olderPacket: Self.usual("a relay that goes back to an older packet", relay: .goesBack)
        case .slow: Self.usual("a homeserver that takes its time", server: .isSlow)
        case .sessionLost: Self.usual("a homeserver that loses its owner's first session", server: .losesSession)
        case .quotaFull: Self.usual("a homeserver without room for its owner", server: .isFull)
        case .disabled: Self.usual("a homeserver that lets its owner write nothing", server: .isDisabled)
        case .foreignListing: Self.usual("a homeserver that lists files of others", server: .listsForeign)
        default: failingPlan
        }
    }

    /// Endpoints in other forms than the usual one.
    private var formPlan: PubkyPlan {
        switch self {
        case .registryJSON:
            PubkyPlan(
                summary: "endpoints as JSON of the registry, one of them switched off", methods: ["lightning"],
                files: [
                    (
                        "lightning",
                        .framed(
                            #"{"method_id":"lightning","endpoint":"%","enabled":true,"updated_at":1767225600000}"#,
                            .invoice(2100))
                    ),
                    (
                        "onchain",
                        .framed(
                            #"{"method_id":"onchain","endpoint":"%","enabled":false,"updated_at":1767225600000}"#,
                            .address)
                    ),
                ])
        case .firstGenerationJSON:
            PubkyPlan(
                summary: "endpoints as JSON of the first generation", methods: ["lightning", "onchain"],
                files: [
                    ("lightning", .framed(#"{"bolt11":"%"}"#, .invoice(2100))),
                    ("onchain", .framed(#"{"p2wpkh":"%"}"#, .address)),
                ])
        case .notMethods:
            PubkyPlan(
                summary: "files beside the invoice that are no methods", methods: ["lightning"],
                files: [
                    Self.invoice,
                    (
                        "noise",
                        .text(
                            #"{"host":"pending","port":0,"pubkey":"\#(String(repeating: "4d", count: 32))","#
                                + #""metadata":"{\"provisioned_by\":\"sandbox\"}"}"#)
                    ),
                    ("supported.json", .framed(#"[{"method_id":"lightning","endpoint":"%"}]"#, .invoice(2100))),
                    ("requests/\(String(repeating: "55", count: 32))/request-1", .text("sealed")),
                ])
        case .unknownMethods:
            PubkyPlan(
                summary: "methods that few know, and names that are none", methods: ["lightning"],
                files: [
                    Self.invoice, ("custom:bolt12", .text("lno1sandbox")), ("paypal", .text("mina")),
                    ("LIGHTNING", .text("upper case")), ("two words", .text("a space")),
                    (String(repeating: "long-", count: 8), .text("40 characters")),
                ])
        case .emptyEndpoint:
            PubkyPlan(
                summary: "an empty file in place of an invoice", methods: ["onchain"],
                files: [("lightning", .empty), Self.address])
        default:
            PubkyPlan(
                summary: "an invoice that is over, and an address", methods: ["onchain"],
                files: [("lightning", .expiredInvoice), Self.address])
        }
    }

    private var failingPlan: PubkyPlan {
        switch self {
        case .unknownKey:
            PubkyPlan(
                summary: "nobody has this key", outcome: .nobody, profile: .none, record: .none, server: .knowsNobody)
        case .noHomeserver: Self.lost("a record without a homeserver", .nobody, record: .withoutHomeserver)
        case .unknownHomeserver: Self.lost("a homeserver that nobody knows", .unreachable, record: .unknownHomeserver)
        case .homeserverDown: Self.lost("a homeserver that is down", .unreachable, record: .deadHomeserver)
        case .homeserverByKeyOnly:
            Self.lost("a homeserver without a web address", .unreachable, record: .homeserverByKeyOnly)
        case .homeserversInCircle:
            Self.lost("two homeservers that refer to each other", .unreachable, record: .homeserversInCircle)
        case .notSignedUp:
            PubkyPlan(
                summary: "a homeserver that does not know its user", outcome: .nothing, profile: .none,
                server: .knowsNobody)
        case .emptyDirectory: PubkyPlan(summary: "a profile and no endpoints", outcome: .nothing)
        case .endpointsGone:
            PubkyPlan(
                summary: "endpoints that are listed, but gone", outcome: .nothing,
                files: [("lightning", .refused(404)), ("onchain", .refused(410))])
        case .brokenEndpoints:
            PubkyPlan(
                summary: "endpoints that fail their checksums", outcome: .nothing,
                files: [("lightning", .spoilt(.invoice(2100))), ("onchain", .spoilt(.address))])
        case .hugeEndpoint:
            PubkyPlan(
                summary: "an endpoint of half a megabyte", outcome: .error, files: [("lightning", .filler(1 << 19))])
        case .homeserverFails: Self.lost("a homeserver that fails (500)", .error, server: .fails)
        case .homeserverBusy: Self.lost("a homeserver that wants fewer requests (429)", .error, server: .isBusy)
        case .relayUnavailable: Self.lost("a relay that is not available (503)", .error, relay: .unavailable)
        case .relayBusy: Self.lost("a relay that wants fewer requests (429)", .error, relay: .busy)
        default: Self.lost("a packet that somebody else signed", .error, relay: .forges)
        }
    }

    /// Endpoints as today's apps publish them.
    private var todayPlan: PubkyPlan {
        let root = "/pub/paykit/v0/"
        let value = #"{"value":"%"}"#
        let wallet = root + "bitkit/wallet/endpoints/"
        let invoice = (path: wallet + "btc-lightning-bolt11", content: PubkyPlan.Content.framed(value, .invoice(2100)))
        let address = (path: wallet + "btc-regtest-p2wpkh", content: PubkyPlan.Content.framed(value, .address))
        let methods = ["btc-lightning-bolt11", "btc-regtest-p2wpkh"]
        switch self {
        case .thirdGeneration:
            return PubkyPlan(
                summary: "a wallet of today: an invoice and an address", methods: methods, files: [invoice, address])
        case .receivers:
            return PubkyPlan(
                summary: "several apps of today: an empty wallet, a server, files that are no endpoints",
                methods: ["btc-lightning-bolt11"],
                files: [
                    (root + "aaa/wallet/receiver.json", .text("{}")),
                    (root + "shop/server/endpoints/btc-lightning-bolt11", .framed(value, .invoice(2100))),
                    (root + "shop/server/endpoints/btc-bitcoin-p2tr", .text(#"{"value":"bc1qsomethingelse"}"#)),
                    (root + "shop/server/endpoints/usdt-tron-address", .text("no JSON")),
                    (root + "private/shop/server/messages/00/0", .text("sealed")),
                    (root + "Not An App/wallet/endpoints/btc-lightning-bolt11", .framed(value, .invoice(1))),
                ])
        case .flatIdentifiers:
            return PubkyPlan(
                summary: "the oldest form of today's: identifiers without an app", methods: ["btc-lightning-bolt11"],
                files: [(root + "btc-lightning-bolt11", .framed(value, .invoice(2100)))])
        case .bothGenerations:
            return PubkyPlan(
                summary: "the guide's generation and today's beside each other, each with an invoice of its own",
                methods: methods,
                files: [Self.invoice, invoice, address])
        default:
            return PubkyPlan(
                summary: "a form of Paykit that is newer than what is spoken here", outcome: .nothing,
                files: [
                    (root + "app-registry.json", .text(#"{"version":1,"kind":"paykit.app_registry","apps":{}}"#)),
                    (root + "apps/bitkit/endpoints/btc-lightning-bolt11", .framed(value, .invoice(2100))),
                ])
        }
    }
}
