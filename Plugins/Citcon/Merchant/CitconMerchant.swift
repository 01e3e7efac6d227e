public import CitconProvider
public import PaymentCore
import ServiceSupport

/// Citcon on a merchant's server: inquires about charges, cancels them, refunds payments and reads notifications. Its
/// ``client(over:clock:)`` makes and captures charges.
///
/// Payments are named by the merchant's own references. The merchant's private key is part of this value, so it has no
/// place in an app; payers pay with `CitconProvider`, which never sees the key. Both can be registered together, and
/// share a journal.
public struct CitconMerchant: PaymentService {
    /// `citcon-merchant`, the default id of a merchant.
    public static let id: ProviderID = "citcon-merchant"

    /// The merchant's id in registries and journals, and in the references of its payments.
    public let id: ProviderID
    let endpoint: CitconEndpoint
    let privateKey: Redacted<String>
    let timeout: Duration
    let tokens = AccessTokenCache()

    /// Creates a merchant.
    ///
    /// - Parameters:
    ///   - id: unique for each merchant, account or environment in one registry or journal, and permanent.
    ///   - endpoint: the address of the service.
    ///   - privateKey: the merchant's private key (`sk-…`).
    ///   - timeout: the time allowed for one request.
    public init(
        id: ProviderID = CitconMerchant.id, endpoint: CitconEndpoint, privateKey: Redacted<String>,
        timeout: Duration = .seconds(20)
    ) {
        self.id = id
        self.endpoint = endpoint
        self.privateKey = privateKey
        self.timeout = timeout
    }

    /// Returns the client for calls other than those about an existing payment.
    ///
    /// - Parameters:
    ///   - http: sends the requests.
    ///   - clock: decides when an access token has expired.
    public func client(over http: any HTTPTransport, clock: any PaymentClock) -> CitconMerchantClient {
        CitconMerchantClient(
            service: MerchantService(
                id: id, baseURL: endpoint.baseURL, privateKey: privateKey, tokens: tokens, http: http, clock: clock,
                timeout: timeout))
    }

    func client(_ context: ProviderContext) -> CitconMerchantClient {
        client(over: context.http, clock: context.clock)
    }

    /// The merchant's identity. It claims no links.
    public var descriptor: ProviderDescriptor {
        ProviderDescriptor(
            id: id, name: "Citcon for merchants", outboundHosts: [endpoint.baseURL.authority],
            replayWindow: Self.replayWindow)
    }

    /// The time during which an interrupted capture or refund is sent again. The service refuses its reference once it
    /// was used, whenever that was: this time is chosen by this library, so that no old wish is carried out.
    private static let replayWindow = Duration.seconds(24 * 3600)

    /// Asks for the status of a charge. An authorised amount is pending until the merchant captures it.
    ///
    /// - Returns: the report, as reported by the service.
    /// - Throws: ``PaymentError`` when the inquiry fails or the service answers about another charge.
    public func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        try await client(context).found(payment).merchantReport(of: payment)
    }
}

extension CitconMerchant: CancellingService {
    /// Cancels a charge, and asks for the report. The cancellation's own reference is derived from the payment, so a
    /// repetition cancels only once.
    ///
    /// - Returns: the report of the charge.
    /// - Throws: ``PaymentError``; with phase `maybeSent` the charge may have been cancelled.
    public func cancel(_ payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        let client = client(context)
        return try await client.performCancellation(payment, try await client.found(payment)) { body in
            _ = try await context.step("cancel", .mutation(replay: .never)) {
                try await asMerchant(self.id, isMutation: true) { () throws(CitconCallError) in
                    _ = try await client.service.cancel(body)
                }
                return true
            }
        }
    }
}
