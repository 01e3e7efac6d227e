import PaymentCore
import PaymentTesting
import SandboxSupport

/// Confirming a payment, and its status afterwards.
extension WalletConnectPaySandbox {
    func confirm(_ request: HTTPRequest, _ id: String) async throws(ServiceError) -> HTTPResponse {
        let body = try RequestChecks.body(request)
        let hold = try RequestChecks.maxPollMs(request)
        guard let option = body["optionId"]?.string, let list = body["results"]?.array else {
            throw .validation("Validation error: optionId and results are required")
        }
        let results = try Self.results(list)
        // A repetition of the same confirmation is answered with the current status.
        if let earlier = try payment(id).confirmation {
            guard earlier.option == option, earlier.results == results else {
                throw .invalidState("Payment is being paid with another option")
            }
            return try await answer(id, hold: hold, asks: false)
        }
        guard let offer = try payment(id).offers[option] else { throw .optionNotFound }
        interrupt(id)
        try requireOpen(try payment(id), offer)
        try take(body["collectedData"], for: offer, id)
        if try payment(id).tampered != nil {
            // A dishonest gateway accepts any results.
            capture(id, offer, results)
            return try await answer(id, hold: hold, asks: false)
        }
        guard results.count >= offer.calls.count else { throw .validation("Next result not present") }
        guard results.count == offer.calls.count else { throw .validation("Validation error: Too many results") }
        guard offer.accepts(results) else { throw .invalidSignature }
        capture(id, offer, results)
        return try await answer(id, hold: hold, asks: false)
    }

    func status(_ request: HTTPRequest, _ id: String) async throws(ServiceError) -> HTTPResponse {
        let hold = try RequestChecks.maxPollMs(request)
        return try await answer(id, hold: hold, asks: true)
    }

    /// Returns the state now or, with `hold`, as soon as it changes, at the latest after `hold` milliseconds.
    ///
    /// - Parameter asks: true for a query: queries advance a settlement, and only their answers include the reason of a
    ///   failure. A held request counts as one query for each interval of a polling client.
    private func answer(_ id: String, hold: Int64?, asks: Bool) async throws(ServiceError) -> HTTPResponse {
        let before = try payment(id).status
        if asks { advance(id) }
        var left = min(hold ?? 0, configuration.longestHoldMs)
        while left > 0, !before.isFinal, try payment(id).status == before {
            let pause = min(left, max(1, configuration.pollInMs))
            // The wait ends early when the server stops: no client waits for the answer then.
            do { try await clock.sleep(for: .milliseconds(pause)) } catch { break }
            left -= pause
            advance(id)
        }
        return .json(try payment(id).statusBody(pollInMs: configuration.pollInMs, withFailureCode: asks))
    }

    /// Takes the data in a confirmation. Refuses the confirmation when required data is missing.
    private func take(_ data: JSONValue?, for offer: Offer, _ id: String) throws(ServiceError) {
        guard try payment(id).needsData(for: offer) else { return }
        guard let data, !data.isNull else { throw .dataMissing }
        let problems = IdentityForm.problems(with: try IdentityForm.fields(data))
        guard problems.isEmpty else {
            let list = problems.map { "\($0.field) \($0.text)" }.joined(separator: "; ")
            throw .validation("Validation error: collectedData: \(list)")
        }
        payments[id]?.identified.insert(offer.account)
    }

    /// Applies the scenario's interruption just before a confirmation would act.
    func interrupt(_ id: String) {
        guard let payment = payments[id], payment.status == .requiresAction else { return }
        switch payment.scenario.plan.interruption {
        case .expiry?: expireNow(id)
        case .cancellation?: cancelNow(id)
        case nil: break
        }
    }

    func capture(_ id: String, _ offer: Offer, _ results: [String]) {
        guard var payment = payments[id] else { return }
        payment.confirmation = (offer.id, results)
        payment.transfer = PaymentRecord.Transfer(offer, of: payment, random: random)
        payment.status = .processing
        switch payment.scenario.plan.pace {
        case .atOnce: break
        case .ordinary: payment.pollsLeft = configuration.settlementPolls
        case .never: payment.pollsLeft = .max
        case .slow:
            payment.pollsLeft = configuration.settlementPolls
            payment.settlesAt = now + configuration.slowSettlement
        }
        payments[id] = payment
        record(id, .captured(option: offer.id, amount: "\(offer.value) \(offer.asset.unit)", account: offer.account))
        settleIfDue(id)
    }

    /// Counts one query of a payment in settlement.
    private func advance(_ id: String) {
        guard payments[id]?.status == .processing else { return }
        payments[id]?.pollsLeft -= 1
        settleIfDue(id)
    }

    private func settleIfDue(_ id: String) {
        guard let payment = payments[id], payment.pollsLeft <= 0, payment.settlesAt <= now else { return }
        switch payment.scenario.plan.ending {
        case .succeeded:
            payments[id]?.status = .succeeded
            record(id, .settled)
        case .failed:
            payments[id]?.status = .failed
            record(id, .failed)
        case .declined:
            payments[id]?.status = .failed
            payments[id]?.failureCode = "declined_user"
            record(id, .failed)
        case .unfamiliar:
            payments[id]?.status = .unfamiliar
        }
    }

    /// Returns one text per result: each result holds a one-element array, of a text or of any other value.
    private static func results(_ list: [JSONValue]) throws(ServiceError) -> [String] {
        var results: [String] = []
        for result in list {
            guard result["type"]?.string == "walletRpc", let data = result["data"]?.array, data.count == 1 else {
                throw .validation("Validation error: results must hold one datum each")
            }
            results.append(data[0].string ?? data[0].text)
        }
        return results
    }
}
