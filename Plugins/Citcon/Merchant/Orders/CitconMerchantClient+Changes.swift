import CitconProvider
public import PaymentCore

/// The result of a change of a charge.
@nonexhaustive
public enum CitconChange: Sendable, Hashable {
    /// The charge is final and unpaid, and another one replaces it.
    case replaced(CitconCharge)
    /// It is unchanged, because it is paid, a payment is in progress, or its status is unknown.
    case unchanged(ServiceReport)
}

extension CitconMerchantClient {
    /// Changes an unpaid charge, such as its amount: cancels it, and makes another one in its place.
    ///
    /// The vendor documents no call that changes a charge (Protocol 2.12). The other charge is made only after the
    /// service itself reports the first one as final, so that there are never two to pay. A repetition resumes the
    /// change.
    ///
    /// - Parameters:
    ///   - payment: the charge.
    ///   - order: the replacement, under its own reference.
    /// - Returns: the other charge, without its token when only an inquiry found it; or the report that keeps the
    ///   first one.
    /// - Throws: ``PaymentError``; with phase `maybeSent` the charge may be cancelled, or the other one made: repeat
    ///   the call.
    public func change(
        _ payment: PaymentReference, to order: CitconOrder
    ) async throws -> CitconChange {
        guard order.reference != payment.id else {
            throw PaymentError(
                .requestRefused, "the changed charge needs another reference: Citcon takes none twice",
                provider: service.id)
        }
        // Refuses an invalid order before the cancellation.
        _ = try order.body(at: service.id)
        let before = try await found(payment)
        // An authorised or pending amount is not released for a change.
        guard before.state == .initiated || before.state?.isUnpaid == true else {
            return .unchanged(before.merchantReport(of: payment))
        }
        let report = try await performCancellation(payment, before) { body in
            try await asMerchant(service.id, isMutation: true) { () throws(CitconCallError) in
                _ = try await service.cancel(body)
            }
        }
        switch report {
        case .cancelled, .expired, .declined: break
        default: return .unchanged(report)
        }
        do throws(PaymentError) { return .replaced(try await createCharge(order)) } catch {
            // Made by an earlier call of this method.
            guard let charge = try? await charge(for: order) else { throw error }
            return .replaced(charge)
        }
    }

    /// Cancels a charge that is not final, and asks for the report. The cancellation's own reference is derived from
    /// the payment, so a repetition cancels only once.
    ///
    /// - Parameter send: sends the request, once.
    /// - Throws: ``PaymentError``, or what `send` throws; with phase `maybeSent` the charge may have been cancelled.
    func performCancellation(
        _ payment: PaymentReference, _ charge: TransactionFields, _ send: (JSONValue) async throws -> Void
    ) async throws -> ServiceReport {
        guard charge.state?.isOver != true, let id = charge.id else { return charge.merchantReport(of: payment) }
        do {
            try await send([
                "id": .string(id), "reference": .string(MerchantReference.cancel(payment)),
                "transaction_reference": .string(payment.id),
            ])
        } catch let failure as PaymentError {
            // Paid just now, cancelled before, or the answer was lost: the charge's own state decides.
            guard let after = try? await found(payment), after.state?.isOver == true else { throw failure }
            return after.merchantReport(of: payment)
        }
        do { return try await found(payment).merchantReport(of: payment) } catch {
            // The inquiry failed after the cancellation succeeded.
            throw error.with(
                message:
                    "the cancellation was accepted, but what has become of the charge is not known: \(error.message)",
                phase: .maybeSent, retry: .later)
        }
    }
}
