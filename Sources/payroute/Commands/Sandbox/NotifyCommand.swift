import PaymentCore
import PaymentLoopback
import PaymentTesting
import PaymentTransport
import SandboxSupport

/// `payroute sandbox notify`: notifications forwarded to a server, or sent again.
enum NotifyCommand: Command {
    static let name = "notify"
    static let summary = "Forward a sandbox's notifications to your server, or repeat one."
    static let syntax = CommandSyntax(
        path: "payroute sandbox notify",
        overview: "Forward a sandbox's notifications to your server, or have one repeated.",
        discussion: """
            With --forward-to it listens on this machine and forwards every notification to your server, header fields and bytes unchanged, so that signatures stay valid. It returns your server's answer and prints a line for each. Point the sandbox at the address that it prints: 'payroute sandbox --webhooks <address>', or urls.ipn of a charge at Citcon. Runs until Ctrl-C.

            With a payment it has the sandbox send that payment's last notification again.
            """,
        arguments: [
            .init(name: "payment", help: "The payment's id, as the sandbox prints it.", isOptional: true)
        ],
        options: [
            .init(
                name: "forward-to", value: "url", help: "Your server, on this machine.",
                form: "an address on this machine, such as http://127.0.0.1:3000/hooks"),
            .init(
                name: "port", value: "number", help: "The port to listen on. (default: any free one)",
                form: "a number from 0 to 65535"),
            .init(
                name: "sandbox", value: "url", help: "The sandbox that sends a payment's notification again.",
                variable: "PAYROUTE_SANDBOX"),
            .init(name: "json", help: "Print one JSON object per notification, one line each."),
        ],
        examples: [
            .init("payroute sandbox notify --forward-to http://127.0.0.1:3000/hooks", "to your server")
        ])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let target = try arguments.value("forward-to") { text in
            (try? HTTPURL(text)).flatMap { $0.isLoopback ? $0 : nil }
        }
        switch (target, arguments.positionals.first) {
        case (let target?, nil): return try await forward(to: target, arguments, console)
        case (nil, let payment?): return try await again(payment, arguments, console)
        default:
            throw UsageError(
                "Say either '--forward-to <url>', a server on this machine such as http://127.0.0.1:3000/hooks, or a "
                    + "payment and its '--sandbox <url>'", syntax)
        }
    }

    private static func forward(
        to target: HTTPURL, _ arguments: ParsedArguments, _ console: Console
    ) async throws -> ExitCode {
        let port = try arguments.value("port") { UInt16($0) } ?? 0
        let isJSON = arguments.has("json")
        let forwarder = Forwarder(target: target, transport: LocalTransport(base: StandardTransport())) { delivery in
            if isJSON {
                console.output.edit { delivery.write(to: &$0) }
                console.output.flush()
            } else {
                console.output.line(delivery.line(console.style))
            }
        }
        let server = try LoopbackServer(forwarder, port: port)
        defer { server.stop() }
        _ = await Interrupts.run {
            // A caller that sees this output may stop the server at once: signals are handled before it is printed.
            if isJSON {
                console.diagnostics.line("Listening at \(server.baseURL.text)")
            } else {
                console.output.line(
                    "Notifications to \(console.style(.strong, server.baseURL.text)) are forwarded to \(target.text). Ctrl-C stops it."
                )
            }
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
        }
        return .done
    }

    private static func again(
        _ payment: String, _ arguments: ParsedArguments, _ console: Console
    ) async throws -> ExitCode {
        let sandbox = try PayCommand.sandboxURL(arguments)
        let request = HTTPRequest(
            .post, try sandbox.appending(["_sandbox", "payments", payment, "notify"]),
            headers: ["Content-Type": "application/json", "Accept": "application/json"], body: Array("{}".utf8))
        let answer: HTTPResponse
        do { answer = try await LocalTransport(base: StandardTransport()).send(request) } catch {
            throw CommandError(description: error.description)
        }
        let json = try? JSONValue(parsing: answer.body)
        guard answer.status == 200, let isDelivered = json?["delivered"]?.bool else {
            let reason = json?["error"]?.string ?? "the sandbox answered with status \(answer.status)"
            throw CommandError(description: Printable.text(reason))
        }
        let kind = json?["kind"]?.string ?? ""
        if arguments.has("json") {
            console.output.edit { buffer in
                buffer.addJSONLine { line in
                    line.addMember("delivered", isDelivered)
                    line.addMember("kind", kind)
                    line.addMember("payment", payment)
                }
            }
        } else {
            console.output.line(
                "\(Printable.text(kind)): \(isDelivered ? "delivered" : "not delivered; it is tried again")")
        }
        return isDelivered ? .done : .failed
    }
}

/// Forwards requests to a server on this machine, and returns its answers.
struct Forwarder: SandboxService {
    /// One notification and its result.
    struct Delivery: Sendable {
        let method: String
        let path: String
        let size: Int
        /// Nil when the server could not be reached.
        let status: Int?
        let problem: String?

        /// `POST /hooks  412 bytes  -> 200`.
        func line(_ style: Style) -> String {
            let isGood = status.map { 200..<300 ~= $0 } ?? false
            let answer = status.map(String.init) ?? "not delivered: \(problem ?? "")"
            return "\(Printable.text(method)) \(Printable.text(path))  \(size) bytes  -> "
                + style(isGood ? .good : .bad, Printable.text(answer))
        }

        func write(to buffer: inout [UInt8]) {
            buffer.addJSONLine { line in
                line.addJSON("bytes", .number(JSONNumber(size)))
                line.addMember("method", method)
                line.addMember("path", path)
                line.addMember("problem", problem)
                line.addJSON("status", status.map { .number(JSONNumber($0)) } ?? .null)
            }
        }
    }

    /// The target of every request, whatever its path.
    let target: HTTPURL
    let transport: any HTTPTransport
    let report: @Sendable (Delivery) -> Void

    /// Fields that concern one connection only (RFC 9110, section 7.6.1), or that the transport writes itself.
    private static let ownFields: Set<String> = [
        "connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "host", "content-length", "expect",
        "proxy-connection",
    ]

    /// Returns the server's own answer, or 502 if there is none, so that the sandbox tries again.
    func respond(to request: HTTPRequest) async -> HTTPResponse {
        var copy = HTTPRequest(request.method, target, body: request.body)
        for field in request.headers.fields where !Self.ownFields.contains(field.name.lowercased()) {
            copy.headers.append(field.name, field.value)
        }
        let delivery = { (status: Int?, problem: String?) in
            Delivery(
                method: request.method.rawValue, path: request.url.path, size: request.body.count, status: status,
                problem: problem)
        }
        do {
            var answer = try await transport.send(copy)
            report(delivery(answer.status, nil))
            for name in Self.ownFields { answer.headers[name] = nil }
            return answer
        } catch {
            report(delivery(nil, "\(error)"))
            return HTTPResponse(status: 502)
        }
    }
}
