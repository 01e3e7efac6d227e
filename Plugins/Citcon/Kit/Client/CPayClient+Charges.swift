import CitconProvider
import PaymentCore
import Synchronization

/// Calls of the vendor's SDK that its guide leaves to the merchant's server: making charges and getting tokens.
extension CPayClient {
    /// Makes a charge of the order, once, and hands the result to `callback` on the main thread.
    ///
    /// The payer is not charged: the charge's token is in `data.chargeToken`, and an order with it is paid with
    /// ``requestOrder(_:callback:)``, once. The access token has to allow it. A lost answer also loses the token,
    /// because the service sends it nowhere else; the message then says to order again under another reference.
    public func generateOrder(_ request: CPayRequest, callback: @escaping CPayOrderCallback) {
        let order = Order(request)
        Task { await callback(await make(order)) }
    }

    /// Makes a charge of the order, once; see ``generateOrder(_:callback:)``.
    ///
    /// - Returns: the charge, its token in `data.chargeToken`; or the reason for its absence.
    public nonisolated(nonsending) func generateOrder(_ request: CPayRequest) async -> CPayResult {
        await make(Order(request))
    }

    private func make(_ order: Order) async -> CPayResult {
        do throws(OrderError) {
            try order.checkToMake()
            let configuration = configuration
            let context = try context(configuration)
            return try await make(order, at: try service(configuration, context), context)
        } catch {
            return CPayResult(
                status: "fail", code: error.code, message: error.message, reference: order.reference, id: nil)
        }
    }

    private func make(
        _ order: Order, at service: CitconService, _ context: ProviderContext
    ) async throws(OrderError) -> CPayResult {
        var whole = order.body.reveal()
        // Required, if only as an empty object (Protocol 2.4).
        whole["urls"] = whole["urls"] ?? [:]
        let body = Redacted(whole)
        let made = Mutex<CitconService.Answer?>(nil)
        do {
            _ = try await context.step("make the charge", .mutation(replay: .never)) {
                let answer = try await service.create(body)
                made.withLock { $0 = answer }
                return true
            }
        } catch let error as CitconCallError {
            guard error.leavesFateOpen else { throw OrderError(error) }
            return await lost(order, error, service)
        } catch { throw OrderError("\(CPayMessage.unknown): stopped by \(type(of: error))") }
        guard let answer = made.withLock({ $0 }) else { throw OrderError(CPayMessage.unknown) }
        if let member = order.terms.difference(fromConfirmed: answer.transaction) {
            throw OrderError("\(CPayMessage.invalidContent): its '\(member)' is not the order's")
        }
        guard let token = answer.transaction.chargeToken?.reveal(), PathSegment.isSafe(token) else {
            throw OrderError("\(CPayMessage.invalidContent): it holds no charge token. \(VendorText.tokenLost)")
        }
        return CPayResult(answer)
    }

    /// Returns the result for a charge whose answer is lost: what the service reports under its reference.
    private func lost(_ order: Order, _ error: CitconCallError, _ service: CitconService) async -> CPayResult {
        let failure = OrderError(error)
        let answer = try? await service.inquire(reference: order.reference ?? "")
        let isIt = answer.map { order.terms.difference(from: $0.transaction) == nil } ?? false
        let found = isIt ? answer : nil
        return CPayResult(
            status: "fail", version: found?.version, app: found?.app,
            data: CPayResultData(
                code: failure.code, message: "\(failure.message). \(VendorText.tokenLost)",
                id: found?.transaction.id, reference: order.reference,
                transaction: found?.transaction ?? TransactionFields()))
    }

    /// Gets an access token for `vendor`, a merchant's private key, and hands it to `onComplete` on the main thread;
    /// nil when there is none. See ``getAccessToken(_:)``.
    public func getAccessToken(_ vendor: String, onComplete: @escaping @MainActor @Sendable (String?) -> Void) {
        Task { await onComplete(await getAccessToken(vendor)) }
    }

    /// Gets an access token for `vendor`, a merchant's private key. For demonstrations only: every user of the
    /// application has its key, so nothing is sent to the environment with real money. Servers use `CitconMerchant`.
    ///
    /// - Returns: the token; nil when the service gives none, and always in production.
    public func getAccessToken(_ vendor: String) async -> String? {
        let configuration = configuration
        let endpoint = configuration.endpoint
        guard !vendor.isEmpty, endpoint.mode != .PROD || endpoint.baseURL.isLoopback,
            let http = try? context(configuration).http
        else { return nil }
        let service = CitconService(
            baseURL: endpoint.baseURL, token: Redacted(vendor), http: http, timeout: configuration.requestTimeout)
        return try? await service.accessToken("server").token.reveal()
    }
}
