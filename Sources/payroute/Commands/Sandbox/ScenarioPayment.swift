import PaymentCore
import PaymentTransport
import SandboxSupport

/// A payment of one scenario, made by a running sandbox for `payroute sandbox new SERVICE/SCENARIO`.
enum ScenarioPayment {
    /// Makes the payment.
    ///
    /// - Parameters:
    ///   - name: `citcon/wechat`: a service and one of its scenarios.
    ///   - order: Its amount and currency, where the line states them.
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
