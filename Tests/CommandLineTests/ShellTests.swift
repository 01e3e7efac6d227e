import Foundation
import PaymentCore
import PaymentSandbox
import PaymentTesting
import SandboxSupport
import TestSupport
import Testing

@testable import PayrouteCommands

@Suite("completion, manual and doctor")
struct ShellTests {
    private let folder = ScratchFolder()

    private func run(_ program: String, _ words: [String], input: String = "") async throws -> Captured {
        try await Program(words, input: Array(input.utf8), executable: URL(filePath: program)).captured()
    }

    @Test(
        "bash completes commands, those below them, options and files",
        arguments: [
            ("payroute jo", ["journal"]),
            ("payroute journal ", ["list", "show", "resume", "end", "prune", "--help", "--version"]),
            ("payroute journal list --j", ["--journal", "--json"]), ("payroute sandbox t", ["tail"]),
            ("payroute sandbox tail --k", ["--kind"]), ("payroute pay --sandbox ", []),
            ("payroute sandbox tail --kind l", ["ledger"]), ("payroute completion z", ["zsh"]),
            ("payroute journal end --as not", ["not-paid", "not-paid-despite-transaction"]),
            ("payroute sandbox new --currency ", ["USD", "EUR", "GBP", "JPY"]), ("payroute nonsense --js", []),
            ("payroute pay --sandbox http://x --js", ["--json"]),
            ("payroute sandbox new citcon/wechat", ["citcon/wechatpay"]),
            ("payroute sandbox new payrails/pa", ["payrails/paid", "payrails/paid-while-waiting"]),
            ("payroute journal list --provider ", SandboxVendors.all.list.map(\.id.rawValue)),
            ("payroute status ci", ["citcon/"]), ("payroute refund pay", ["payrails/", "paykit/"]),
            ("payroute pay --wallet l", ["lnbits://", "lnd://"]), ("payroute doctor --wallet ph", ["phoenixd://"]),
            // The same option with other values, or with none that are known.
            ("payroute links add --wallet l", []), ("payroute sandbox --webhooks ", []),
        ])
    func bash(line: String, words: [String]) async throws {
        let script = await payroute("completion", "bash")
        #expect(script.code == 0)
        let file = folder.file("completion")
        try script.output.write(toFile: file, atomically: true, encoding: .utf8)
        let typed = line.split(separator: " ", omittingEmptySubsequences: false).map { "'\($0)'" }
        let check = """
            . '\(file)'; COMP_WORDS=(\(typed.joined(separator: " "))); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _payroute
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let result = try await run("/bin/bash", ["--norc", "-c", check])
        #expect(result.errors == "", "\(result.errors)")
        #expect(Set(result.lines) == Set(words), "\(result.lines)")
    }

    @Test("After --with bash offers the providers on PATH")
    func programs() async throws {
        try await payroute("completion", "bash").output
            .write(toFile: folder.file("completion"), atomically: true, encoding: .utf8)
        for name in ["payroute-provider-tea", "payroute-provider-tin", "payroute-provided"] {
            try "#!/bin/sh\n".write(toFile: folder.file(name), atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.file(name))
        }
        let check = """
            . '\(folder.file("completion"))'; PATH='\(folder.file("."))':$PATH
            COMP_WORDS=(payroute pay --with t); COMP_CWORD=3; _payroute; printf '%s\\n' "${COMPREPLY[@]}"
            """
        #expect(try await run("/bin/bash", ["--norc", "-c", check]).lines == ["tea", "tin"])
    }

    @Test("Completions offer every scenario of every simulated service")
    func scenarios() async throws {
        let services = SandboxServices(.all).all
        #expect(services.count > 3)
        for shell in ["bash", "zsh", "fish"] {
            let script = await payroute("completion", shell).output
            for service in services {
                for scenario in service.scenarios { #expect(script.contains("\(service.id)/\(scenario.name)")) }
            }
        }
    }

    @Test("After --journal bash offers files")
    func files() async throws {
        let script = await payroute("completion", "bash").output
        try script.write(toFile: folder.file("completion"), atomically: true, encoding: .utf8)
        try "".write(toFile: folder.file("diary"), atomically: true, encoding: .utf8)
        let start = folder.file("dia")
        let check = """
            . '\(folder.file("completion"))'; COMP_WORDS=(payroute pay --journal '\(start)'); COMP_CWORD=3; _payroute
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        #expect(try await run("/bin/bash", ["--norc", "-c", check]).lines == [folder.file("diary")])
    }

    @Test(
        "Every command and option is in every shell's script, and the shell can read it",
        arguments: ["bash", "zsh", "fish"])
    func complete(shell: String) async throws {
        let script = await payroute("completion", shell).output
        for command in CommandTree.all {
            for word in command.words { #expect(script.contains(word)) }
            for option in command.options {
                #expect(script.contains(shell == "fish" ? "-l \(option.name)" : "--\(option.name)"))
            }
        }
        guard let program = ["/bin/\(shell)", "/usr/bin/\(shell)"].first(where: FileManager.default.isExecutableFile)
        else {
            return
        }
        try script.write(toFile: folder.file("script"), atomically: true, encoding: .utf8)
        let result = try await run(program, ["-n", folder.file("script")])
        #expect(result.code == 0 && result.errors == "")
    }

    @Test("'completions' is another name of 'completion', 'man' of 'manual'")
    func names() async {
        #expect(await payroute("completions", "zsh").output == payroute("completion", "zsh").output)
        #expect(await payroute("man").output == payroute("manual").output)
        #expect(await payroute("help", "completions").output == payroute("help", "completion").output)
    }

    @Test("Every command has examples that its syntax takes, in its help and in the manual")
    func examples() async throws {
        let manual = await payroute("manual").output
        for command in CommandTree.all where command.syntax.subcommands.isEmpty || command.syntax.runsAlone {
            #expect(!command.syntax.examples.isEmpty, "\(command.words)")
            let help = await payroute(["help"] + command.words, input: []).output
            for example in command.syntax.examples {
                let words = Self.words(of: example.line)
                #expect(Array(words.prefix(1 + command.words.count)) == ["payroute"] + command.words)
                _ = try ParsedArguments(words.dropFirst(1 + command.words.count), for: command.syntax)
                #expect(help.contains(example.line) && help.contains("# \(example.effect)"))
                let escaped = example.line.replacing("-", with: "\\-").replacing("…", with: "...")
                #expect(manual.contains(escaped.replacing("₿", with: "\\[u20BF]")), "\(example.line)")
            }
        }
    }

    /// The words of a line up to a redirection or a pipe; quoted ones stay whole.
    private static func words(of line: String) -> [String] {
        var words: [String] = []
        for (index, part) in line.split(separator: "'", omittingEmptySubsequences: false).enumerated() {
            if index % 2 == 1 {
                words.append(String(part))
            } else {
                words += part.split(separator: " ").map(String.init)
            }
        }
        return Array(words.prefix { $0 != "<" && $0 != "|" })
    }

    @Test("A variable stands for --sandbox or --journal, unless the line names one, and an empty one for nothing")
    func variables() throws {
        func parse(_ words: [String], _ variables: [String: String]) throws -> ParsedArguments {
            try ParsedArguments(words, for: PayCommand.syntax) { variables[$0] }
        }
        let all = ["PAYROUTE_SANDBOX": "http://127.0.0.1:1", "PAYROUTE_JOURNAL": "a.db"]
        let arguments = try parse(["pay_1"], all)
        #expect(arguments.value("sandbox") == "http://127.0.0.1:1" && arguments.value("journal") == "a.db")
        #expect(try parse(["pay_1", "--sandbox", "x"], all).value("sandbox") == "x")
        #expect(try parse(["pay_1"], ["PAYROUTE_SANDBOX": ""]).value("sandbox") == nil)
        let options = CommandTree.all.flatMap(\.options)
        for name in ["sandbox", "journal"] {
            for option in options where option.name == name {
                #expect(option.variable == "PAYROUTE_\(name.uppercased())")
            }
        }
    }

    @Test("Another shell is refused with those that there are")
    func otherShell() async {
        let result = await payroute("completion", "tcsh")
        #expect(result.code == 64 && result.errors.contains("say bash, zsh or fish"))
    }

    @Test("The manual page has every command, and no line that is taken for a request")
    func manual() async throws {
        let page = await payroute("manual").output
        for command in CommandTree.all.dropFirst() {
            #expect(page.contains(".SS \(command.syntax.path.replacing("-", with: "\\-"))"), "\(command.words)")
        }
        let requests: Set<Substring> = [".TH", ".SH", ".SS", ".PP", ".TP", ".B"]
        for line in page.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
            #expect(requests.contains(line.prefix { $0 != " " }), "\(line)")
        }
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/groff") else { return }
        let result = try await run("/usr/bin/groff", ["-man", "-ww", "-Tutf8"], input: page)
        #expect(result.code == 0 && result.errors == "", "\(result.errors)")
        // Bold letters are printed twice over themselves.
        #expect(result.output.replacing(/.\u{8}/, with: "").contains("payroute sandbox tail --sandbox"))
    }

    // MARK: doctor

    @Test("doctor finds the libraries with their versions, and a journal and a sandbox that are not there")
    func doctor() async throws {
        let well = await payroute("doctor", "--json")
        #expect(well.code == 0, "\(well)")
        let findings = try well.objects
        func detail(_ what: String) -> JSONValue? { findings.first { $0["what"]?.string == what } }
        #expect(detail("payroute")?["detail"]?.string?.hasPrefix("\(CommandLineTool.versionText); ") == true)
        let providers = detail("providers")?["detail"]?.string ?? ""
        for vendor in SandboxVendors.all.list { #expect(providers.contains(vendor.id.rawValue), "\(providers)") }
        #if os(Linux)
            for name in ["libcurl", "libcrypto", "SQLite", "libqrencode", "libpng", "libmicrohttpd", "libsodium"] {
                #expect(detail(name)?["state"] == "ok")
                #expect(detail(name)?["detail"]?.string?.contains(/\d+\.\d+/) == true, "\(name)")
            }
        #endif
        let ill = await payroute(
            "doctor", "--journal", folder.file("none"), "--sandbox", "http://127.0.0.1:1")
        #expect(ill.code == 1)
        #expect(ill.output.contains("No such file") && ill.output.contains("no server answers at http://127.0.0.1:1"))
        #expect(try folder.names == [])
        #expect(await payroute("doctor", "--sandbox", "https://api.pay.walletconnect.com").code == 64)
    }
}
