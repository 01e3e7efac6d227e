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
        overview: "Make a fresh payment at a running sandbox: as a merchant's server does, or of any scenario.",
        discussion:
            "Prints the link and, on a terminal, its QR code, and the command that pays it. Without a scenario the payment is made with the sandbox's own key, and can be paid for 15 minutes. With one, such as citcon/wechatpay, it is that scenario of that service; without a match, the error names all of them.",
        arguments: [
            .init(
                name: "scenario", help: "A service and one of its scenarios, as SERVICE/SCENARIO.", isOptional: true,
                names: .scenarios)
        ],
        options: [
            PaymentOptions.sandbox,
            .init(name: "amount", value: "decimal", help: "The price. (default: 12.50)"),
            .init(
                name: "currency", value: "code", help: "The currency of the price. (default: USD)",
                values: ["USD", "EUR", "GBP", "JPY"]),
            .init(name: "merchant", value: "id", help: "The merchant's id. (default: the sandbox's own merchant)"),
            .init(name: "reference", value: "text", help: "The order's name. (default: a new one)"),
            .init(
                name: "live", help: "Make it in the sandbox's live world, apart from its test world."),
            .init(name: "json", help: "Print one JSON object."),
        ],
        examples: [
            .init(
                "payroute sandbox new --sandbox http://127.0.0.1:8080 --amount 20 --currency EUR", "an order of a shop"),
            .init("payroute sandbox new citcon/wechatpay --sandbox http://127.0.0.1:8080", "one scenario"),
        ])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let sandbox = try PayCommand.sandboxURL(arguments)
        if let scenario = arguments.positionals.first {
            return try await make(scenario, at: sandbox, arguments, console)
        }
        let code = arguments.value("currency") ?? "USD"
        guard let currency = try? FiatCurrency(code) else {
            throw UsageError("The value \(UsageError.quoted(code)) is not a currency's code, such as USD", syntax)
        }
        let text = arguments.value("amount") ?? (currency.exponent == 0 ? "1250" : "12.50")
        guard let price = try? Money(decimal: text, currency: .fiat(currency)) else {
            throw UsageError(
                "The value \(UsageError.quoted(text)) is not an amount in \(currency), such as 12.50", syntax)
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

    /// Makes a payment of a scenario.
    private static func make(
        _ scenario: String, at sandbox: HTTPURL, _ arguments: ParsedArguments, _ console: Console
    ) async throws -> ExitCode {
        if let option = ["merchant", "reference", "live"].first(where: {
            arguments.value($0) != nil || arguments.has($0)
        }) {
            throw UsageError("'--\(option)' is for payments without a scenario", syntax)
        }
        let order = arguments.value("amount").map { ($0, arguments.value("currency") ?? "USD") }
        let (payment, json) = try await ScenarioPayment.make(scenario, amount: order, at: sandbox)
        guard !arguments.has("json") else {
            console.output.edit { $0.addJSONLine(json.object ?? [:]) }
            return .done
        }
        console.output.write(console.style(.strong, Printable.text(payment.link, limit: .max)) + "\n")
        if console.drawsCodes { QRCode.show(payment.link, console) }
        for (label, text) in [("payment", payment.id), ("scenario", payment.summary)] {
            let cells = [Table.Cell(label, .faint), Table.Cell(Printable.text(text))]
            console.output.write("  " + Table.line(cells, [8, 0], console.style) + "\n")
        }
        console.output.write("  \(payment.command("payroute", at: sandbox.text))\n")
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
        let end = RFC3339(payment.expiresAt).text
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
