import PaymentSettlement

extension RequestFlow {
    /// The step in which a payment gets its name at the settler: an on-disk contract.
    private static let step = "claim"

    /// The settler's key of the payment, as the attempt stores it.
    private struct Name: Codable, Sendable {
        let key: String
        let number: Int
    }

    private enum Status {
        case begun(PrivateLinkClaim)
        case ended(ServiceReport)
    }

    /// Pays the chosen option, once: records the payment in the link's state, has the settler pay, and stores the proof
    /// for sending.
    func pay(_ attempt: PaymentAttempt, _ order: RoutedRequest) async throws -> ServiceReport {
        guard let (endpoint, party) = try place(of: order, attempt) else {
            throw PaymentError(
                .integrity, "the endpoint does not ask for what was chosen; nothing is handed to the settler",
                provider: provider)
        }
        var claim: PrivateLinkClaim?
        // Once the settler may have been asked, only its status counts, whatever the payee has sent since.
        if await !context.hasRun(SettlementFlow.step) {
            switch try await begin(attempt, order, party) {
            case .begun(let begun): claim = begun
            case .ended(let outcome): return outcome
            }
        }
        let name = try await context.step(Self.step, .query) { [claim] in
            guard let claim else {
                throw PaymentError(.integrity, "the attempt has lost its payment's name", provider: provider)
            }
            return Name(key: claim.key, number: claim.number)
        }
        // Another program has received the settler's final status for the attempt's key.
        if let claim, claim.number != name.number { throw changed() }
        let own = self.claim(order, attempt, party, number: name.number)
        let (outcome, paid) = try await SettlementFlow.settle(attempt.known(by: name.key), to: endpoint, in: context) {
            try await handOver(own)
        }
        switch outcome {
        case .succeeded(let receipt): try await keep(receipt.transactionID ?? "", at: paid, own)
        case .declined:
            // Where this cannot be stored, the settler is asked by the same key the next time, and answers the same.
            do throws(PaykitNetworkError) { try await links.failed(own) } catch { context.log(error.message) }
            // In this case it was not the settler that refused.
            if case .cancelled? = try? await links.due(own.requestID, period: own.period, party, check) {
                return .cancelled
            }
        default: break
        }
        return outcome
    }

    /// Stores a paid attempt's proof again where it was lost with the link's state.
    func notifyPayee(_ receipt: PaymentReceipt, of attempt: PaymentAttempt, _ order: RoutedRequest) async throws {
        guard let text = receipt.transactionID, let (chosen, party) = try place(of: order, attempt) else { return }
        // Its proof was checked when it was paid, and may be of an earlier endpoint of the same name.
        let endpoint = SettlementEndpoint(chosen.kind, text: chosen.text, network: chosen.network)
        try await keep(text, at: endpoint, claim(order, attempt, party, number: 0))
    }

    private func claim(
        _ order: RoutedRequest, _ attempt: PaymentAttempt, _ party: PrivateLinkParty, number: Int
    ) -> PrivateLinkClaim {
        PrivateLinkClaim(
            party: party, requestID: order.id, period: order.period, amount: attempt.option.amount,
            endpoint: order.endpoint, number: number, isOpen: true)
    }

    /// Makes the last check before the settler is asked. A claim that is over is abandoned at the settler, so that no
    /// program has it paid.
    private func handOver(_ claim: PrivateLinkClaim) async throws {
        let isGranted: Bool
        do throws(PaykitNetworkError) { isGranted = try await links.handOver(claim) } catch {
            throw paymentError(error)
        }
        guard !isGranted else { return }
        if case .paid = try await abandon(claim) {
            throw PaymentError(
                .unusableOption, "another app that shares this private link has paid the request: resume the attempt",
                provider: provider, phase: .maybeSent, retry: .later)
        }
        throw PaymentError(
            .notSettled,
            "the settler was not asked: the request was cancelled, or another app that shares this private link pays it by "
                + "another try", provider: provider)
    }

    /// Begins the payment, unless that was done before or is no longer allowed.
    private func begin(
        _ attempt: PaymentAttempt, _ order: RoutedRequest, _ party: PrivateLinkParty
    ) async throws -> Status {
        var due: PrivateLinkDue
        do throws(PaykitNetworkError) {
            due = try await links.claim(order.id, period: order.period, at: order.endpoint, party, check)
        } catch { throw paymentError(error) }
        // Nothing is stored of a payment that was lost with the link's state, and another program may still make it.
        if case .cancelled = due { due = try await self.due(order.id, order.period, party) }
        switch due {
        case .begun(let claim):
            guard claim.endpoint == order.endpoint, claim.amount == attempt.option.amount else { throw changed() }
            return .begun(claim)
        case .paid(let proof, let amount): return .ended(.succeeded(receipt(attempt.reference, amount, proof)))
        case .cancelled: return .ended(.cancelled)
        case .expired: throw over()
        case .open: throw changed()
        }
    }

    /// Returns the endpoint and the link of an attempt; nil where the endpoint does not match the chosen option.
    private func place(
        of order: RoutedRequest, _ attempt: PaymentAttempt
    ) throws(PaymentError) -> (SettlementEndpoint, PrivateLinkParty)? {
        guard let payee = try? PubkyKey(bare: order.payee), let app = PaykitReceiverPath(order.app),
            let endpoint = offer(order.endpoint, attempt.option.amount, endsInTime: false)?.offer.endpoint
        else { return nil }
        do throws(PaykitNetworkError) { return (endpoint, try links.party(payee, app)) } catch {
            throw paymentError(error)
        }
    }

    private func changed() -> PaymentError {
        PaymentError(
            .optionChanged, "the payee has sent another way to pay the request, or another app pays it in another way",
            provider: provider)
    }
}

extension PaymentAttempt {
    fileprivate func known(by key: String) -> PaymentAttempt {
        PaymentAttempt(
            id: id, reference: reference, option: option, idempotencyKey: key, startedAt: startedAt,
            expiresAt: expiresAt)
    }
}
