import Foundation
import PaymentCore

/// Takes money by writing a line to a file: `ID PAYEE CENTS`.
struct TillProvider: PaymentProvider {
    let file: String
    let descriptor = ProviderDescriptor(
        id: "till", name: "Till", patterns: [.host("till.example")], outboundHosts: ["till.example"])

    func recognize(_ link: PaymentLink) -> LinkMatch? {
        link.path.split(separator: "/").first.map { LinkMatch(reference: String($0)) }
    }

    func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> PaymentQuote {
        let parts = request.link.path.split(separator: "/").map(String.init)
        guard parts.count == 3 else { throw PaymentError(.notFound, "there is no such payment") }
        let amount = try Money(minorUnitText: parts[2], currency: .eur)
        return PaymentQuote(
            reference: request.reference, payee: Payee(name: "Payee", id: "payee \(parts[1])"), amount: amount,
            options: [
                PaymentOption(id: "cash", title: "Cash", amount: amount, providerData: .string("payee \(parts[1])"))
            ])
    }

    func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> PaymentOutcome {
        let payment = attempt.reference
        if payment.id.hasSuffix("refused") { return .declined(DeclineReason(.refused, "the till is closed")) }
        let line = "\(payment.id) \(attempt.option.providerData?.string ?? "") \(attempt.option.amount.minorUnitText)\n"
        let file = file
        _ = try await context.step("take", .mutation(replay: .never)) { () -> Bool in
            // One write that is appended: two processes cannot mix their lines.
            guard let till = fopen(file, "a") else { throw PaymentError(.serviceFailure, "the till is locked") }
            fputs(line, till)
            fclose(till)
            return true
        }
        return .succeeded(PaymentReceipt(reference: payment))
    }

    /// Whoever is asked holds the payment's lease: what is not in the till by now never will be.
    func status(of payment: PaymentReference, in context: ProviderContext) async throws -> PaymentOutcome {
        let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        let isTaken = text.split(separator: "\n").contains { $0.hasPrefix(payment.id + " ") }
        return isTaken ? .succeeded(PaymentReceipt(reference: payment)) : .expired
    }
}

/// A clock that shows noon of the same day whenever a process begins: no test meets midnight.
struct NoonClock: PaymentClock {
    private let base = SystemPaymentClock()

    var now: Date { Date(timeIntervalSince1970: 1_800_014_400 + base.uptime / .seconds(1)) }
    var uptime: Duration { base.uptime }

    func sleep(for duration: Duration) async throws { try await base.sleep(for: duration) }
}

/// There is nothing to be called.
struct NoNetwork: HTTPTransport {
    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        throw TransportError(.notSent, .hostNotFound, origin: request.url.origin)
    }
}
