package import PaymentCore
import PaymentLoopback
package import PaymentRouting
import PaymentStore
import PaymentTesting
import PaymentTransport
import SandboxSupport

/// `payroute serve`: an HTTP interface to the router, for programs in other languages.
enum ServeCommand: Command {
    static let name = "serve"
    /// The end of the name of the file beside a journal that keeps the payments of the callers.
    static let fileSuffix = ".served"
    static let summary = "Serve an HTTP API for programs in other languages."
    static let syntax = CommandSyntax(
        path: "payroute serve",
        overview: "Serve an HTTP API on this machine, for programs in other languages, until a signal comes.",
        discussion: """
            The API routes, quotes and pays as this program does, and pays once for each Idempotency-Key, also after a crash. GET /openapi.json describes it. Where a payment needs its payer (an option, a signature, a page, data), it has an action, which the caller answers. With --wallet the wallet signs and pays by itself.

            It listens on 127.0.0.1 only: other machines reach it through a reverse proxy on this one. With --tokens each call needs a token of that file: on each line a tenant's name, the SHA-256 of the token in hexadecimal, and its scopes: read, pay, refund, notify. A tenant sees its own payments only.

            With --accounts it works at the real services: a JSON object with one object for each service. Secrets are in other files, which it names. 'payroute doctor --accounts FILE' checks it and asks each service; its errors name the services and what each may state.

            With --webhooks what became of each payment is sent to its tenant's address, signed, again for three days until it is taken: on each line of that file a tenant's name ('local' without --tokens), the address, and the secret (whsec_ and base64), as in Standard Webhooks.

            Ctrl-C or SIGTERM ends it in good order: it takes no payments any more, waits for those that run, and leaves the rest in the journal.
            """,
        options: [
            .init(
                name: "port", value: "number", help: "The port on 127.0.0.1. (default: any free one)",
                variable: "PAYROUTE_PORT", form: "a number from 0 to 65535"),
            .init(
                name: "tokens", value: "file",
                help:
                    "The file of tokens, which only its owner may read. (default: every program of this machine may pay)",
                variable: "PAYROUTE_TOKENS"),
            .init(
                name: "webhooks", value: "file",
                help:
                    "The file of webhooks, which only its owner may read: addresses that get what became of payments.",
                variable: "PAYROUTE_WEBHOOKS"),
            .init(
                name: "drain", value: "seconds",
                help: "Wait at most so long for running payments at the end. (default: 20)",
                variable: "PAYROUTE_DRAIN", form: "a whole number from 0 to 600"),
            .init(
                name: "ready-file", value: "file",
                help: "Write the address into a file, as JSON, once it can be called; it is removed at the end."),
        ]
            + [AccountsOption.option]
            + PaymentOptions.payers.filter { $0.name != AllowTokenOption.syntax.name }
            .map { $0.name == JournalOption.syntax.name ? JournalOption.syntax : $0 },
        examples: [
            .init(
                "payroute serve --journal payments.db --sandbox http://127.0.0.1:8080", "pays at a sandbox"),
            .init("payroute serve --journal payments.db --port 7070 --tokens tokens.txt", "with tokens"),
            .init("payroute serve --journal payments.db --accounts accounts.json", "at the real services"),
        ],
        files: [
            ("FILE.served", "the payments of the callers and their webhooks, beside the journal FILE"),
            ("FILE (--ready-file)", "the address as JSON, while it runs"),
        ])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let port = try arguments.value("port") { UInt16($0) } ?? 0
        let bound = try arguments.value("drain") { UInt16($0).flatMap { $0 <= 600 ? $0 : nil } } ?? 20
        let tokens = try arguments.value("tokens").map { try ServeTokens(OwnersFile(path: $0, of: "tokens")) }
        let api = try await api(arguments, console, tokens: tokens)
        LoopbackServer.allowManyFiles()
        let server = try LoopbackServer(api, port: port)
        console.output.line("API at \(console.style(.strong, server.baseURL.text)), described at /openapi.json")
        if tokens == nil {
            console.output.flush()
            console.diagnostics.line(
                "Every program of this machine can pay here. Give --tokens with a file of tokens to decide which may.")
        }
        let path = arguments.value("ready-file")
        let (ready, _) = await Interrupts.run { () -> Result<ReadyFile?, any Error> in
            // A caller that sees the file may end the server at once: signals are handled before it is written.
            let ready = Result { try path.map { try ReadyFile($0, server.baseURL) } }
            guard case .success = ready else { return ready }
            console.output.line("Ctrl-C stops it.")
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
            return ready
        }
        try ready.get()?.remove()
        await api.payments.drain(within: .seconds(bound))
        server.stop()
        return .done
    }

    /// Makes the interface that a line asks for.
    ///
    /// - Parameter records: The store of the callers' payments. If nil, it is the file beside the journal.
    static func api(
        _ arguments: ParsedArguments, _ console: Console, tokens: ServeTokens?, records: (any RecordStore)? = nil
    ) async throws -> ServeAPI {
        guard let path = arguments.value(JournalOption.syntax.name) else {
            throw UsageError("Missing '--journal <file>': the file that keeps payments from being made twice", syntax)
        }
        let session = try await ServiceSession(arguments, console, creatingJournal: true)
        // A wallet signs and pays without a question only if the line names one.
        let hasWallet = arguments.value(WalletOption.option.name) != nil
        let targets = try arguments.value("webhooks").map {
            try WebhookTargets(
                OwnersFile(path: $0, of: "webhooks"), tenants: tokens?.tenants ?? [ServeTokens.Access.local.tenant])
        }
        let file = path + fileSuffix
        // The lease of a file is free when its server's process ends, and not before.
        let table = try await ServeTable(
            try records ?? SQLiteRecords(path: file), called: file, lease: .seconds(1 << 44), clock: console.clock)
        let metrics = ServeMetrics()
        let transport = StandardTransport()
        let senders = (targets?.targets ?? [:]).map { tenant, target in
            (
                tenant,
                WebhookSender(tenant, target, table, transport: transport, metrics: metrics, clock: console.clock)
            )
        }
        let payments = ServePayments(
            router: session.router, journal: try SQLiteJournal(path: path, creating: false), table: table,
            wallet: hasWallet ? session.payer : nil, metrics: metrics,
            webhooks: Dictionary(uniqueKeysWithValues: senders), clock: console.clock)
        let left = try await payments.open()
        if !left.isEmpty {
            let ids = left.prefix(20).map(\.id).joined(separator: ", ")
            console.diagnostics.line(
                "Left from an earlier run, and asked about in the background: \(left.count) payments (\(ids)"
                    + "\(left.count > 20 ? ", …" : "")). Nothing is sent for them before they are resumed.")
        }
        return ServeAPI(
            vendors: console.vendors, session: session, payments: payments, quotes: ServeQuotes(), metrics: metrics,
            tokens: tokens, clock: console.clock)
    }
}

/// The interface of `payroute serve` over any router, without a port: for callers in the same process.
package struct ServeInterface: Sendable {
    let api: ServeAPI

    /// Opens a store of payments, and looks at those that are left in it.
    ///
    /// - Parameters:
    ///   - router: the router, over `journal`.
    ///   - records: the store of the callers' payments.
    ///   - wallet: the wallet that pays by itself. If nil, the callers are asked.
    ///   - tokens: the content of a file of tokens.
    package init(
        over router: PaymentRouter, journal: any PaymentJournal, records: any RecordStore, wallet: Payer?,
        tokens: String,
        random: any RandomSource, clock: any PaymentClock
    ) async throws {
        let metrics = ServeMetrics()
        let payments = ServePayments(
            router: router, journal: journal,
            table: try await ServeTable(records, called: "served payments", random: random, clock: clock),
            wallet: wallet, metrics: metrics, random: random, clock: clock)
        api = ServeAPI(
            vendors: SandboxVendors([]), session: ServiceSession(router, payer: wallet ?? Payer()),
            payments: payments, quotes: ServeQuotes(random: random), metrics: metrics,
            tokens: try ServeTokens(OwnersFile(tokens, called: "tokens")), clock: clock)
        _ = try await payments.open()
    }

    /// Answers a call.
    package func answer(_ request: HTTPRequest) async -> HTTPResponse { await api.respond(to: request) }

    /// Ends it in good order.
    package func drain(within bound: Duration) async { await api.payments.drain(within: bound) }

    /// Cancels running payments, and begins no others.
    package func stop() async { await api.payments.stop() }
}
