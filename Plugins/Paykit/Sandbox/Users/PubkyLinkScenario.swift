import PaykitProvider

extension PubkySandbox {
    /// The behaviour of a user's app on private links: a name, a summary, the result for a user who links with it, and
    /// what the app does.
    ///
    /// Equal names are equal scenarios.
    public struct LinkScenario: RawRepresentable, CaseIterable, Hashable, Sendable, CustomStringConvertible {
        /// The result for a user who links with the app, pays what it asks for or offers, and asks it for payments.
        @nonexhaustive
        public enum Outcome: String, Sendable, Hashable, CaseIterable {
            /// The app is paid, and a receipt arrives.
            case paid
            /// The app is paid, and no receipt arrives.
            case unreceipted
            /// The app pays what it is asked for.
            case pays
            /// The link stands, and nothing can be paid over it.
            case unpaid
            /// The app shows another key: nothing is paid before the user has confirmed it.
            case keyChanged = "key-changed"
            /// The link stays unfinished.
            case waiting
            /// There is no app to link with, or it cannot be read.
            case unreachable
        }

        /// The name.
        public let rawValue: String
        /// A few words for people.
        public let summary: String
        /// The result for the other user.
        public let expectedOutcome: Outcome
        let plan: Plan

        init(_ name: String, _ summary: String, ends outcome: Outcome, _ plan: Plan) {
            (rawValue, self.summary, expectedOutcome, self.plan) = (name, summary, outcome, plan)
        }

        /// Finds the scenario of a name; nil if there is none.
        public init?(rawValue: String) {
            guard let known = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
            self = known
        }

        /// The name.
        public var description: String { rawValue }
    }
}

extension PubkySandbox.LinkScenario {
    /// The app's part in a scenario. Unless given, it pays what it is asked for, and issues receipts.
    struct Plan: Sendable {
        /// A request that the app sends once on each link.
        struct Request: Sendable {
            var way = Way.invoice
            var reference = "tea"
            var asset = "btc"
            /// The unit of its recurrence; nil for one payment.
            var unit: PrivateLinkRecurrence.Unit?
            /// True if it can no longer be accepted when it arrives.
            var isLate = false
        }

        /// The endpoint that the app sends. An invoice may be over ten times the amount, of the main network, or
        /// expired.
        enum Way: Sendable { case invoice, address, otherAmount, otherNetwork, expired, none }
        /// The receipts. Announced ones may be missing or unreadable.
        enum Receipts: Sendable { case issued, none, missing, unreadable }
        /// The answer to the other user's requests.
        enum Answer: Sendable { case pays, accepts, rejects, ignores }
        enum Cancellation: Sendable { case atOnce, afterPayment }
        enum Fault: Sendable {
            case silent, noApp, noKey, laterForm, severalApps, otherKey, losesState, losesFiles, spoilsFiles
            case serverFails, storageFull
        }

        var asks: Request?
        /// The endpoint that it sends without a request.
        var offers: Way?
        /// True if it asks again at the invoice that was paid.
        var reusesInvoice = false
        var cancels: Cancellation?
        var receipts = Receipts.issued
        var answers = Answer.pays
        var fault: Fault?
    }
}

extension PubkySandbox.LinkScenario {
    static let asks = Self("asks", "asks for a payment", ends: .paid, .init(asks: .init()))
    static let asksEveryDay = Self(
        "asks-every-day", "asks for a payment every day", ends: .paid, .init(asks: .init(unit: .day)))
    static let asksOnChain = Self(
        "asks-on-chain", "asks for a payment on the chain", ends: .paid, .init(asks: .init(way: .address)))
    static let offers = Self(
        "offers", "sends an invoice for this user alone, and asks for nothing", ends: .unreceipted,
        .init(offers: .invoice))
    static let pays = Self("pays", "pays what it is asked for", ends: .pays, .init())
    static let losesState = Self(
        "loses-state", "loses what it has stored, and begins anew", ends: .paid,
        .init(asks: .init(), fault: .losesState))
    static let losesFiles = Self(
        "loses-files", "sends messages whose files are lost", ends: .paid, .init(asks: .init(), fault: .losesFiles))
    static let spoilsFiles = Self(
        "spoils-files", "sends messages whose files are damaged", ends: .paid,
        .init(asks: .init(), fault: .spoilsFiles))
    static let cancelsLater = Self(
        "cancels-later", "asks for a payment every day, and cancels after the first one", ends: .paid,
        .init(asks: .init(unit: .day), cancels: .afterPayment))
    static let reusesInvoice = Self(
        "reuses-invoice", "asks for a second payment at the invoice of the first", ends: .paid,
        .init(asks: .init(), reusesInvoice: true))
    static let noReceipt = Self(
        "no-receipt", "takes a payment without a receipt", ends: .unreceipted, .init(asks: .init(), receipts: .none))
    static let missingReceipt = Self(
        "missing-receipt", "announces a receipt that is not there", ends: .unreceipted,
        .init(asks: .init(), receipts: .missing))
    static let unreadableReceipt = Self(
        "unreadable-receipt", "announces a receipt that cannot be read", ends: .unreceipted,
        .init(asks: .init(), receipts: .unreadable))
    static let cancels = Self(
        "cancels", "asks for a payment, and cancels it", ends: .unpaid, .init(asks: .init(), cancels: .atOnce))
    static let asksTooLate = Self(
        "asks-too-late", "asks for a payment that can be accepted no longer", ends: .unpaid,
        .init(asks: .init(isLate: true)))
    static let asksForDollars = Self(
        "asks-for-dollars", "asks for dollars", ends: .unpaid, .init(asks: .init(asset: "usd")))
    static let otherAmount = Self(
        "other-amount", "asks for a payment, at an invoice over ten times as much", ends: .unpaid,
        .init(asks: .init(way: .otherAmount)))
    static let otherNetwork = Self(
        "other-network", "asks for a payment, at an invoice of the main network", ends: .unpaid,
        .init(asks: .init(way: .otherNetwork)))
    static let expiredInvoice = Self(
        "expired-invoice", "asks for a payment, at an invoice that is over", ends: .unpaid,
        .init(asks: .init(way: .expired)))
    static let noEndpoint = Self(
        "no-endpoint", "asks for a payment without any way to pay it", ends: .unpaid, .init(asks: .init(way: .none)))
    static let rejects = Self("rejects", "rejects what it is asked for", ends: .unpaid, .init(answers: .rejects))
    static let accepts = Self(
        "accepts", "accepts what it is asked for, and does not pay", ends: .unpaid, .init(answers: .accepts))
    static let ignores = Self(
        "ignores", "does not answer what it is asked for", ends: .unpaid, .init(answers: .ignores))
    static let otherKey = Self(
        "other-key", "asks for a payment, and shows another key then", ends: .keyChanged,
        .init(asks: .init(), fault: .otherKey))
    static let silent = Self("silent", "accepts links, and never looks at them", ends: .waiting, .init(fault: .silent))
    static let storageFull = Self(
        "storage-full", "has no room for its messages", ends: .waiting, .init(fault: .storageFull))
    static let serverFails = Self(
        "server-fails", "has a homeserver that fails", ends: .unreachable, .init(fault: .serverFails))
    static let noApp = Self("no-app", "has no app that accepts links", ends: .unreachable, .init(fault: .noApp))
    static let noKey = Self("no-key", "has an app that is too old for links", ends: .unreachable, .init(fault: .noKey))
    static let laterForm = Self(
        "later-form", "has an app that is newer than generation 3", ends: .unreachable, .init(fault: .laterForm))
    static let severalApps = Self(
        "several-apps", "has two apps that accept links", ends: .unreachable, .init(fault: .severalApps))

    /// All scenarios, in the order of the pages.
    public static let allCases: [Self] = [
        .asks, .asksEveryDay, .asksOnChain, .offers, .pays, .losesState, .losesFiles, .spoilsFiles, .cancelsLater,
        .reusesInvoice, .noReceipt, .missingReceipt, .unreadableReceipt, .cancels, .asksTooLate, .asksForDollars,
        .otherAmount, .otherNetwork, .expiredInvoice, .noEndpoint, .rejects, .accepts, .ignores, .otherKey, .silent,
        .storageFull, .serverFails, .noApp, .noKey, .laterForm, .severalApps,
    ]
}
