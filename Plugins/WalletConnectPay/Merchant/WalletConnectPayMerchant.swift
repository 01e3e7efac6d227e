public import PaymentCore
import ServiceSupport
import WalletConnectPayProvider

/// WalletConnect Pay on a merchant's server: inquires about payments, cancels them, marks them as refunded and reads
/// webhooks. Its ``client(over:clock:)`` creates payments, its ``accounts(over:)`` manages merchants and their
/// settlements.
///
/// Payments are named by the service's ids (`pay_…`). The partner's API key is part of this value, so it has no place
/// in an app; payers pay with `WalletConnectPayProvider`, which needs no such key. Both can be registered together, and
/// share a journal. (Protocol 1.)
public struct WalletConnectPayMerchant: PaymentService {
    /// `walletconnect-pay-merchant`, the default id of a merchant.
    public static let id: ProviderID = "walletconnect-pay-merchant"
    /// The API's address, for both environments.
    public static let productionURL = GatewayConfiguration.productionURL

    /// The merchant's id in registries and journals, and in the references of its payments.
    public let id: ProviderID
    /// The service's own id of the merchant.
    public let merchantID: String
    /// The environment of its key, test or live.
    public var mode: Mode { key.mode }
    let key: Key
    let secrets: [WebhookSecret]
    let baseURL: HTTPURL
    let timeout: Duration
    let clock: any PaymentClock

    /// Creates a merchant.
    ///
    /// - Parameters:
    ///   - id: unique for each merchant or environment in one registry or journal, and permanent.
    ///   - merchantID: the service's id of the merchant, such as `mrch_…`.
    ///   - key: the partner's API key. It decides between test and live.
    ///   - webhookSecrets: the secrets of the same environment's webhook endpoint; two while one replaces the other,
    ///     none if no webhooks are read.
    ///   - baseURL: the address of the service; another one for a sandbox.
    ///   - timeout: the time allowed for one request, not counting the time that the service may hold it.
    ///   - clock: determines the age of a webhook.
    /// - Throws: ``PaymentError`` when the merchant's id or the address cannot be used.
    public init(
        id: ProviderID = WalletConnectPayMerchant.id, merchantID: String, key: Key,
        webhookSecrets: [WebhookSecret] = [], baseURL: String = WalletConnectPayMerchant.productionURL,
        timeout: Duration = .seconds(30), clock: any PaymentClock = SystemPaymentClock()
    ) throws(PaymentError) {
        self.id = id
        self.merchantID = try Self.checked(merchantID, "the merchant's id", at: id)
        self.key = key
        secrets = webhookSecrets
        do { self.baseURL = try HTTPURL(service: baseURL) } catch {
            throw PaymentError(.requestRefused, "the service's address cannot be used: \(error)", provider: id)
        }
        self.timeout = timeout
        self.clock = clock
    }

    /// Returns the client for calls other than those about an existing payment.
    ///
    /// - Parameters:
    ///   - http: sends the requests.
    ///   - clock: measures the waits.
    public func client(over http: any HTTPTransport, clock: any PaymentClock) -> Client {
        Client(merchant: self, api: api(http), clock: clock)
    }

    /// Returns the calls about the partner's merchants and their settlement destinations.
    ///
    /// - Parameter http: sends the requests.
    public func accounts(over http: any HTTPTransport) -> Accounts { Accounts(service: id, api: api(http)) }

    func api(_ http: any HTTPTransport) -> MerchantAPI {
        MerchantAPI(baseURL: baseURL, key: key.text, merchantID: merchantID, http: http, timeout: timeout)
    }

    /// Returns an id of the service that is sent in a header field or a path.
    static func checked(_ text: String, _ what: String, at provider: ProviderID) throws(PaymentError) -> String {
        let isPlain = text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "-_.:".utf8.contains($0) }
        guard !text.isEmpty, text.utf8.count <= 256, isPlain, text != ".", text != ".." else {
            throw PaymentError(
                .requestRefused, "\(what) has to be letters, digits and - _ . : (at most 256)", provider: provider)
        }
        return text
    }

    /// Returns a payment's id, as the service's own calls take it: `pay_`, letters and digits, at most 64 characters.
    func paymentID(_ payment: PaymentReference) throws(PaymentError) -> String {
        let id = payment.id
        let isPlain = id.utf8.dropFirst(4).allSatisfy { $0.isASCIILetter || $0.isASCIIDigit }
        guard payment.provider == self.id, id.hasPrefix("pay_"), (5...64).contains(id.utf8.count), isPlain else {
            throw PaymentError(
                .requestRefused, "payments of WalletConnect Pay are called pay_ and up to 60 letters and digits",
                provider: self.id)
        }
        return id
    }

    /// The merchant's identity. It claims no links. A refund is permanently identified by its payment.
    public var descriptor: ProviderDescriptor {
        ProviderDescriptor(
            id: id, name: "WalletConnect Pay for merchants", outboundHosts: [baseURL.authority],
            replayWindow: .seconds(3650 * 86400))
    }

    /// Asks for the status of a payment.
    ///
    /// - Returns: the report, as reported by the service.
    /// - Throws: ``PaymentError`` when the inquiry fails.
    public func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        let id = try paymentID(payment)
        return try await asMerchant(self.id) { () throws(GatewayError) in try await api(context.http).status(id) }
            .report(of: payment)
    }
}

extension WalletConnectPayMerchant: CancellingService {
    /// Cancels a payment whose buyer has not begun to pay, and asks for the report.
    ///
    /// - Returns: the report of the payment.
    /// - Throws: ``PaymentError``; with phase `maybeSent` the payment may have been cancelled.
    public func cancel(_ payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        let id = try paymentID(payment)
        let api = api(context.http)
        let before = try await asMerchant(self.id) { () throws(GatewayError) in try await api.status(id) }
        guard !before.isFinal else { return before.report(of: payment) }
        do {
            _ = try await context.step("cancel", .mutation(replay: .never)) {
                let answer = try await asMerchant(self.id, isMutation: true) { () throws(GatewayError) in
                    try await api.cancel(id)
                }
                try answer.check(against: id, at: self.id)
                return true
            }
        } catch let failure as PaymentError {
            // Paid just now, cancelled before, or the answer was lost: the payment's own state decides.
            guard let after = try? await api.status(id), after.isFinal else { throw failure }
            return after.report(of: payment)
        }
        do { return try await status(of: payment, in: context) } catch let error as PaymentError {
            // The inquiry failed after the cancellation succeeded.
            throw error.with(
                message: "the payment was cancelled, but its state is not known: \(error.message)", phase: .maybeSent,
                retry: .later)
        }
    }
}
