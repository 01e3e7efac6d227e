import PaymentCore
import PaymentRouting

/// `payroute journal resume`.
enum JournalResumeCommand: Command {
    static let name = "resume"
    static let summary = "Settle interrupted attempts."
    static let syntax = CommandSyntax(
        path: "payroute journal resume",
        overview: "Settle one interrupted attempt, or all of them.",
        discussion: """
            Finished steps are not run again. An attempt that may have moved money is settled by asking the service. One that had sent nothing continues. With your own wallet, real money leaves only with --yes: without it the wallet is asked about what it has begun, and what it was not asked for is abandoned.

            Exits with 0 only if every attempt is settled: paid, or certainly not.
            """,
        arguments: [
            .init(
                name: "attempt", help: "The attempt, as 'payroute journal list' shows it. (default: all)",
                isOptional: true)
        ],
        options: [
            .init(name: "json", help: "Print one JSON object per attempt, one line each."),
            .init(name: "yes", help: "Pay what is left to be paid with real money from your own wallet."),
        ] + PaymentOptions.payers.map { $0.name == JournalOption.syntax.name ? JournalOption.syntax : $0 },
        examples: [
            .init("payroute journal resume --journal payments.db", "after a crash")
        ])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        _ = try JournalOption.path(arguments)
        let session = try await PaymentSession(arguments, console, creatingJournal: false) { _ in }
        var payer = session.payer
        if try WalletOption.movesRealMoney(arguments), !arguments.has(PaymentConsent.option.name) {
            payer.settler = payer.settler.map { UnpaidSettler(base: $0) }
        }
        let id = arguments.positionals.first.map { AttemptID(rawValue: $0) }
        let (result, signal) = await Interrupts.run { [payer] () -> Result<[RecoveryReport], PaymentError> in
            do throws(PaymentError) {
                guard let id else { return .success(try await session.router.recover(as: payer)) }
                return .success([try await session.router.recover(id, as: payer)])
            } catch {
                return .failure(error)
            }
        }
        let reports = try result.get()
        let layout = console.layout(["ATTEMPT", "SUBJECT", "REFERENCE", "OUTCOME", "WHY"], [28, 7, 40, 9, 24])
        for report in reports {
            await show(report, isJSON: arguments.has("json"), layout, console, router: session.router)
        }
        let isDone = reports.allSatisfy(\.isSettled)
        if !isDone { console.diagnostics.line("Not everything is settled. Run the same command again later.") }
        return isDone ? .done : signal.map(ExitCode.interrupted(by:)) ?? .failed
    }

    private static func show(
        _ report: RecoveryReport, isJSON: Bool, _ layout: Table.Layout, _ console: Console, router: PaymentRouter
    ) async {
        let attempt = report.attempt
        var result = PaymentResult("")
        switch report.result {
        case .success(let outcome): result.end(.stated(outcome))
        case .failure(let error):
            result.end(await router.statement(on: error, of: attempt.reference))
            if error.code == .unroutable {
                result.reason += "; name it with --with \(attempt.reference.provider) if it is an external provider"
            }
        }
        if isJSON {
            console.output.edit { buffer in
                buffer.addJSONLine { line in
                    line.addMember("askAgain", report.askAgain.map(AttemptSummary.text))
                    line.addMember("attempt", attempt.id.rawValue)
                    line.addMember("outcome", result.ending.rawValue)
                    line.addMember("provider", attempt.reference.provider.rawValue)
                    line.addMember("reason", result.reason)
                    line.addMember("reference", attempt.reference.id)
                    line.addMember("settled", report.isSettled)
                    line.addMember("subject", attempt.reference.subject.kind)
                    line.addMember("transaction", result.transaction)
                }
            }
        } else {
            let cells = [
                Table.Cell(Printable.text(attempt.id.rawValue)), Table.Cell(attempt.reference.subject.kind),
                Table.Cell(Printable.text(attempt.reference.id)),
                Table.Cell(result.ending.rawValue, result.ending.tone), Table.Cell(Printable.text(result.reason)),
            ]
            for line in layout.lines(cells) { console.output.line(line) }
        }
    }
}
