import PaymentCrypto
import PaymentSettlement

/// The reason for which a settler's answer about a request's payment states nothing.
enum RequestSettlerError: Error {
    /// The settler could not be asked.
    case noAnswer(any Error)
    /// The payment is on its way, or may be.
    case inFlight(retryAfter: Duration?)
    /// The answer does not fit the request; the text says why.
    case mismatch(String)
    /// It is paid, and that could not be stored.
    case notStored(PaykitNetworkError)
    /// The link's state could not be read or changed.
    case link(PaykitNetworkError)
    /// The settler knows nothing of a payment that it was asked for.
    case notKnown
}

/// The payer's settler: what it reports about payments of requests is stored with the link's state. With a router and
/// without one it is read here.
extension PrivateLinkFlow {
    /// A settler's report about a payment, which is stored.
    enum SettlerReport {
        /// The settler knows of no such payment: it may still be requested.
        case nothingBegun
        /// Nothing was sent, and nothing will be.
        case nothingSent(reason: String?)
        /// It is paid. The message with the proof is queued, unless it would be too long.
        case paid(PaykitProof, isSaid: Bool)
    }

    /// The most attempts at one request whose loss is made good.
    private static let mostLost = 64

    /// Stores again what the settler knows of a request of which no payment is stored: a link's state may be lost, and
    /// its payments are not. Each attempt has a name; the next begins when nothing was sent by the last.
    func restore(
        _ id: String, _ period: BillingPeriod?, _ party: PrivateLinkParty, from settler: any PaymentSettler
    ) async throws(RequestSettlerError) {
        let unpaid: (claim: PrivateLinkClaim, isClosed: Bool)?
        do { unpaid = try await self.unpaid(id, period: period, party) } catch { throw .link(error) }
        guard var claim = unpaid?.claim else { return }
        for number in 0..<Self.mostLost {
            claim.number = number
            switch try await report(on: claim, from: settler) {
            case .nothingSent: continue
            case .nothingBegun where unpaid?.isClosed == true: _ = try await abandon(claim, at: settler)
            case .nothingBegun, .paid: break
            }
            return
        }
    }

    func report(
        on claim: PrivateLinkClaim, from settler: any PaymentSettler
    ) async throws(RequestSettlerError) -> SettlerReport {
        let order: SettlementOrder?
        do { order = try await settler.order(named: claim.name) } catch { throw .noAnswer(error) }
        guard let order, order.state != .registered else { return .nothingBegun }
        return try await store(order, of: claim)
    }

    /// Ends a payment that is over: the settler is asked for the promise that nothing is sent for it.
    func abandon(
        _ claim: PrivateLinkClaim, at settler: any PaymentSettler
    ) async throws(RequestSettlerError) -> SettlerReport {
        do { _ = try await settler.abandon(claim.name) } catch { throw .noAnswer(error) }
        let report = try await report(on: claim, from: settler)
        if case .nothingBegun = report { throw .notKnown }
        return report
    }

    /// Stores what the settler says of a claim. It never returns ``SettlerReport/nothingBegun``.
    func store(
        _ order: SettlementOrder, of claim: PrivateLinkClaim
    ) async throws(RequestSettlerError) -> SettlerReport {
        switch order.state {
        case .settled(let settled):
            // Another amount is another payment.
            do throws(PaymentError) { try order.requireAmount(claim.amount) } catch { throw .mismatch(error.message) }
            // The first endpoint of the name was paid, and not always the claim's.
            guard let paid = order.endpoint, let proof = Self.proof(settled, of: paid) else {
                throw .mismatch(
                    "the payer's settler says that it paid, but its proof does not fit the request: look into the wallet "
                        + "before you pay again")
            }
            let endpoint = PaykitEndpoint(methodID: claim.endpoint.methodID, endpoint: paid.text)
            do {
                return .paid(proof, isSaid: try await keep(proof, of: claim, at: endpoint))
            } catch { throw .notStored(error) }
        case .nothingSent, .settledElsewhere:
            do { try await failed(claim) } catch { throw .link(error) }
            if case .nothingSent(let reason) = order.state { return .nothingSent(reason: reason) }
            return .nothingSent(reason: "the invoice was paid for something else")
        case .inFlight(let wait): throw .inFlight(retryAfter: wait)
        case .registered: throw .notKnown
        }
    }

    /// Returns the settler's proof as the payee takes it; nil where it is none of a payment at `endpoint`.
    private static func proof(_ settled: SettlementProof, of endpoint: SettlementEndpoint) -> PaykitProof? {
        let isLightning = endpoint.kind.method == "lightning"
        let proof: PaykitProof
        switch settled {
        case .preimage(let text) where isLightning:
            // A Lightning address or offer yields a new invoice for each payment.
            let hash = endpoint.paymentHash ?? Hex.encode(Digest.sha256.hash(Hex.decode(text) ?? []))
            proof = .preimage(text, paymentHash: hash)
        case .transaction(let id) where !isLightning: proof = .transaction(id)
        // A payee takes no payment without proof.
        case .preimage, .transaction, .unproven: return nil
        }
        return proof.isSound ? proof : nil
    }
}

extension PaykitNetworkError {
    /// Maps what a settler leaves open to an error of a call without a router.
    init(_ failure: RequestSettlerError, at methodID: String? = nil) {
        switch failure {
        case .mismatch(let message): self.init(.paymentInDoubt, message, methodID: methodID)
        case .notStored(let failure), .link(let failure): self = failure
        case .noAnswer, .inFlight, .notKnown:
            self.init(
                .paymentInDoubt, "whether it was paid is not known: try again when the settler can be asked",
                methodID: methodID)
        }
    }
}
