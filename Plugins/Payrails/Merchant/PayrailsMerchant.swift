public import PaymentCore
import PayrailsProvider
import ServiceSupport

/// Payrails on a merchant's server: opens sessions for its app, queries payments, cancels and refunds them, and reads
/// notifications. Its ``client(over:clock:random:)`` opens sessions and captures authorised money.
///
/// The reference of a payment has the id of its execution, as with `PayrailsProvider` in the app. This type holds the
/// merchant's secrets, so it must not be part of an app.
public struct PayrailsMerchant: PaymentService {
    /// The default id of a merchant, `payrails-merchant`.
    public static let id: ProviderID = "payrails-merchant"

    /// The merchant's id in registries and journals, and in the references of its payments.
    public let id: ProviderID
    let endpoint: PayrailsEndpoint
    let credentials: PayrailsCredentials
    let workflow: String
    let workspace: String?
    let captureMode: PayrailsCaptureMode
    let notificationSecrets: [Redacted<String>]
    let notificationLifetime: Duration
    let timeout: Duration
    let clock: any PaymentClock
    let tokens = AccessTokenCache()

    /// Creates a merchant.
    ///
    /// - Parameters:
    ///   - id: an id that differs for each account, workflow or environment in one registry or journal, and never
    ///     changes.
    ///   - endpoint: the address of the service.
    ///   - credentials: the client id and its secret.
    ///   - captureMode: the time when the workflow captures authorised money, as set in the portal.
    ///   - workflow: the workflow's code, such as `payout`.
    ///   - workspace: the workspace's id, required for clients that belong to one.
    ///   - notificationSecrets: the secrets of the addresses that receive notifications, one for each. Without any, no
    ///     notification is genuine.
    ///   - notificationLifetime: the maximum difference between the time in a notification and the clock's. The service
    ///     repeats undelivered ones for about six hours.
    ///   - timeout: the time allowed for one request.
    ///   - clock: the clock that determines the age of a notification.
    public init(
        id: ProviderID = PayrailsMerchant.id, endpoint: PayrailsEndpoint, credentials: PayrailsCredentials,
        captureMode: PayrailsCaptureMode, workflow: String = "payment-acceptance", workspace: String? = nil,
        notificationSecrets: [Redacted<String>] = [], notificationLifetime: Duration = .seconds(24 * 3600),
        timeout: Duration = .seconds(20), clock: any PaymentClock = SystemPaymentClock()
    ) {
        self.id = id
        self.endpoint = endpoint
        self.credentials = credentials
        self.captureMode = captureMode
        self.workflow = workflow
        self.workspace = workspace
        self.notificationSecrets = notificationSecrets
        self.notificationLifetime = notificationLifetime
        self.timeout = timeout
        self.clock = clock
    }

    /// Returns the client for calls that are not part of a payment in a journal.
    ///
    /// - Parameters:
    ///   - http: the transport for requests.
    ///   - clock: the clock that determines the expiry of access tokens. Polling waits on it.
    ///   - random: the source of keys for requests that may be repeated on purpose.
    public func client(
        over http: any HTTPTransport, clock: any PaymentClock, random: any RandomSource = SystemRandomSource()
    ) -> PayrailsMerchantClient {
        PayrailsMerchantClient(
            merchant: self,
            calls: MerchantCalls(
                merchant: id, baseURL: endpoint.baseURL, credentials: credentials, workflow: workflow, tokens: tokens,
                http: http, clock: clock, random: random, timeout: timeout))
    }

    func client(_ context: ProviderContext) -> PayrailsMerchantClient {
        client(over: context.http, clock: context.clock, random: context.random)
    }

    /// The merchant's identity. It claims no links.
    public var descriptor: ProviderDescriptor {
        ProviderDescriptor(
            id: id, name: "Payrails for merchants", outboundHosts: [endpoint.baseURL.authority],
            replayWindow: Self.replayWindow)
    }

    /// The time during which an interrupted refund is sent again under its key. The service documents that it
    /// recognises keys, but not for how long: this time is chosen by this library, as on the payer's side.
    private static let replayWindow = Duration.seconds(900)

    /// Queries the report of a payment. Authorised money is pending until it is captured.
    ///
    /// - Returns: the report by the service's own statuses.
    /// - Throws: ``PaymentError`` if the query fails or the answer is about another payment.
    public func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        let client = client(context)
        return await client.report(of: payment, try await client.found(payment))
    }
}

/// The address of the service.
public struct PayrailsEndpoint: Sendable, Hashable {
    /// The address that calls are appended to.
    public let baseURL: HTTPURL

    /// Real money. In production the service also requires a client's certificate, which the transport presents:
    /// `TransportConfiguration.identities`.
    public static let production = PayrailsEndpoint(own: "https://api.payrails.io")
    /// The service's environment for merchants' tests, with separate credentials.
    public static let staging = PayrailsEndpoint(own: "https://api.staging.payrails.io")

    /// Creates the address of another service, such as a sandbox's.
    ///
    /// - Parameter baseURL: the address that calls are appended to; a query is omitted.
    /// - Throws: ``LinkDefect``: it is not a web address, or is `http` to another machine, where the secret would be
    ///   sent unencrypted.
    public init(baseURL: String) throws(LinkDefect) {
        self.baseURL = try HTTPURL(service: baseURL).appending([])
    }

    private init(own text: String) {
        do { self = try PayrailsEndpoint(baseURL: text) } catch {
            preconditionFailure("the service's own address is malformed")
        }
    }
}

/// The merchant's identity at the service: the client of one environment.
public struct PayrailsCredentials: Sendable, Hashable {
    /// The client id, which is part of the address that issues access tokens.
    public let clientID: String
    /// The client secret. It is sent only to that address.
    public let secret: Redacted<String>

    /// Creates credentials.
    public init(clientID: String, secret: Redacted<String>) {
        self.clientID = clientID
        self.secret = secret
    }
}

/// The time when the merchant's workflow captures authorised money. It is set in the portal and must be equal here: it
/// decides whether an authorised payment is a paid one.
@nonexhaustive
public enum PayrailsCaptureMode: String, Sendable, Hashable, Codable, CaseIterable {
    /// With the authorisation, or at once after it: an authorised payment is paid. The service's default.
    case instant = "Instant"
    /// Automatically, some time after the authorisation.
    case delayed = "Delayed"
    /// On the merchant's request, and by the requested amount.
    case manual = "Manual"
}

// MARK: - The client

/// The calls of a merchant's server that are not journaled: opening sessions for its app, and managing its
/// customers' stored instruments.
///
/// ```swift
/// let shop = merchant.client(over: StandardTransport(), clock: SystemPaymentClock())
/// let session = try await shop.open(PayrailsSessionOrder(order: "order-7", holder: "customer-1", amount: amount))
/// ```
public struct PayrailsMerchantClient: Sendable {
    let merchant: PayrailsMerchant
    let calls: MerchantCalls

    /// The maximum number of queries, a second apart, for an action that was just begun to show. After that,
    /// notifications report it.
    static let looks = 5

    var id: ProviderID { merchant.id }

    // MARK: Executions

    /// Returns the execution of `payment`.
    func found(_ payment: PaymentReference) async throws(PaymentError) -> ExecutionRecord {
        try await asMerchant(id) { () throws(CallError) in
            guard PathSegment.isSafe(payment.id) else { throw .unsendable("the payment's id is not one of Payrails'") }
            return try await calls.execution(payment.id)
        }
    }

    /// Queries the execution a few times, until it fulfils `isEnough`; nil if every query fails.
    func look(
        at payment: PaymentReference, until isEnough: (ExecutionRecord) async -> Bool
    ) async -> ExecutionRecord? {
        var last: ExecutionRecord?
        let loop = PollingLoop(clock: calls.clock, limit: .pauses(.seconds(Self.looks - 1)))
        return await loop.run(whenCancelled: { $0 }) { _ in
            guard let now = try? await found(payment) else { return .again(last, after: .seconds(1)) }
            last = now
            return await isEnough(now) ? .last(now) : .again(now, after: .seconds(1))
        }
    }

    /// Returns a key for this client of the service; the same for the same `parts`, in every process.
    func key(_ parts: [String]) -> String {
        IdempotencyKey.make([calls.credentials.clientID, calls.workflow] + parts)
    }

    /// Rejects an invalid amount: zero, in another currency, or above the whole.
    func check(_ amount: Money, against whole: Money?, _ name: String) throws(PaymentError) {
        func unfit(_ message: String) -> PaymentError { PaymentError(.requestRefused, message, provider: id) }
        guard case .fiat(let currency) = amount.currency, amount.exponent == currency.exponent, !amount.isZero else {
            throw unfit("\(name) must be above zero, in a state's currency")
        }
        guard let whole else { return }
        guard whole.currency == amount.currency else {
            throw unfit("\(name) is in another currency than the payment")
        }
        guard amount.minorUnits <= whole.minorUnits else { throw unfit("\(name) is more than the payment") }
    }
}
