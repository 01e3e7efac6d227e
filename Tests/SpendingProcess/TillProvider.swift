import Foundation
import PaymentCore

/// Takes money by writing a line to a file: `ID PAYEE CENTS`. Links are `/ID/PAYEE/CENTS`, or `/to/PAYEE/CENTS` for any
/// number of payments to the payee. Some payees refuse every payment.
struct TillProvider: PayeeProvider {
    let file: String
    let descriptor = ProviderDescriptor(
        id: "till", name: "Till", patterns: [.host("till.example")], outboundHosts: ["till.example"])

    func recognize(_ link: PaymentLink) -> LinkMatch? {
        let parts = link.path.split(separator: "/").map(String.init)
        if parts.count == 3, parts[0] == "to" { return LinkMatch(.payee("payee \(parts[1])")) }
        return parts.first.map { LinkMatch(.payment($0)) }
    }

    func payee(of option: PaymentMethodOption) -> String? { option.providerData?["to"]?.string }

    func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> ProviderQuote {
        let parts = request.link.path.split(separator: "/").map(String.init)
        guard parts.count == 3 else { throw PaymentError(.notFound, "there is no such payment") }
        let amount = try Money(minorUnitText: parts[2], currency: .eur)
        var data: JSONValue = ["payee": .string("payee \(parts[1])")]
        if request.match.payee != nil { data["to"] = data["payee"] }
        return ProviderQuote(
            reference: request.reference, payee: Payee(name: "Payee", id: "payee \(parts[1])"), amount: amount,
            options: [
                PaymentMethodOption(id: "cash", title: "Cash", amount: amount, providerData: data)
            ])
    }

    func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport {
        let payment = attempt.reference
        let payee = attempt.option.providerData?["payee"]?.string ?? ""
        if payment.id.hasSuffix("refused") || payee.hasSuffix("refuses") {
            return .declined(DeclineReason(.refused, "the till is closed"))
        }
        let line = "\(payment.id) \(payee) \(attempt.option.amount.minorUnitText)\n"
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

    /// The caller holds the payment's lease: a payment that is not in the till by now never will be.
    func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        let isTaken = text.split(separator: "\n").contains { $0.hasPrefix(payment.id + " ") }
        return isTaken ? .succeeded(PaymentReceipt(reference: payment)) : .expired
    }
}

/// A clock that shows noon of the same day at the start of a process, or some hours later: no test crosses midnight.
struct NoonClock: PaymentClock {
    static let noon = Date(timeIntervalSince1970: 1_800_014_400)

    var hours = 0
    private let base = SystemPaymentClock()

    init(hours: Int = 0) { self.hours = hours }

    var now: Date { Self.noon.addingTimeInterval(Double(hours) * 3600 + base.uptime / .seconds(1)) }
    var uptime: Duration { base.uptime }

    func sleep(for duration: Duration) async throws { try await base.sleep(for: duration) }
}
