import Foundation
import TestSupport
import Testing

@testable import PayrouteCommands

/// The built program, as a shell starts it.
@Suite("The program")
struct ProgramTests {
    @Test("Help goes to standard output and ends with 0", arguments: [[], ["-h"], ["--help"], ["help"]])
    func help(words: [String]) async throws {
        let result = try await Program(words).captured()
        #expect(
            result.output == """
                OVERVIEW: Reads any payment link, URI or QR text, says who gets how much until
                when, and pays it once at the right provider.

                USAGE: payroute <subcommand>

                OPTIONS:
                  --version               Show the version.
                  -h, --help              Show help information.

                SUBCOMMANDS:
                  route                   Say where each link goes and why.
                  inspect                 Say what a payment text is: who gets how much until
                                          when.
                  qr                      Draw the QR code of a payment text.
                  quote                   Show payee, amount and options of a link; on a
                                          terminal, choose and pay.
                  pay                     Pay a link, at a sandbox or with your own Lightning
                                          wallet.
                  status                  Ask for the outcome of a payment.
                  refund                  Refund a payment, in whole or in part, once.
                  cancel                  Cancel a payment that is not paid yet.
                  review                  Show the effects of wallet calls, or why they are
                                          refused.
                  journal                 List, show, resume, end or prune a journal's payments.
                  links                   Exchange requests for payments with other users of a
                                          sandbox, privately.
                  providers               List the providers with their link patterns and
                                          capabilities.
                  serve                   Serve an HTTP API for programs in other languages.
                  sandbox                 Serve simulated payment services on this machine.
                  demo                    Route a mixed list of links and pay one per scenario.
                  doctor                  Check this installation: libraries, journal, sandbox,
                                          accounts, wallet.
                  completion              Print completions for bash, zsh or fish.
                  manual                  Print the manual page, for man.
                  new-provider            Write your own provider, which compiles and passes its
                                          tests.

                FILES:
                  FILE (--journal)        the journal of payments, an SQLite database that only
                                          its owner can read
                  FILE.orders             orders at your own wallets, beside the journal
                  FILE.private            receipts and private links, beside the journal
                  FILE.served             payments of 'payroute serve', beside the journal

                ENVIRONMENT:
                  PAYROUTE_CONFIG         a file, as JSON, with values of options that have a
                                          variable: {"journal": "payments.db"}
                  PAYROUTE_SANDBOX        stands for --sandbox, where a command has it
                  PAYROUTE_JOURNAL        stands for --journal, where a command has it
                  PAYROUTE_ACCOUNTS       stands for --accounts, where a command has it
                  PAYROUTE_WALLET         stands for --wallet, where a command has it
                  PAYROUTE_WALLET_KEY_FILE
                                          stands for --wallet-key-file, where a command has it
                  PAYROUTE_WALLET_CERTIFICATE
                                          stands for --wallet-certificate, where a command has
                                          it
                  PAYROUTE_DNS            stands for --dns, where a command has it
                  PAYROUTE_WALLET_KEY     your wallet's key itself, where no file has it
                  NO_COLOR                any value but the empty one disables colour
                  TERM                    with 'dumb' nothing is drawn, and each row of a table
                                          is a list of lines
                  PATH                    is searched for programs called payroute-provider-NAME
                                          when --with NAME asks for one

                EXAMPLES:
                  # who gets how much
                  payroute inspect 'upi://pay?pa=nadeem@npci&pn=Nadeem&am=3000&cu=INR'
                  # simulated services, with a home page
                  payroute sandbox
                  # the address that it prints
                  export PAYROUTE_SANDBOX=http://127.0.0.1:8080
                  # pays there
                  payroute pay 'https://pay.walletconnect.com/?pid=pay_…'

                  See 'payroute help <subcommand>' for detailed help.

                """)
        #expect(result.errors == "")
        #expect(result.code == 0)
    }

    @Test(
        "Names of commands of other tools lead to the command that does it",
        arguments: [
            ("server", "sandbox"), ("listen", "sandbox notify"), ("trigger", "sandbox new"), ("logs", "sandbox tail"),
            ("config", "providers"), ("scan", "inspect --image"), ("watch", "sandbox tail"), ("log", "journal show"),
            ("recover", "journal resume"), ("void", "cancel"), ("price", "quote"),
        ])
    func otherWords(word: String, command: String) async throws {
        for words in [[word], [word, "x"], ["help", word]] {
            let result = await payroute(words, input: [])
            #expect(result.code == 64 && result.output == "")
            #expect(result.errors.contains("'payroute \(command)"), "\(result.errors)")
        }
        // The advice names an existing command.
        let path = command.split(separator: " ").prefix { !$0.hasPrefix("-") }.map(String.init)
        #expect(await payroute(["help"] + path, input: []).code == 0, "\(path)")
    }

    @Test("Every command explains itself", arguments: CommandLineTool.commands.map { $0.name })
    func commandHelp(name: String) async throws {
        let viaHelp = await payroute("help", name)
        let viaFlag = await payroute(name, "--help")
        #expect(viaHelp.output.contains("USAGE: payroute \(name)"))
        #expect(viaHelp.output == viaFlag.output)
        #expect(viaHelp.code == 0 && viaFlag.code == 0)
        #expect(viaHelp.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    @Test("The version", arguments: [["--version"], ["route", "--version"]])
    func version(words: [String]) async throws {
        let result = await payroute(words, input: [])
        #expect(result.output == CommandLineTool.versionText + "\n" && result.code == 0)
    }

    @Test("The version is the latest of the change log, and counts as released once that has its date")
    func changelog() throws {
        let file = Vectors.root.appending(path: "CHANGELOG.md")
        let line = try #require(
            String(contentsOf: file, encoding: .utf8).split(separator: "\n").first { $0.hasPrefix("## [") })
        #expect(line.hasPrefix("## [\(CommandLineTool.version)]"))
        #expect(line.contains(" - ") == CommandLineTool.isReleased)
    }

    @Test(
        "Bad command lines end with 64, say why and where to read more, and print nothing else",
        arguments: [
            (["rout"], "Error: Unknown subcommand 'rout'. Did you mean 'route'?", "payroute --help"),
            (
                ["check"], "Error: Unknown subcommand 'check': 'payroute doctor' looks at this installation",
                "payroute --help"
            ),
            (["--jason"], "Error: Unknown option '--jason'", "payroute --help"),
            (["help", "nothing"], "Error: Unknown subcommand 'nothing'", "payroute --help"),
            (["route"], "Error: Missing expected argument '<uri> ...'", "payroute help route"),
            (
                ["route", "--jsom", "x"], "Error: Unknown option '--jsom'. Did you mean '--json'?",
                "payroute help route"
            ),
            (
                ["inspect", "--json"], "Error: Missing expected argument '<uri> ...', or '--image <file>'",
                "payroute help inspect"
            ),
            (["providers", "x"], "Error: Unexpected argument 'x'", "payroute help providers"),
        ])
    func usage(words: [String], message: String, help: String) async throws {
        let result = try await Program(words).captured()
        let lines = result.errors.split(separator: "\n")
        #expect(lines.first.map(String.init) == message)
        #expect(lines.last.map(String.init) == "  See '\(help)' for more information.")
        #expect(result.code == 64 && result.output == "")
    }

    @Test("Results, totals and the exit code of a stream")
    func stream() async throws {
        let result = try await Program.run("route", "--json", "-", input: "pay_1\r\n\"a\\nb\"\npay_2")
        #expect(result.lines.count == 3)
        #expect(result.lines[1].contains(#""input":"a\nb""#))
        #expect(result.errors.hasPrefix("3 links in "))
        #expect(result.code == 1)
    }

    @Test("A reader that goes away ends a long stream early and quietly")
    func closedPipe() async throws {
        let program = try #require(Program.url("payroute")?.path)
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(String(repeating: "https://example.com/\n", count: 400_000).utf8).write(to: file)
        let result = try await shell("'\(program)' route --json - < '\(file.path)' | head -n 1")
        #expect(result.lines.count == 1)
        let errors = result.errors.split(separator: "\n")
        #expect(errors.count == 1)
        let links = try #require(errors.first.flatMap { Int($0.prefix { $0 != " " }) })
        #expect(links < 400_000)
    }

    @Test("A full disk is an error")
    func fullDisk() async throws {
        let program = try #require(Program.url("payroute")?.path)
        let result = try await shell("'\(program)' route pay_1 > /dev/full; echo $? >&2")
        #expect(result.errors == "Error: The output cannot be written: No space left on device\n1\n")
    }

    private func shell(_ script: String) async throws -> Captured {
        try await Program(["-c", script], executable: URL(fileURLWithPath: "/bin/sh")).captured()
    }
}
