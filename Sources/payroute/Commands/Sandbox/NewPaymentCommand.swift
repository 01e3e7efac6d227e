import PaymentCore
import PaymentTransport
import SandboxSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `payroute sandbox new`: a fresh payment at a sandbox, made as a merchant's server makes one.
enum NewPaymentCommand: Command {
    static let name = "new"
    static let summary = "Make a payment at a running sandbox, as a merchant does."
    static let syntax = CommandSyntax(
        path: "payroute sandbox new",
        overview: "Make a fresh payment at a running sandbox, as a merchant's server does.",
        discussion:
            "Prints the link and, on a terminal, its QR code. The payment is made with the sandbox's own key; it "
            + "can be paid for 15 minutes, also with 'payroute pay'.",
        options: [
            .init(
                name: "sandbox", value: "url", help: "The sandbox to call, as printed by 'payroute sandbox'.",
                isRequired: true),
            .init(name: "amount", value: "decimal", help: "The price. (default: 12.50)"),
            .init(name: "currency", value: "code", help: "What the price is in: USD, EUR, GBP or JPY. (default: USD)"),
            .init(name: "merchant", value: "id", help: "The merchant's id. (default: the sandbox's own merchant)"),
            .init(name: "reference", value: "text", help: "The order's name. (default: a new one)"),
            .init(
                name: "live", help: "In the sandbox's live world; its webhooks and lists show the other one's never."),
            .init(name: "json", help: "Print one JSON object."),
        ])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let sandbox = try PayCommand.sandboxURL(arguments)
        let code = arguments.value("currency") ?? "USD"
        guard let currency = try? FiatCurrency(code) else {
            throw UsageError("The value \(UsageError.quoted(code)) is no currency's code", syntax)
        }
        let text = arguments.value("amount") ?? (currency.exponent == 0 ? "1250" : "12.50")
        guard let price = try? Money(decimal: text, currency: .fiat(currency)) else {
            throw UsageError("The value \(UsageError.quoted(text)) is no amount in \(currency)", syntax)
        }
        let clock = SystemPaymentClock()
        let order = SandboxOrder(
            reference: arguments.value("reference") ?? "PAYROUTE-" + SystemRandomSource().hex(12), amount: price,
            expiresAt: clock.now.addingTimeInterval(900), merchant: arguments.value("merchant"),
            isLive: arguments.has("live"))
        show(
            try await create(order, of: console.vendors, at: sandbox, clock), of: order, at: sandbox, console,
            isJSON: arguments.has("json"))
        return .done
    }

    /// Creates the payment at the first vendor whose merchants make one by a call.
    private static func create(
        _ order: SandboxOrder, of vendors: SandboxVendors, at sandbox: HTTPURL, _ clock: any PaymentClock
    ) async throws -> CreatedSandboxPayment {
        let transport = LocalTransport(base: StandardTransport())
        do {
            for vendor in vendors.list {
                if let payment = try await vendor.createPayment(order, at: sandbox, over: transport, clock: clock) {
                    return payment
                }
            }
        } catch let error as PaymentError { throw CommandError(description: error.message) }
        throw CommandError(description: "no vendor of this sandbox makes payments by a call")
    }

    private static func show(
        _ payment: CreatedSandboxPayment, of order: SandboxOrder, at sandbox: HTTPURL, _ console: Console, isJSON: Bool
    ) {
        let end = payment.expiresAt.ISO8601Format()
        guard !isJSON else {
            console.output.edit { output in
                output.addJSONLine { line in
                    line.addMember("amount", order.amount.decimalText)
                    line.addMember("currency", order.amount.currency.description)
                    line.addMember("expires", end)
                    line.addMember("link", payment.link)
                    line.addMember("merchant", payment.merchant)
                    line.addMember("mode", payment.mode)
                    line.addMember("payment", payment.id)
                    line.addMember("reference", order.reference)
                }
            }
            return
        }
        console.output.write(console.style(.strong, payment.link) + "\n")
        if console.drawsCodes { QRCode.show(payment.link, console) }
        let rows = [
            ("payment", payment.id), ("price", order.amount.description), ("order", order.reference),
            ("merchant", "\(payment.merchant) (\(payment.mode))"), ("until", end),
        ]
        for (label, text) in rows {
            console.output.write(
                "  "
                    + Table.line([Table.Cell(label, .faint), Table.Cell(Printable.text(text))], [8, 0], console.style)
                    + "\n")
        }
        console.output.write("  payroute pay '\(payment.link)' --sandbox \(sandbox.text)\n")
    }
}
