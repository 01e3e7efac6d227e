public import PaymentCore
import PayrailsProvider

/// Payrails on a merchant's server: opens sessions for its app, asks about payments, calls them off, gives money back
/// and reads notifications. Sessions are opened, and money that was set aside is taken, with its
/// ``client(over:clock:random:)``.
///
/// Payments are called by the ids of their executions, as `PayrailsProvider` calls them in the app. It holds the
/// merchant's secrets, so it has no place in an app.
public struct PayrailsMerchant: PaymentService {
    /// `payrails-merchant`, the id of a merchant that is not given another.
    public static let id: ProviderID = "payrails-merchant"

    /// What this merchant is called in registries and journals, and in the references of its payments.
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
    ///   - id: another one for each account, workflow or environment in one registry or journal, and the same for ever.
    ///   - endpoint: where the service is.
    ///   - credentials: the client id and its secret.
    ///   - captureMode: when the workflow takes what was authorised, as the portal has it.
    ///   - workflow: the workflow's code, such as `payout`.
    ///   - workspace: the workspace's id; clients that belong to one need it.
    ///   - notificationSecrets: the secrets of the addresses that notifications are sent to, one for each. Without any,
    ///     no notification is genuine.
    ///   - notificationLifetime: how far the time in a notification may be from the clock's. Undelivered ones are sent
    ///     again for about six hours.
    ///   - timeout: the time allowed for one request.
    ///   - clock: tells how old a notification is.
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

    /// Returns the calls that are no part of a payment's life in a journal.
    ///
    /// - Parameters:
    ///   - http: how requests are sent.
    ///   - clock: tells when an access token has ended, and waits for what was asked to show.
    ///   - random: makes the keys of requests that may be meant twice.
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

    /// Who it is. It claims no links.
    public var descriptor: ProviderDescriptor {
        ProviderDescriptor(
            id: id, name: "Payrails for merchants", outboundHosts: [endpoint.baseURL.authority],
            replayWindow: Self.replayWindow)
    }

    /// For how long an interrupted refund is sent again under its key. The service says that it recognises keys, but
    /// not for how long, so this is a choice of ours, as the payer's side has it.
    private static let replayWindow = Duration.seconds(900)

    /// Asks what has become of a payment. Money that is only set aside is pending until it is captured.
    ///
    /// - Returns: the outcome by the service's own word.
    /// - Throws: ``PaymentError`` when the service cannot be asked or speaks of another payment.
    public func status(of payment: PaymentReference, in context: ProviderContext) async throws -> PaymentOutcome {
        try await client(context).found(payment).outcome(of: payment, mode: captureMode)
    }
}
