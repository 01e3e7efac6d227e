import CitconProvider
public import PaymentCore
import ServiceSupport

extension CitconMerchant: CapturingService {
    /// Captures an authorised amount, all of it or less, once: by a reference that is derived from the charge.
    ///
    /// The vendor does not document the service's answer, so the client inquires about the charge afterwards.
    ///
    /// - Returns: the report of the capture, with the captured amount; pending when the service does not report it yet,
    ///   and unknown when a capture that may be another server's does not state its amount.
    /// - Throws: ``PaymentError``; with phase `maybeSent` it may have been captured. `integrity` when another amount
    ///   was captured, now or before.
    public func capture(_ request: CaptureRequest, in context: ProviderContext) async throws -> ServiceReport {
        let client = client(context)
        let charge = try await client.found(request.payment)
        guard charge.state == .authorized else {
            guard let state = charge.state, state != .initiated, state != .pending else {
                throw PaymentError(
                    .requestRefused, "Citcon captures only what is authorised, and this charge is not yet",
                    provider: id, phase: .answered)
            }
            return charge.report(of: request, isOwn: false, isEarlier: true)
        }
        guard let whole = charge.money, let units = CitconMerchantClient.units(of: request.amount, as: whole),
            units > 0, let chargeID = charge.id
        else {
            throw PaymentError(
                .requestRefused, "the amount is zero, or in another currency than the charge", provider: id)
        }
        // A failure to get a token must not obscure if the capture itself was sent.
        try await asMerchant(id) { () throws(CitconCallError) in try await client.service.prepare() }
        let body: JSONValue = [
            "id": .string(chargeID), "reference": .string(MerchantReference.capture(request.payment)),
            "transaction_reference": .string(request.payment.id), "amount": .number(JSONNumber(units)),
        ]
        // Citcon refuses a reference that was used before, so that a repetition captures nothing more.
        let isOwn = try await context.step("capture", .mutation(replay: .sameKey)) {
            do throws(CitconCallError) { _ = try await client.service.capture(body) } catch {
                try await confirm(refusal: error, of: request, client)
                return false
            }
            return true
        }
        return try await client.found(request.payment).report(of: request, isOwn: isOwn)
    }

    /// Throws unless the charge was captured all the same: by a copy of the request that the network made, or by
    /// another request.
    private func confirm(
        refusal error: CitconCallError, of request: CaptureRequest, _ client: CitconMerchantClient
    ) async throws(PaymentError) {
        let after = try? await client.found(request.payment)
        if let after, after.state != .authorized { return }
        let open = error.merchantError(isMutation: true, of: id)
        // "The reference was used before": by an earlier copy of this request, which may be in flight.
        let isOpen = after == nil || error.leavesFateOpen || open.vendorCode == "4100"
        throw isOpen ? open : error.merchantError(isMutation: false, of: id)
    }

    /// Asks for the status of a capture.
    ///
    /// - Returns: the report of the charge, with the captured amount.
    /// - Throws: ``PaymentError`` when the inquiry fails.
    public func status(of capture: CaptureRequest, in context: ProviderContext) async throws -> ServiceReport {
        try await client(context).found(capture.payment).report(of: capture, isOwn: false)
    }
}

extension TransactionFields {
    /// Returns the report of a capture of this charge.
    ///
    /// - Parameters:
    ///   - isOwn: true if the service accepted the request. Otherwise another server may have captured another
    ///     amount, so that an amount that is not stated, or stated in two ways, is not known.
    ///   - isEarlier: true if the service says that an earlier request made it.
    fileprivate func report(of capture: CaptureRequest, isOwn: Bool, isEarlier: Bool = false) -> ServiceReport {
        guard state == .succeeded else { return merchantReport(of: capture.reference) }
        let own = captures.filter { $0.reference == MerchantReference.capture(capture.payment) }
        let stated = Set([amountCaptured.flatMap { $0 > 0 ? $0 : nil }].compactMap(\.self) + own.compactMap(\.amount))
        let taken = stated.isEmpty && isOwn ? capture.amount : stated.count == 1 ? money(stated.first) : nil
        guard let taken else {
            return .unknown(
                UnknownOutcome(
                    reference: capture.reference,
                    message: "Citcon shows a capture of the charge, but not clearly over which amount; look at the "
                        + "notifications or the portal"))
        }
        return .succeeded(
            PaymentReceipt(reference: capture.reference, amount: taken, transactionID: id, isEarlier: isEarlier))
    }
}
