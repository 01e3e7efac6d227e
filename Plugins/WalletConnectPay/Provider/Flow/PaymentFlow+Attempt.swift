import PaymentCore
import PaymentReview
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension PaymentFlow {
    /// Gathers data if the option requests it, resolves the option's actions, has the payer sign them in order,
    /// confirms once and waits for the settlement.
    func pay(_ attempt: PaymentAttempt) async throws -> ServiceReport {
        let id = attempt.reference.id
        guard let account = attempt.option.account, let signer = context.payer.signer else {
            throw error(.payer, "the payer has no signer")
        }
        guard let stored = try? attempt.option.providerData?.decode(OptionActions.Stored.self) else {
            throw error(.invalidResponse, "the option does not say what the wallet has to do")
        }
        let data = PayerData(stored.collectData, allowsLoopback: configuration.baseURL.isLoopback)
        // This comes first: the service builds no actions before it has the data.
        guard try await data.gather(for: id, in: self) else { return .cancelled }
        let isFresh = Mutex(false)
        let calls = try await context.step("fetch actions", .query) {
            isFresh.withLock { $0 = true }
            return try await mapped { () throws(GatewayError) in
                try await self.calls(of: id, option: attempt.option.id, listed: stored.actions)
            }
        }
        let agreed = AgreedOption(attempt.option, account: account, symbol: stored.symbol)
        let bodies = try calls.map { try $0.decode(WalletCallBody.self) }
        // Review once before any step of the wallet: a rejection here leaves nothing begun. Coins that an earlier
        // version with other review rules sent are gone; the service has to receive their transaction.
        var ends: [Int64] = []
        if await !hasSentCoins(bodies) {
            ends = try await context.step("review calls", .query) {
                let review = try reviewed(calls, agreed, id, isStored: !isFresh.withLock { $0 })
                let now = context.clock.now
                return bodies.indices.map {
                    Int64(OptionActions.signatureEnd(review, of: $0, now: now).timeIntervalSince1970)
                }
            }
        }
        let expiry = Expiry(attempt, context.clock, provider)
        var results: [String] = []
        for (index, call) in bodies.enumerated() {
            // Once a transaction was sent to the chain, the service has to receive it, however late.
            let mayAbandon = !bodies[..<index].contains { $0.method == OptionActions.sendTransaction }
            results.append(
                try await context.step(
                    Self.signing(index, of: calls.count),
                    OptionActions.stepKind(
                        of: call, among: calls.count,
                        until: Date(timeIntervalSince1970: index < ends.count ? Double(ends[index]) : 0))
                ) {
                    if mayAbandon { try expiry.check() }
                    // Review again before each signature: time has passed, and the step may have been stored long ago.
                    let review = try reviewed(calls, agreed, id, isStored: false)
                    return try await sign(
                        SigningRequest(
                            account: account, method: call.method, parameters: call.walletParams, review: review,
                            index: index, count: calls.count), with: signer)
                })
        }
        let mayAbandon = !bodies.contains { $0.method == OptionActions.sendTransaction }
        let confirmed = try await confirm(
            id,
            ConfirmRequestBody(
                optionId: attempt.option.id, results: results.map(ConfirmRequestBody.Result.init(data:)),
                collectedData: data.values)
        ) { if mayAbandon { try expiry.check() } }
        return try await mapped(isMutation: true) { () throws(GatewayError) in
            try await settle(id, confirmed, within: configuration.settlementTimeout)
        }.report(of: attempt.reference)
    }

    private static func signing(_ index: Int, of count: Int) -> String { "sign \(index + 1) of \(count)" }

    private func hasSentCoins(_ calls: [WalletCallBody]) async -> Bool {
        for (index, call) in calls.enumerated()
        where OptionActions.isTransfer(call, among: calls.count) {
            if await context.hasRun(Self.signing(index, of: calls.count)) { return true }
        }
        return false
    }

    /// - Parameter isStored: true if an earlier run fetched the calls and none of them has been signed: calls that do
    ///   not pass the review then require a new choice of option.
    private func reviewed(
        _ calls: [JSONValue], _ option: AgreedOption, _ id: String, isStored: Bool
    ) throws -> SigningReview {
        do throws(GatewayError) {
            return try review(calls, for: option, of: id, payer: context.payer.accounts)
        } catch {
            guard isStored, case .dangerousCalls(let refusal) = error else {
                throw paymentError(from: error)
            }
            throw self.error(
                .optionChanged, "what was stored of the payment is not to be signed any more: \(refusal.reason)",
                cause: error)
        }
    }

    /// Requests a signature. A failing wallet may have broadcast a transaction; only its own error can exclude that.
    private func sign(_ request: SigningRequest, with signer: any PaymentSigner) async throws -> String {
        do { return try await signer.sign(request) } catch let error as PaymentError {
            throw error
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw self.error(
                .payer, "the wallet failed to answer \(request.method) (\(type(of: error)))",
                phase: request.method == OptionActions.sendTransaction ? .maybeSent : .beforeSend, cause: error)
        }
    }
}
