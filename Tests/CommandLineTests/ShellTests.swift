import Foundation
import PaymentCore
import TestSupport
import Testing

@testable import PayrouteCommands

@Suite("completion, manual and doctor")
struct ShellTests {
    private let folder = ScratchFolder()

    private func run(_ program: String, _ words: [String], input: String = "") async throws -> Captured {
        let program = try Program(words, input: Array(input.utf8), executable: URL(filePath: program))
        let output = await program.lines.reduce(into: "") { $0 += $1 + "\n" }
        let (code, errors) = await program.end()
        return Captured(code: code, output: output, errors: errors)
    }

    @Test(
        "bash completes commands, those below them, options and files",
        arguments: [
            ("payroute jo", ["journal"]),
            ("payroute journal ", ["list", "show", "resume", "end", "prune", "--help", "--version"]),
            ("payroute journal list --j", ["--journal", "--json"]), ("payroute sandbox t", ["tail"]),
            ("payroute sandbox tail --k", ["--kind"]), ("payroute pay --sandbox ", []), ("payroute nonsense --js", []),
            ("payroute pay --sandbox http://x --js", ["--json"]),
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
        #expect(detail("payroute")?["detail"]?.string == CommandLineTool.version)
        #if os(Linux)
            for name in ["libcurl", "libcrypto", "SQLite", "libqrencode", "libpng", "libmicrohttpd"] {
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
