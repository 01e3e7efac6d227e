import PaymentSettlement

/// Requests and the payer's settler, with a router.
extension RequestFlow {
    /// Returns the state of a request after what the payer's settler reports about its payments: those that another
    /// program has begun, and may have abandoned, and those that the link's state has lost. Throws ``PaymentError``
    /// when the status is unknown, or a payment is in flight.
    func due(
        _ id: String, _ period: BillingPeriod?, _ party: PrivateLinkParty
    ) async throws(PaymentError) -> PrivateLinkDue {
        guard let settler = context.payer.settler else { return try await stored(id, period, party) }
        do throws(RequestSettlerError) { try await links.restore(id, period, party, from: settler) } catch {
            throw paymentError(error)
        }
        let due = try await stored(id, period, party)
        guard case .begun(let claim) = due else { return due }
        let report: PrivateLinkFlow.SettlerReport
        do throws(RequestSettlerError) { report = try await links.report(on: claim, from: settler) } catch {
            throw paymentError(error)
        }
        switch report {
        case .paid(let proof, _): return .paid(proof, claim.amount)
        case .nothingBegun where claim.isOpen: return due
        case .nothingBegun: return try await abandon(claim)
        case .nothingSent: return try await stored(id, period, party)
        }
    }

    func abandon(_ claim: PrivateLinkClaim) async throws(PaymentError) -> PrivateLinkDue {
        if let settler = context.payer.settler {
            do throws(RequestSettlerError) {
                if case .paid(let proof, _) = try await links.abandon(claim, at: settler) {
                    return .paid(proof, claim.amount)
                }
            } catch { throw paymentError(error) }
        }
        return try await stored(claim.requestID, claim.period, claim.party)
    }

    /// Stores a payment that the settler has reported in a step, together with the message that carries its proof.
    func keep(_ text: String, at endpoint: SettlementEndpoint, _ claim: PrivateLinkClaim) async throws(PaymentError) {
        let proof: SettlementProof = endpoint.kind.method == "lightning" ? .preimage(text) : .transaction(text)
        let order = SettlementOrder(name: claim.name, endpoint: endpoint, amount: claim.amount, state: .settled(proof))
        do throws(RequestSettlerError) {
            if case .paid(_, isSaid: false) = try await links.store(order, of: claim) {
                context.log("it is paid, but the proof is too long for a message: show it to the payee yourself")
            }
        } catch { throw paymentError(error) }
    }

    private func stored(
        _ id: String, _ period: BillingPeriod?, _ party: PrivateLinkParty
    ) async throws(PaymentError) -> PrivateLinkDue {
        do throws(PaykitNetworkError) { return try await links.due(id, period: period, party, check) } catch {
            throw paymentError(error)
        }
    }

    /// Maps what the settler leaves open to a router's error.
    private func paymentError(_ failure: RequestSettlerError) -> PaymentError {
        switch failure {
        case .noAnswer(let cause):
            PaymentError(
                .payer, "the payer's settler does not say what became of the request's payment", provider: provider,
                retry: .later, cause: cause)
        case .inFlight(let wait):
            PaymentError(
                .unusableOption, "the request is being paid: ask again later", provider: provider, phase: .answered,
                retry: wait.map { .after($0) } ?? .later)
        case .notKnown:
            PaymentError(
                .payer, "the payer's settler does not know the payment that it has abandoned: ask again later",
                provider: provider, retry: .later)
        case .mismatch(let message): PaymentError(.integrity, message, provider: provider, phase: .maybeSent)
        case .notStored(let failure):
            PaymentError(
                .journal,
                "it is paid, but the proof for the payee could not be kept (\(failure.message)): resume the attempt, so "
                    + "that they learn of it", provider: provider, phase: .maybeSent, retry: .later)
        case .link(let failure): paymentError(failure)
        }
    }
}
