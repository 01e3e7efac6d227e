#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The parts that an application provides to a payment. Each is optional; options that need a missing part are marked
/// before the payer chooses.
///
/// ```swift
/// let payer = Payer(
///     accounts: [try AccountID("eip155:8453:0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf")], signer: wallet,
///     chooser: { quote in await screen.choose(among: quote.options, for: quote.amount) },
///     browser: { page in await screen.show(page.url, until: page.returnURLs) })
/// let outcome = try await router.pay(link, as: payer)
/// ```
///
/// See <doc:Payers> for the use of each part.
public struct Payer: Sendable {
    /// Picks an option from a quote, or nil to decline. Options that the payer cannot fulfil must not be picked.
    public typealias Chooser = @Sendable (PaymentQuote) async throws -> PaymentMethodOption.ID?
    /// Returns the amount to pay if the payee leaves it open, or nil to decline.
    public typealias AmountChooser = @Sendable (AmountRequest) async throws -> Money?
    /// Gathers data about the payer, or nil to decline.
    public typealias DataCollector = @Sendable (DataRequest) async throws -> [String: Redacted<String>]?
    /// Shows a page and returns when the payer has left it: the return URL when the application caught one, nil
    /// otherwise. It proves nothing; providers ask their service.
    public typealias Browser = @Sendable (PageRequest) async throws -> PaymentLink?
    /// Opens another app and returns when the payer is back, with the return URL when the application caught one.
    public typealias AppLauncher = @Sendable (AppRequest) async throws -> PaymentLink?
    /// Shows a code for another device to scan. Returns as soon as it is shown; the provider then asks its service.
    public typealias CodeDisplay = @Sendable (CodeRequest) async throws -> Void

    /// The accounts the payer can pay from.
    public var accounts: [AccountID]
    /// Signs with those accounts.
    public var signer: (any PaymentSigner)?
    /// Picks an option. Without one, ``policy`` does; without either, nothing is paid that needs a choice.
    public var chooser: Chooser?
    /// Takes an option if there is no ``chooser``.
    public var policy: OptionPolicy?
    /// Gathers data about the payer.
    public var dataCollector: DataCollector?
    /// Shows a page.
    public var browser: Browser?
    /// Opens another app.
    public var appLauncher: AppLauncher?
    /// Shows a code.
    public var codeDisplay: CodeDisplay?
    /// Returns the amount to pay if the payee leaves it open. Called while such a payment is quoted.
    public var amountChooser: AmountChooser?
    /// Pays endpoints with the payer's own money: Lightning invoices, coin addresses.
    public var settler: (any PaymentSettler)?

    /// True if no policy and no limit decides, because the text that is paid is not clear.
    package private(set) var isAlwaysAsked = false

    /// The payer for a decision by a person: without a policy, and regardless of all limits.
    package var alwaysAsked: Payer {
        var payer = self
        payer.policy = nil
        payer.isAlwaysAsked = true
        return payer
    }

    /// Creates a payer.
    public init(
        accounts: [AccountID] = [], signer: (any PaymentSigner)? = nil, chooser: Chooser? = nil,
        dataCollector: DataCollector? = nil, browser: Browser? = nil, appLauncher: AppLauncher? = nil,
        codeDisplay: CodeDisplay? = nil, policy: OptionPolicy? = nil, settler: (any PaymentSettler)? = nil,
        amountChooser: AmountChooser? = nil
    ) {
        self.accounts = accounts
        self.signer = signer
        self.chooser = chooser
        self.policy = policy
        self.dataCollector = dataCollector
        self.browser = browser
        self.appLauncher = appLauncher
        self.codeDisplay = codeDisplay
        self.settler = settler
        self.amountChooser = amountChooser
    }

    /// Returns true if the payer can do what an option needs.
    ///
    /// - Parameter need: one of the needs of an option.
    public func canFulfil(_ need: PayerNeed) -> Bool {
        switch need {
        case .signing(let method): signer?.supports(method: method) ?? false
        case .data: dataCollector != nil
        case .page: browser != nil
        case .app: appLauncher != nil
        case .code: codeDisplay != nil
        case .settlement(let kind, let network): settler?.canSettle(kind, on: network) ?? false
        }
    }

    /// Those of `needs` that the payer cannot fulfil.
    package func unmet(of needs: [PayerNeed]) -> [PayerNeed] { needs.filter { !canFulfil($0) } }
}

/// Something an option asks of the payer.
@nonexhaustive
public enum PayerNeed: Sendable, Hashable, Codable {
    /// A wallet call of this method, such as `eth_signTypedData_v4`.
    case signing(method: String)
    /// Data about the payer.
    case data
    /// A page shown to the payer.
    case page
    /// Another app of this name, such as `WeChat Pay`.
    case app(name: String)
    /// A code shown to the payer.
    case code
    /// A settler that pays endpoints of this kind, on the network that their text names.
    case settlement(SettlementEndpoint.Kind, network: String?)
}

extension PayerNeed: CustomStringConvertible {
    /// A few words for people.
    public var description: String {
        switch self {
        case .signing(let method): "a wallet that can do \(method)"
        case .data: "data about the payer"
        case .page: "a page shown to the payer"
        case .app(let name): "the app \(name)"
        case .code: "a code shown to the payer"
        case .settlement(let kind, let network):
            "a settler that can pay \(kind)\(network.map { " on \($0)" } ?? "")"
        }
    }
}

/// Answers wallet calls by signing, or by signing and broadcasting. Keys stay inside.
public protocol PaymentSigner: Sendable {
    /// Returns true if ``sign(_:)`` can answer calls of this method.
    ///
    /// - Parameter method: the name of a wallet's call, such as `eth_signTypedData_v4`.
    func supports(method: String) -> Bool

    /// Answers a wallet's call.
    ///
    /// - Parameter request: the call, with the review of its effects if there is one.
    /// - Returns: the result as the wallet's RPC would return it: a signature, a transaction hash, a JSON object.
    /// - Throws: ``PaymentError`` with code ``PaymentError/Code/cancelled`` when the payer declines; any error of the
    ///   wallet.
    func sign(_ request: SigningRequest) async throws -> String
}

/// One wallet call.
public struct SigningRequest: Sendable, Hashable {
    /// The account that must answer it.
    public let account: AccountID
    /// The RPC method.
    public let method: String
    /// The method's parameters, as the service sent them.
    public let parameters: JSONValue
    /// The effects of the whole list that this call belongs to: show it before answering. Nil from providers that
    /// review nothing; a wallet should then refuse, or show the parameters as unreadable.
    public let review: SigningReview?
    /// The position of this call in the reviewed list, counted from 0.
    public let index: Int
    /// The number of calls in the list.
    public let count: Int

    /// Creates a request.
    public init(
        account: AccountID, method: String, parameters: JSONValue, review: SigningReview? = nil, index: Int = 0,
        count: Int = 1
    ) {
        self.account = account
        self.method = method
        self.parameters = parameters
        self.review = review
        self.index = index
        self.count = count
    }
}

/// Data that a service asks of the payer, as fields or as its own form.
public struct DataRequest: Sendable, Hashable {
    /// One field.
    public struct Field: Sendable, Hashable, Codable {
        /// The kinds of input.
        @nonexhaustive
        public enum Kind: String, Sendable, Hashable, Codable {
            /// Any text.
            case text
            /// A calendar date, `YYYY-MM-DD`.
            case date
            /// `true` or `false`.
            case checkbox
        }

        /// The id under which the value is submitted.
        public let id: String
        /// The name for people.
        public let name: String
        /// The kind of input.
        public let kind: Kind
        /// True if it must be filled in.
        public let isRequired: Bool

        /// Creates a field.
        public init(id: String, name: String, kind: Kind, isRequired: Bool) {
            self.id = id
            self.name = name
            self.kind = kind
            self.isRequired = isRequired
        }
    }

    /// The fields.
    public let fields: [Field]
    /// The service's own form, when it has one.
    public let formURL: HTTPURL?

    /// Creates a request.
    public init(fields: [Field], formURL: HTTPURL? = nil) {
        self.fields = fields
        self.formURL = formURL
    }
}

/// A question to the payer for an amount.
public struct AmountRequest: Sendable, Hashable {
    /// The payee, as far as is known.
    public let payee: Payee
    /// The unit of the answer: no other currency and no other exponent is taken.
    public let currency: Currency
    /// The least that the payee takes.
    public let minimum: Money?
    /// The payee's suggestion.
    public let suggested: Money?

    /// Creates a request.
    public init(payee: Payee, currency: Currency, minimum: Money? = nil, suggested: Money? = nil) {
        self.payee = payee
        self.currency = currency
        self.minimum = minimum
        self.suggested = suggested
    }
}

// Actions of a payer outside of the application. Each is a value: an app presents it in its own way.

/// A page that the payer has to see.
public struct PageRequest: Sendable, Hashable {
    /// The page.
    public let url: HTTPURL
    /// The URLs, without their queries, by which the payer returns; empty when the page does not lead back.
    public let returnURLs: [String]

    /// Creates a request.
    public init(url: HTTPURL, returnURLs: [String] = []) {
        self.url = url
        self.returnURLs = returnURLs
    }
}

/// Another app that the payer has to confirm in.
public struct AppRequest: Sendable, Hashable {
    /// The app's name for people.
    public let name: String
    /// The URL that opens it, if one can be built; otherwise ``payload`` is for the app's own SDK.
    public let url: Redacted<String>?
    /// The input of the app's own SDK, by the names its vendor uses.
    public let payload: Redacted<[String: String]>
    /// The URLs, without their queries, by which the payer returns.
    public let returnURLs: [String]

    /// Creates a request.
    public init(
        name: String, url: Redacted<String>?, payload: Redacted<[String: String]> = Redacted([:]),
        returnURLs: [String] = []
    ) {
        self.name = name
        self.url = url
        self.payload = payload
        self.returnURLs = returnURLs
    }
}

/// A code that the payer has to scan with another device.
public struct CodeRequest: Sendable, Hashable {
    /// The text of the QR code.
    public let text: Redacted<String>
    /// The end of its validity.
    public let expiresAt: Date?

    /// Creates a request.
    public init(text: Redacted<String>, expiresAt: Date? = nil) {
        self.text = text
        self.expiresAt = expiresAt
    }
}
