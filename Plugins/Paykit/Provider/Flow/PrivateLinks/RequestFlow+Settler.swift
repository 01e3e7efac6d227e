import PaykitPubky
import PaymentCore
import PaymentCrypto
import PaymentSettlement

/// Requests and the payer's settler: what it reports about their payments is stored with the link's state.
extension RequestFlow {
    /// The most attempts at one request whose loss is made good.
    static let mostLost = 64

    /// A settler's report about a payment, which is stored.
    private enum Report {
        /// The settler knows of no such payment: it may still be requested.
        case nothingBegun
        /// Nothing was sent, and nothing will be.
        case nothingSent
        case paid(PaykitProof)
    }

    /// Returns the state of a request after what the payer's settler reports about its payments: those that another
    /// program has begun, and may have abandoned, and those that the link's state has lost.
    ///
    /// - Throws: ``PaymentError`` when the status is unknown, or a payment is in flight.
    func due(
        _ id: String, _ period: BillingPeriod?, _ party: PrivateLinkParty
    ) async throws -> PrivateLinkDue {
        try await restore(id, period, party)
        let due = try await stored(id, period, party)
        guard case .begun(let claim, let amount) = due, context.payer.settler != nil else { return due }
        switch try await report(claim, amount, party) {
        case .paid(let proof): return .paid(proof, amount)
        case .nothingBegun where claim.isOpen: return due
        case .nothingBegun: return try await abandon(claim, amount, party)
        case .nothingSent: return try await stored(id, period, party)
        }
    }

    /// Ends a payment of a closed request: the settler is asked for the promise that nothing is sent for it.
    func abandon(_ claim: PrivateLinkClaim, _ amount: Money, _ party: PrivateLinkParty) async throws -> PrivateLinkDue {
        let name = claim.name(party)
        _ = try await answer { try await $0.abandon(name) }
        switch try await report(claim, amount, party) {
        case .paid(let proof): return .paid(proof, amount)
        case .nothingSent: return try await stored(claim.requestID, claim.period, party)
        case .nothingBegun:
            throw PaymentError(
                .payer, "the payer's settler does not know the payment that it has abandoned: ask again later",
                provider: provider, retry: .later)
        }
    }

    /// Stores again what the settler knows of a request of which no payment is stored: a link's state may be lost, and
    /// its payments are not. Each attempt at a request has a name, and the next begins when nothing was sent by the
    /// last.
    private func restore(_ id: String, _ period: BillingPeriod?, _ party: PrivateLinkParty) async throws {
        guard context.payer.settler != nil else { return }
        let unpaid: (claim: PrivateLinkClaim, amount: Money, isClosed: Bool)?
        do throws(PaykitNetworkError) { unpaid = try await links.unpaid(id, period: period, party) } catch {
            throw paymentError(error)
        }
        guard let unpaid else { return }
        for number in 0..<Self.mostLost {
            let claim = unpaid.claim.numbered(number)
            switch try await report(claim, unpaid.amount, party) {
            case .nothingSent: continue
            case .nothingBegun where unpaid.isClosed: _ = try await abandon(claim, unpaid.amount, party)
            case .nothingBegun, .paid: break
            }
            return
        }
    }

    private func stored(
        _ id: String, _ period: BillingPeriod?, _ party: PrivateLinkParty
    ) async throws(PaymentError) -> PrivateLinkDue {
        do throws(PaykitNetworkError) { return try await links.due(id, period: period, party, check) } catch {
            throw paymentError(error)
        }
    }

    // MARK: Questions

    /// Asks the settler for a payment by its name, and stores the report.
    private func report(
        _ claim: PrivateLinkClaim, _ amount: Money, _ party: PrivateLinkParty
    ) async throws -> Report {
        let name = claim.name(party)
        guard let order = try await answer({ try await $0.order(named: name) }) ?? nil else { return .nothingBegun }
        switch order.state {
        case .settled(let settled):
            try order.requireAmount(amount)
            // The first endpoint of the name was paid, and not always the claim's.
            let known = offer(claim.endpoint, amount, endsInTime: false)?.offer.endpoint
            guard let paid = order.endpoint ?? known else {
                throw PaymentError(.integrity, "what was begun to be paid cannot be read any more", provider: provider)
            }
            let proof = try proof(settled.text, paid)
            try await keep(proof, paid == known ? claim : claim.at(paid.text), party)
            return .paid(proof)
        case .nothingSent, .settledElsewhere:
            do throws(PaykitNetworkError) { try await links.failed(claim, party) } catch { throw paymentError(error) }
            return .nothingSent
        case .inFlight(let wait):
            throw PaymentError(
                .unusableOption, "the request is being paid: ask again later", provider: provider, phase: .answered,
                retry: wait.map { .after($0) } ?? .later)
        }
    }

    /// Returns the settler's answer to a question; nil without a settler.
    private func answer<Answer: Sendable>(
        _ ask: @Sendable (any PaymentSettler) async throws -> Answer
    ) async throws(PaymentError) -> Answer? {
        guard let settler = context.payer.settler else { return nil }
        do { return try await ask(settler) } catch {
            throw PaymentError(
                .payer, "the payer's settler does not say what became of the request's payment", provider: provider,
                retry: .later, cause: error)
        }
    }

    // MARK: Proofs

    /// Returns the settler's result as a proof for the payee, if it is sound.
    func proof(_ text: String, _ endpoint: SettlementEndpoint) throws(PaymentError) -> PaykitProof {
        let proof: PaykitProof
        if endpoint.kind.method == "lightning" {
            let hash = endpoint.paymentHash ?? Hex.encode(Digest.sha256.hash(Hex.decode(text) ?? []))
            proof = .preimage(text, paymentHash: hash)
        } else {
            proof = .transaction(text)
        }
        guard proof.isSound else {
            throw PaymentError(
                .integrity,
                "the payer's settler says that it paid, but its proof does not fit the request: look into the wallet "
                    + "before you pay again", provider: provider, phase: .maybeSent)
        }
        return proof
    }

    /// Stores a proof in one step with the message that carries it.
    func keep(_ proof: PaykitProof, _ claim: PrivateLinkClaim, _ party: PrivateLinkParty) async throws(PaymentError) {
        do throws(PaykitNetworkError) {
            let isSent = try await links.keep(
                proof, of: claim.requestID, period: claim.period, at: claim.endpoint, party)
            if !isSent {
                context.log("it is paid, but the proof is too long for a message: show it to the payee yourself")
            }
        } catch {
            throw PaymentError(
                .journal,
                "it is paid, but the proof for the payee could not be kept (\(error.message)): resume the attempt, so "
                    + "that they learn of it", provider: provider, phase: .maybeSent, retry: .later)
        }
    }
}
