import ChildProcesses
import Foundation
import PaymentCore
import PaymentLoopback
import PaymentTesting
import SandboxHome
import SandboxSupport
import Synchronization

/// `payroute sandbox`: the simulated services on this machine, until a signal comes.
enum SandboxCommand: Command {
    static let name = "sandbox"
    static let summary = "Serve simulated payment services on this machine."
    static let syntax = CommandSyntax(
        path: "payroute sandbox",
        overview: "Serve simulated payment services on this machine, with a home page to try and watch them.",
        discussion:
            "Runs until Ctrl-C (or SIGTERM) and prints every request as it comes, then the end of every payment. No real money "
            + "is involved. In a test suite of any language: --port 0 --ready-file FILE, and the interface that "
            + "/_sandbox/openapi.json describes.",
        options: [
            .init(
                name: "port", value: "number", help: "The port on 127.0.0.1. (default: any free one)",
                form: "a number from 0 to 65535"),
            .init(
                name: "seed", value: "number", help: "Make the random part of ids and nonces repeatable.",
                form: "a whole number"),
            .init(
                name: "webhooks", value: "url",
                help:
                    "Send webhooks without a receiver of their payment to a server on this machine, signed and repeated.",
                form: "an address on this machine, such as http://127.0.0.1:3000/hooks"),
            .init(
                name: "pubky-testnet",
                help: "Serve at the ports at which clients of a Pubky testnet look: 6286, 15411 and 15412."),
            .init(
                name: "dishonest", help: "Also list payments of a dishonest gateway, none of which may be signed."),
            .init(name: "list", help: "Print a payment link for each scenario."),
            .init(name: "open", help: "Open the home page in the browser."),
            .init(
                name: "ready-file", value: "file",
                help: "Write the address into a file, as JSON, once it can be called; it is removed at the end."),
        ], subcommands: subcommands.map { ($0.name, $0.summary) }, runsAlone: true,
        examples: [
            .init("payroute sandbox --open", "with its home page in the browser"),
            .init("payroute sandbox --port 0 --ready-file ready.json", "for a test suite"),
            .init("payroute sandbox --pubky-testnet", "for a Pubky client that takes no other address"),
        ],
        files: [("FILE (--ready-file)", "the address as JSON, while the sandbox runs")])

    static var subcommands: [any Command.Type] { [NewPaymentCommand.self, TailCommand.self, NotifyCommand.self] }
    static let runsAlone = true

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        var port = try arguments.value("port") { UInt16($0) } ?? 0
        let seed = try arguments.value("seed") { UInt64($0) }
        let random: any RandomSource = seed.map { SeededRandomSource(seed: $0) } ?? SystemRandomSource()
        // A person needs more time to try everything than the real services allow.
        let webhooks = try arguments.value("webhooks") { text in
            (try? HTTPURL(text)).flatMap { $0.isLoopback ? $0 : nil }
        }
        let clock = SandboxClock()
        let services = SandboxServices(
            console.vendors, random: random, lifetime: 24 * 3600, webhooks: webhooks, clock: clock)
        let showsTampered = arguments.has("dishonest")
        let log = LiveLog(console)
        let home = SandboxHome(
            services.all, showsTampered: showsTampered, actions: try HomeActions(console.vendors, clock: clock),
            clock: clock
        ) { log.print($0) }
        LoopbackServer.allowManyFiles()
        let testnet = arguments.has("pubky-testnet") ? services.all.lazy.compactMap(\.testnet).first : nil
        if let testnet {
            guard port == 0 || port == testnet.port else {
                throw UsageError(
                    "'--pubky-testnet' serves at port \(testnet.port), at which clients look: leave '--port' out",
                    syntax)
            }
            port = testnet.port
        }
        let server = try LoopbackServer(home, port: port)
        let base = server.baseURL
        let parts = try testnet.map { try TestnetPorts($0, of: home, at: base) }
        await home.open()
        console.output.write("Sandbox at \(console.style(.strong, base.text)) (simulated: \(services.titles))\n")
        if arguments.has("list") {
            await list(services.all, at: base, home, showsTampered: showsTampered, console)
        } else {
            welcome(base, console)
        }
        for (address, path) in parts?.parts ?? [] {
            console.output.write("  \(address.text) is \(base.text)\(path)\n")
        }
        let path = arguments.value("ready-file")
        let opens = arguments.has("open")
        let (ready, _) = await Interrupts.run { () -> Result<ReadyFile?, any Error> in
            // A caller that sees the file may stop the sandbox at once: signals are handled before it is written.
            let ready = Result { try path.map { try ReadyFile($0, base) } }
            guard case .success = ready else { return ready }
            console.output.line("\nCtrl-C stops it.")
            if opens { Browser.open(base.text, console) }
            log.begin()
            await sleepUntilCancelled()
            log.end()
            return ready
        }
        try ready.get()?.remove()
        let closing = await home.closing()
        await home.close()
        parts?.stop()
        server.stop()
        console.output.line()
        var table = Table(["PAYMENT", "SCENARIO", "WHAT HAPPENED"])
        for (_, payment, scenario, words) in closing {
            table.add([
                Table.Cell(Printable.text(payment)), Table.Cell(scenario ?? "made by another program"),
                Table.Cell(words.map(\.rawValue).joined(separator: ", ")),
            ])
        }
        console.show(table)
        return .done
    }

    /// Shows the pages' addresses.
    static func welcome(_ base: HTTPURL, _ console: Console) {
        if console.drawsCodes { QRCode.show(base.text, console) }
        let rows = [
            ("/", "what runs here, and how to point a program at it"),
            ("/playground", "what any payment text is"), ("/scenarios", "payments to try: new, open, pay"),
            ("/ledger", "requests, faults and money, live"), ("/checkout", "a shop's checkout"),
            ("/_sandbox/openapi.json", "for test suites in any language"),
        ]
        for (path, text) in rows {
            console.output.write(
                "  " + Table.line([Table.Cell(base.text + path), Table.Cell(text, .faint)], [46, 0], console.style)
                    + "\n")
        }
        console.output.write("  \(program) sandbox new --sandbox \(base.text)\n")
    }

    /// Lists a link for each scenario.
    private static func list(
        _ services: [any ListedService], at base: HTTPURL, _ home: SandboxHome, showsTampered: Bool, _ console: Console
    ) async {
        func announce(_ scenarios: [SimulatedScenario], of service: any ListedService) async {
            for scenario in scenarios {
                guard let payment = await home.make(scenario.name, of: service.id, at: base) else { continue }
                Self.announce(payment, base, console)
            }
        }
        for service in services {
            console.output.line("\n" + console.style(.strong, service.title))
            if let hint = service.hint { console.output.line(hint) }
            await announce(service.scenarios, of: service)
        }
        for service in services where showsTampered && !service.tampered.isEmpty {
            console.output.line("\n" + console.style(.strong, "\(service.title), dishonest gateway"))
            console.output.line("Each of these is refused before anything is signed, with the reason.")
            await announce(service.tampered, of: service)
        }
    }

    private static func announce(_ payment: SandboxPayment, _ base: HTTPURL, _ console: Console) {
        console.output.write(
            """

            \(console.style(.strong, payment.scenario)): \(payment.summary)
              \(payment.command(program, at: base.text))

            """)
    }

    /// The program's name as it was called, so that the commands shown can be pasted.
    private static var program: String {
        guard let path = CommandLine.arguments.first, path.contains("/") else { return "payroute" }
        let isPlain = path.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "/._-+".utf8.contains($0) }
        return isPlain
            ? path : "'\(path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#))'"
    }

    private static func sleepUntilCancelled() async {
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
    }
}

// MARK: - Helpers

/// The ports of a testnet where its clients look for parts of the sandbox.
struct TestnetPorts {
    private let servers: [LoopbackServer]
    /// The address of each part, and the path that its root stands for.
    let parts: [(address: HTTPURL, path: String)]

    /// Serves the parts of a sandbox that is itself served at `base`.
    ///
    /// - Throws: `SandboxError`, naming the port.
    init(_ testnet: ListedTestnet, of sandbox: any SandboxService, at base: HTTPURL) throws(SandboxError) {
        var servers: [LoopbackServer] = []
        for part in testnet.parts {
            let moved = MovedService(sandbox, at: base.origin) { part.path + $0 }
            servers.append(try LoopbackServer(moved, port: part.port))
        }
        self.servers = servers
        parts = zip(servers, testnet.parts).map { ($0.baseURL, $1.path) }
    }

    func stop() { for server in servers { server.stop() } }
}

/// A file that reports the sandbox's address to its starter once it is ready.
struct ReadyFile {
    private let url: URL

    /// Writes the file, whole or not at all.
    init(_ path: String, _ base: HTTPURL) throws {
        url = URL(filePath: path)
        let content: JSONValue = [
            "url": .string(base.text), "port": .number(JSONNumber(Int(base.port))),
            "pid": .number(JSONNumber(Int(ProcessInfo.processInfo.processIdentifier))),
        ]
        do {
            try Data(content.serialized() + Array("\n".utf8)).write(to: url, options: .atomic)
        } catch {
            throw CommandError(
                description:
                    "\(Printable.text(path)) cannot be written: name a file in a folder that is there and writable")
        }
    }

    /// Removes the file, so that an ended sandbox is not called.
    func remove() { try? FileManager.default.removeItem(at: url) }
}

/// The user's browser.
enum Browser {
    /// Opens an address, or reports that it could not.
    static func open(_ address: String, _ console: Console) {
        #if canImport(Glibc) || canImport(Musl)
            let program = "xdg-open"
        #else
            let program = "open"
        #endif
        guard let opener = try? ChildProcess("/usr/bin/env", [program, address]) else { return fail(address, console) }
        Task {
            if await opener.end() != 0 { fail(address, console) }
        }
    }

    private static func fail(_ address: String, _ console: Console) {
        console.diagnostics.line("No browser could be started; open \(address) in one.")
    }
}

/// The events of the sandbox, one line each, while it runs: ``TailCommand`` shows the same of a sandbox elsewhere.
final class LiveLog: Sendable {
    private let console: Console
    private let isOn = Mutex(false)

    init(_ console: Console) { self.console = console }

    /// Shows every event from now on.
    func begin() { isOn.withLock { $0 = true } }

    /// Shows no more events.
    func end() { isOn.withLock { $0 = false } }

    func print(_ event: HomeEvent) {
        guard isOn.withLock({ $0 }) else { return }
        console.output.line(TailCommand.line(event.json, console.style))
    }
}
