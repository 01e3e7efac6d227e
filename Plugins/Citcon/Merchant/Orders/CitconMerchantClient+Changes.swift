import CitconProvider
public import PaymentCore

/// What has become of a change of a charge.
@nonexhaustive
public enum CitconChange: Sendable, Hashable {
    /// The charge is over, unpaid, and another took its place.
    case replaced(CitconCharge)
    /// It stays as it is, because somebody has paid it, is paying it, or nobody can say.
    case unchanged(PaymentOutcome)
}

extension CitconMerchantClient {
    /// Changes a charge that nobody has paid, such as its amount: calls it off, and makes another in its place.
    ///
    /// No call of the service's is published that changes a charge (Protocol 2.12). The other charge is made only after
    /// the service itself has said that the first is over, so that there are never two to be paid. Asked again, it goes
    /// on where it was left.
    ///
    /// - Parameters:
    ///   - payment: the charge.
    ///   - order: what is to be paid instead, under a reference of its own.
    /// - Returns: the other charge, without its token when it was found only by asking; or what keeps the first as it
    ///   is.
    /// - Throws: ``PaymentError``; with phase `maybeSent` the charge may be called off, or the other made: ask again.
    public func change(
        _ payment: PaymentReference, to order: CitconOrder
    ) async throws -> CitconChange {
        guard order.reference != payment.id else {
            throw PaymentError(
                .requestRefused, "the changed charge needs a reference of its own: Citcon takes none twice",
                provider: service.id)
        }
        // Refused before anything is called off for it.
        _ = try order.body(at: service.id)
        let before = try await found(payment)
        // Money that is set aside, or about to be, is not let go for a change.
        guard before.state == .initiated || before.state?.isUnpaid == true else {
            return .unchanged(before.merchantOutcome(of: payment))
        }
        let outcome = try await performCancellation(payment, before) { body in
            try await asMerchant(service.id, isMutation: true) { () throws(CitconCallError) in
                _ = try await service.cancel(body)
            }
        }
        switch outcome {
        case .cancelled, .expired, .declined: break
        default: return .unchanged(outcome)
        }
        do throws(PaymentError) { return .replaced(try await createCharge(order)) } catch {
            // Made by an earlier call of this.
            guard error.vendorCode == "4100", let charge = try? await charge(for: order) else { throw error }
            return .replaced(charge)
        }
    }

    /// Calls a charge off that is not over, and says what has become of it. The cancellation's own reference follows
    /// from the payment, so asking twice cancels once.
    ///
    /// - Parameter send: sends the request, once.
    /// - Throws: ``PaymentError``, or what `send` throws; with phase `maybeSent` it may have been called off.
    func performCancellation(
        _ payment: PaymentReference, _ charge: TransactionFields, _ send: (JSONValue) async throws -> Void
    ) async throws -> PaymentOutcome {
        guard charge.state?.isOver != true, let id = charge.id else { return charge.merchantOutcome(of: payment) }
        do {
            try await send([
                "id": .string(id), "reference": .string(MerchantReference.cancel(payment)),
                "transaction_reference": .string(payment.id),
            ])
        } catch let failure as PaymentError {
            // Paid just now, cancelled before, or the answer was lost: the charge itself says which.
            guard let after = try? await found(payment), after.state?.isOver == true else { throw failure }
            return after.merchantOutcome(of: payment)
        }
        do { return try await found(payment).merchantOutcome(of: payment) } catch {
            // The question failed, but what it is about was done.
            throw error.with(
                message:
                    "the cancellation was accepted, but what has become of the charge is not known: \(error.message)",
                phase: .maybeSent, retry: .later)
        }
    }
}
