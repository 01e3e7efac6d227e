public import PaymentCore
import WalletConnectPayProvider

/// WalletConnect Pay on a merchant's server: asks about payments, calls them off, marks them as refunded and reads
/// webhooks. Payments are made with its ``client(over:clock:)``, merchants and their settlements kept with its
/// ``accounts(over:)``.
///
/// Payments are called by the service's ids (`pay_…`). It holds the partner's API key, so it has no place in an app;
/// payers pay with `WalletConnectPayProvider`, which needs none of it. Both can be registered together, and share a
/// journal. (Protocol 1.)
public struct WalletConnectPayMerchant: PaymentService {
    /// `walletconnect-pay-merchant`, the id of a merchant that is not given another.
    public static let id: ProviderID = "walletconnect-pay-merchant"
    /// The API's address, for both worlds.
    public static let productionURL = GatewayConfiguration.productionURL

    /// What this merchant is called in registries and journals, and in the references of its payments.
    public let id: ProviderID
    /// The service's own id of the merchant.
    public let merchantID: String
    /// Whether its key opens the world of tests or that of real money.
    public var mode: Mode { key.mode }
    let key: Key
    let secrets: [WebhookSecret]
    let baseURL: HTTPURL
    let timeout: Duration
    let clock: any PaymentClock

    /// Creates a merchant.
    ///
    /// - Parameters:
    ///   - id: another one for each merchant or world in one registry or journal, and the same for ever.
    ///   - merchantID: the service's id of the merchant, such as `mrch_…`.
    ///   - key: the partner's API key. It decides between test and live.
    ///   - webhookSecrets: the secrets of the webhook endpoint of the same world; two while one replaces the other,
    ///     none where no webhooks are read.
    ///   - baseURL: where the service is; another one for a sandbox.
    ///   - timeout: the time allowed for one request, without what the service may hold it for.
    ///   - clock: tells how old a webhook is.
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

    /// Returns the calls that are no part of a payment's life with a payer.
    ///
    /// - Parameters:
    ///   - http: how requests are sent.
    ///   - clock: tells how long was waited.
    public func client(over http: any HTTPTransport, clock: any PaymentClock) -> Client {
        Client(merchant: self, api: api(http), clock: clock)
    }

    /// Returns the calls about the partner's merchants and where they are paid out to.
    ///
    /// - Parameter http: how requests are sent.
    public func accounts(over http: any HTTPTransport) -> Accounts { Accounts(service: id, api: api(http)) }

    func api(_ http: any HTTPTransport) -> MerchantAPI {
        MerchantAPI(baseURL: baseURL, key: key.text, merchantID: merchantID, http: http, timeout: timeout)
    }

    /// An id of the service that is sent in a header field or a path.
    static func checked(_ text: String, _ what: String, at provider: ProviderID) throws(PaymentError) -> String {
        let isPlain = text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "-_.:".utf8.contains($0) }
        guard !text.isEmpty, text.utf8.count <= 256, isPlain, text != ".", text != ".." else {
            throw PaymentError(
                .requestRefused, "\(what) has to be letters, digits and - _ . : (at most 256)", provider: provider)
        }
        return text
    }

    /// A payment's id, as the service's own calls take it: `pay_`, letters and digits, at most 64.
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

    /// Who it is. It claims no links. A refund is known by its payment, for ever.
    public var descriptor: ProviderDescriptor {
        ProviderDescriptor(
            id: id, name: "WalletConnect Pay for merchants", outboundHosts: [baseURL.authority],
            replayWindow: .seconds(3650 * 86400))
    }

    /// Asks what has become of a payment.
    ///
    /// - Returns: the outcome by the service's own word.
    /// - Throws: ``PaymentError`` when the service cannot be asked.
    public func status(of payment: PaymentReference, in context: ProviderContext) async throws -> PaymentOutcome {
        let id = try paymentID(payment)
        return try await asMerchant(self.id) { () throws(GatewayError) in try await api(context.http).status(id) }
            .outcome(of: payment)
    }
}

extension WalletConnectPayMerchant: CancellingService {
    /// Calls a payment off that nobody has begun to pay, and says what has become of it.
    ///
    /// - Returns: what has become of the payment.
    /// - Throws: ``PaymentError``; with phase `maybeSent` it may have been called off.
    public func cancel(_ payment: PaymentReference, in context: ProviderContext) async throws -> PaymentOutcome {
        let id = try paymentID(payment)
        let api = api(context.http)
        let before = try await asMerchant(self.id) { () throws(GatewayError) in try await api.status(id) }
        guard !before.isFinal else { return before.outcome(of: payment) }
        do {
            _ = try await context.step("cancel", .mutation(replay: .never)) {
                let answer = try await asMerchant(self.id, isMutation: true) { () throws(GatewayError) in
                    try await api.cancel(id)
                }
                try answer.check(against: id, at: self.id)
                return true
            }
        } catch let failure as PaymentError {
            // Paid just now, called off before, or the answer was lost: the payment itself says which.
            guard let after = try? await api.status(id), after.isFinal else { throw failure }
            return after.outcome(of: payment)
        }
        do throws(GatewayError) { return try await api.status(id).outcome(of: payment) } catch {
            // The question failed, but what it is about was done.
            let error = ErrorTable.walletConnectPayMerchant.paymentError(from: error, isMutation: false, at: self.id)
            throw error.with(
                message: "the payment was cancelled, but its state is not known: \(error.message)", phase: .maybeSent,
                retry: .later)
        }
    }
}
