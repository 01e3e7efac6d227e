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

/// A payment of one scenario, made by a running sandbox for `payroute sandbox new SERVICE/SCENARIO`.
enum ScenarioPayment {
    /// Makes the payment.
    ///
    /// - Parameters:
    ///   - name: `citcon/wechat`: a service and one of its scenarios.
    ///   - order: Its amount and currency, if the line states them.
    /// - Returns: The payment, and the sandbox's own description of it.
    static func make(
        _ name: String, amount order: (amount: String, currency: String)?, at sandbox: HTTPURL
    ) async throws -> (payment: SandboxPayment, json: JSONValue) {
        let parts = name.split(separator: "/", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { throw CommandError(description: try await advice(on: name, at: sandbox)) }
        var body: JSONValue = ["service": .string(parts[0]), "scenario": .string(parts[1])]
        if let order {
            body["amount"] = .string(order.amount)
            body["currency"] = .string(order.currency)
        }
        let answer = try await call(.post, ["_sandbox", "payments"], body, at: sandbox)
        guard answer.status == 201 else {
            throw CommandError(description: try await advice(on: name, at: sandbox))
        }
        let json = answer.json
        guard let id = json["id"]?.string, let link = json["link"]?.string else {
            throw CommandError(description: "the sandbox's answer names no payment: is it of this version?")
        }
        return (
            SandboxPayment(
                id: id, scenario: json["scenario"]?.string ?? parts[1], summary: json["summary"]?.string ?? "",
                link: link, isTrusted: json["trusted"]?.bool ?? true,
                satoshi: json["satoshi"]?.int64.flatMap { UInt64(exactly: $0) },
                isPrivate: json["private"]?.bool ?? false), json
        )
    }

    /// Returns the reason why no payment was made, with the names that there are.
    private static func advice(on name: String, at sandbox: HTTPURL) async throws -> String {
        let services = try await call(.get, ["_sandbox", "scenarios"], nil, at: sandbox).json["services"]?.array ?? []
        let service = name.prefix { $0 != "/" }
        guard let own = services.first(where: { $0["service"]?.string == String(service) }) else {
            let names = services.compactMap { $0["service"]?.string }
            return "the sandbox has no service '\(Printable.short(String(service), 40))'; name one of "
                + names.joined(separator: ", ") + ", as SERVICE/SCENARIO"
        }
        let scenarios = (own["scenarios"]?.array ?? []).compactMap { $0["scenario"]?.string }
        let wanted = String(name.dropFirst(service.count + 1))
        guard !wanted.isEmpty else {
            return
                "'\(service)' is a service: name one of its scenarios as well, as in '\(service)/\(scenarios.first ?? "")'. It has "
                + scenarios.joined(separator: ", ")
        }
        if scenarios.contains(wanted) {
            return "the amount of '\(name)' is given by its scenario; leave --amount and --currency out"
        }
        let nearest = scenarios.min { UsageError.distance($0, wanted) < UsageError.distance($1, wanted) }
        return "there is no scenario '\(Printable.short(name, 60))'. "
            + (nearest.map { "Did you mean '\(service)/\($0)'? " } ?? "")
            + "\(service) has \(scenarios.joined(separator: ", "))"
    }

    private static func call(
        _ method: HTTPRequest.Method, _ path: [String], _ body: JSONValue?, at sandbox: HTTPURL
    ) async throws -> (status: Int, json: JSONValue) {
        let request = HTTPRequest(
            method, try sandbox.appending(path), headers: body == nil ? [:] : ["Content-Type": "application/json"],
            body: Array((body?.text ?? "").utf8), timeout: .seconds(10))
        do {
            let answer = try await LocalTransport(base: StandardTransport()).send(request)
            return (answer.status, (try? JSONValue(parsing: answer.body)) ?? .null)
        } catch {
            throw CommandError(
                description: "no sandbox answers at \(sandbox.origin): \(error). Start one with 'payroute sandbox'")
        }
    }
}
