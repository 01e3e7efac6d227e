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
    ///   - captureMode: the time at which the workflow captures authorised money, as set in the portal.
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
    ///   - clock: the clock that determines the expiry of access tokens, and on which polling waits.
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
