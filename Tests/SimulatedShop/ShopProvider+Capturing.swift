package import PaymentCore

/// The merchant collects what was charged, all of it or less.
extension ShopProvider: CapturingService {
    /// The shop's answer about a collection.
    private struct Collection: Codable {
        let number: String
        let payment: String
        let amount: String
    }

    package func capture(_ request: CaptureRequest, in context: ProviderContext) async throws -> ServiceReport {
        if habits.mistakes.contains(.capturesUnsent) {
            return .succeeded(PaymentReceipt(reference: request.reference, amount: request.amount))
        }
        guard request.amount.currency.denotesSame(as: .eur), request.amount.exponent == 2 else {
            throw PaymentError(.requestRefused, "the shop collects euros, in cents", provider: Self.id)
        }
        let number = habits.mistakes.contains(.capturesAnew) ? context.random.hex(8) : Self.number(of: request)
        let body: JSONValue = ["number": .string(number), "amount": .string(request.amount.minorUnitText)]
        let post = HTTPRequest(
            .post, try url(request.payment, ["collections"]), body: body.serialized(), replay: .safe)
        do {
            let made: Collection = try await context.step("collect", .mutation(replay: .sameKey)) {
                try await exchange(request.payment, post, isMutation: true, context)
            }
            return try report(made, of: request)
        } catch let error as PaymentError where error.phase == .answered && error.vendorCode == "402" {
            return .declined(DeclineReason(.refused, "the shop collects nothing"))
        }
    }

    package func status(of capture: CaptureRequest, in context: ProviderContext) async throws -> ServiceReport {
        let get = HTTPRequest(.get, try url(capture.payment, ["collections", Self.number(of: capture)]))
        do {
            return try report(
                try await exchange(capture.payment, get, isMutation: false, context), of: capture)
        } catch let error as PaymentError where error.vendorCode == "404" {
            return .unknown(
                UnknownOutcome(reference: capture.reference, message: "the shop knows of no such collection"))
        }
    }

    private func report(_ made: Collection, of request: CaptureRequest) throws -> ServiceReport {
        let isSame =
            made.payment.lowercased() == request.payment.id.lowercased()
            && made.amount == request.amount.minorUnitText
            && (made.number == Self.number(of: request) || habits.mistakes.contains(.capturesAnew))
        guard isSame || habits.mistakes.contains(.capturesUnchecked) else {
            throw PaymentError(
                .integrity, "the shop answered with another collection than was asked for", provider: Self.id,
                phase: .maybeSent)
        }
        return .succeeded(PaymentReceipt(reference: request.reference, amount: request.amount))
    }

    private static func number(of request: CaptureRequest) -> String {
        "\(request.payment.id.lowercased())-\(request.amount.minorUnitText)"
    }
}
