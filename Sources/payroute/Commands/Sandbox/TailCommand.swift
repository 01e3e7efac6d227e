import Dispatch
import PaymentCore

/// `payroute sandbox tail`: the events of a running sandbox, as they happen.
enum TailCommand: Command {
    static let name = "tail"
    static let summary = "Show a running sandbox's requests, faults and ledger, live."
    static let syntax = CommandSyntax(
        path: "payroute sandbox tail",
        overview:
            "Show what happens at a running sandbox, while it happens: requests, faults, the ledger, notifications.",
        discussion: "Runs until Ctrl-C, or until the sandbox stops.",
        options: [
            PaymentOptions.sandbox,
            .init(
                name: "kind", value: "kind",
                help: "Only one kind: request, ledger, notification, step, fault or clock. (default: all)",
                values: kinds),
            .init(name: "json", help: "Print the sandbox's own JSON object per event, one line each."),
        ],
        examples: [
            .init("payroute sandbox tail --sandbox http://127.0.0.1:8080 --kind ledger", "only the money")
        ])

    private static let kinds = ["request", "ledger", "notification", "step", "fault", "clock"]

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let sandbox = try PayCommand.sandboxURL(arguments)
        let kind = try arguments.value("kind") { kinds.contains($0) ? $0 : nil }
        let isJSON = arguments.has("json")
        let stream = try EventStream(sandbox)
        let (ending, signal) = await Interrupts.run { () -> EventStream.ConnectionError? in
            await withTaskCancellationHandler {
                await withCheckedContinuation { ended in
                    // A separate thread: it waits for the network most of the time.
                    DispatchQueue.global().async {
                        var failure: EventStream.ConnectionError?
                        do throws(EventStream.ConnectionError) {
                            try stream.read("/_sandbox/events") { show($0, kind: kind, isJSON: isJSON, console) }
                        } catch { failure = error }
                        ended.resume(returning: failure)
                    }
                }
            } onCancel: {
                stream.stop()
            }
        }
        if signal != nil { return .done }
        if let ending { throw CommandError(description: ending.description) }
        if !console.output.isClosed { console.diagnostics.line("The sandbox has stopped.") }
        return .done
    }

    /// Shows one event; false when the output is no longer read.
    private static func show(_ data: String, kind: String?, isJSON: Bool, _ console: Console) -> Bool {
        guard let event = try? JSONValue(parsing: data), let members = event.object else { return true }
        if let kind, event["kind"]?.string != kind { return true }
        if isJSON {
            console.output.edit { $0.addJSONLine(members) }
            console.output.flush()
        } else {
            console.output.line(line(event, console.style))
        }
        return !console.output.isClosed
    }

    /// `13:04:05  request       POST /v1/… -> 200  fault stall`.
    static func line(_ event: JSONValue, _ style: Style) -> String {
        func text(_ name: String) -> String { Printable.text(event[name]?.string ?? "") }
        let status = event["status"]?.int64
        let arrow = status.map { $0 == 0 ? " -> closed" : " -> \($0)" } ?? ""
        let fault = event["fault"]?.string.map { "fault " + Printable.text($0) } ?? ""
        let more = [text("detail"), fault, text("payment")].filter { !$0.isEmpty }.joined(separator: "  ")
        let isBad = fault.isEmpty && (status ?? 200) < 400 && status != 0
        let cells = [
            Table.Cell(String(text("at").dropFirst(11).prefix(8)), .faint), Table.Cell(text("kind"), .faint),
            Table.Cell(text("title") + arrow, isBad ? nil : .doubtful), Table.Cell(more, .faint),
        ]
        return Table.line(more.isEmpty ? Array(cells.dropLast()) : cells, [8, 12, 0, 0], style)
    }
}
