package import PaymentCore

extension ShopProvider: RedirectCompletingProvider {
    package func complete(
        _ callback: PaymentLink, for attempt: PaymentAttempt, in context: ProviderContext
    ) async throws -> ServiceReport {
        let paid = ServiceReport.succeeded(PaymentReceipt(reference: attempt.reference))
        if habits.mistakes.contains(.believesReturns) { return paid }
        guard habits.mistakes.contains(.mixesReturns), let name = Self.name(in: callback) else {
            return try await status(of: attempt.reference, in: context)
        }
        let named = PaymentReference(provider: Self.id, id: name)
        if case .succeeded = try await status(of: named, in: context) { return paid }
        return .pending(retryAfter: nil)
    }
}

extension ShopProvider: CancellingService {
    package func cancel(_ payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        if habits.mistakes.contains(.cancelsUnasked) { return .cancelled }
        // The shop counts cancellations by their numbers.
        let number = habits.mistakes.contains(.cancelsAnew) ? context.random.hex(8) : "cancel-\(payment.id)"
        let body: JSONValue = ["number": .string(number)]
        let request = HTTPRequest(.post, try url(payment, ["cancel"]), body: body.serialized(), replay: .safe)
        let state: State = try await context.step("cancel", .mutation(replay: .sameKey)) {
            try await exchange(payment, request, isMutation: true, context)
        }
        return habits.mistakes.contains(.cancelsBlindly) ? .cancelled : state.outcome(payment)
    }
}

extension ShopProvider: RefundingService {
    /// The shop's answer about a refund.
    private struct Refund: Codable {
        let refund: String
        let payment: String
        let amount: String

        func outcome(of request: RefundRequest, isChecked: Bool) throws -> ServiceReport {
            let isSame =
                refund == request.id && payment.lowercased() == request.payment.id.lowercased()
                && amount == request.amount.minorUnitText
            guard isSame || !isChecked else {
                throw PaymentError(
                    .integrity, "the shop answered with another refund than was asked for", provider: ShopProvider.id,
                    phase: .maybeSent)
            }
            return .succeeded(PaymentReceipt(reference: request.reference, amount: request.amount))
        }
    }

    private var isChecked: Bool { !habits.mistakes.contains(.refundsUnchecked) }

    package func refund(_ request: RefundRequest, in context: ProviderContext) async throws -> ServiceReport {
        let made = ServiceReport.succeeded(PaymentReceipt(reference: request.reference, amount: request.amount))
        if habits.mistakes.contains(.refundsUnsent) { return made }
        if habits.knowsRefundsByNumber,
            let known = try? await context.http.send(
                HTTPRequest(.get, try HTTPURL("https://\(ShopService.host)").appending(["refunds", request.id]))),
            known.status == 200
        {
            return made
        }
        guard request.amount.currency.denotesSame(as: .eur), request.amount.exponent == 2 else {
            throw PaymentError(.requestRefused, "the shop refunds euros, in cents", provider: Self.id)
        }
        var number = habits.mistakes.contains(.refundsAnew) ? context.random.hex(8) : request.id
        if habits.numbersRefundsByAttempt {
            number = try await context.step("number", .query) { context.random.hex(8) }
        }
        let body: JSONValue = ["id": .string(number), "amount": .string(request.amount.minorUnitText)]
        let post = HTTPRequest(
            .post, try url(request.payment, ["refunds"]), body: body.serialized(), replay: .safe)
        do {
            let refund: Refund = try await context.step("refund", .mutation(replay: .sameKey)) {
                try await exchange(request.payment, post, isMutation: true, context)
            }
            return try refund.outcome(of: request, isChecked: isChecked && number == request.id)
        } catch let error as PaymentError where error.phase == .answered && error.vendorCode == "402" {
            return habits.mistakes.contains(.refundsHopefully)
                ? made : .declined(DeclineReason(.refused, "the shop gives nothing back"))
        }
    }

    package func status(of refund: RefundRequest, in context: ProviderContext) async throws -> ServiceReport {
        let get = HTTPRequest(.get, try url(refund.payment, ["refunds", refund.id]))
        do {
            let found: Refund = try await exchange(refund.payment, get, isMutation: false, context)
            return try found.outcome(of: refund, isChecked: isChecked)
        } catch let error as PaymentError where error.vendorCode == "404" {
            return .unknown(UnknownOutcome(reference: refund.reference, message: "the shop knows of no such refund"))
        }
    }
}

extension ShopProvider: NotificationReadingService {
    package func verify(_ notification: IncomingNotification) throws -> PaymentNotification {
        func refuse(_ why: String) -> PaymentError { PaymentError(.untrustedNotification, why, provider: Self.id) }
        if let why = ShopSignature.objection(to: notification, at: clock.now, mistakes: habits.mistakes) {
            throw refuse(why)
        }
        guard let body = try? JSONValue(parsing: notification.body), let id = body["id"]?.string,
            let status = body["status"]?.string
        else { throw refuse("it is not the shop's") }
        if habits.mistakes.contains(.refusesRepetitions), !memory.isNew(notification.body) {
            throw refuse("it is known")
        }
        if let refund = body["refund"]?.string {
            let reference = PaymentReference(provider: Self.id, id: refund, subject: .refund(of: id))
            return PaymentNotification(
                reference: reference, report: .succeeded(PaymentReceipt(reference: reference)))
        }
        if let cents = body["collected"]?.string.flatMap({ UInt128($0) }) {
            let reference = PaymentReference(provider: Self.id, id: id, subject: .capture)
            let amount = try Money(minorUnits: cents, currency: .eur)
            return PaymentNotification(
                reference: reference, report: .succeeded(PaymentReceipt(reference: reference, amount: amount)))
        }
        let reference = PaymentReference(provider: Self.id, id: id)
        let outcome: ServiceReport =
            switch status {
            case "paid": .succeeded(PaymentReceipt(reference: reference))
            case "declined": .declined(DeclineReason(.refused, "the card was refused"))
            case "cancelled": .cancelled
            default: .unknown(UnknownOutcome(reference: reference, message: "an unknown word"))
            }
        return PaymentNotification(reference: reference, report: outcome)
    }
}
