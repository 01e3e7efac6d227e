import Foundation
import PaymentCore
import SandboxSupport
import TestSupport
import Testing

@testable import PayrouteCommands

/// `PAYROUTE_CONFIG`: a file of values for options that neither the line nor the environment has.
@Suite("a file of settings")
struct SettingsTests {
    private let folder = ScratchFolder()

    private func write(_ text: String, mode: Int = 0o600) throws {
        let path = folder.file("payroute.json")
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    /// Returns the values that a line of `pay` has.
    private func arguments(
        _ words: [String] = [], _ environment: [String: String] = [:]
    ) throws -> ParsedArguments {
        let variables = environment.merging([Settings.variable: folder.file("payroute.json")]) { own, _ in own }
        let console = Console(vendors: .init([]), environment: { variables[$0] })
        var arguments = try ParsedArguments(
            ["pay:1"] + words, for: PayCommand.syntax, environment: console.environment)
        let settings = try #require(try Settings.named(by: console))
        arguments.fill { settings.values[$0] }
        return arguments
    }

    @Test("Stands for options, after the line and the environment; files are looked for beside it")
    func order() throws {
        try write(#"{"journal":"payments.db","auto-within":"5 EUR/day","wallet":1,"port":7070}"#)
        let plain = try arguments()
        #expect(plain.value("journal") == folder.file("payments.db"))
        #expect(plain.value("auto-within") == "5 EUR/day" && plain.value("wallet") == "1")
        let variables = ["PAYROUTE_AUTO_WITHIN": "6 EUR/day", "PAYROUTE_JOURNAL": ""]
        let named = try arguments(["--auto-within", "7 EUR/day"], variables)
        #expect(named.value("auto-within") == "7 EUR/day" && named.value("journal") == folder.file("payments.db"))
        #expect(try arguments([], variables).value("auto-within") == "6 EUR/day")
        try write(#"{"journal":"/srv/payments.db"}"#)
        #expect(try arguments().value("journal") == "/srv/payments.db")
    }

    @Test(
        "An option of one run, a flag and an unknown name are in no file, and values are in no error",
        arguments: [
            #"{"amount":"secret-5 EUR"}"#, #"{"yes":"secret"}"#, #"{"journl":"secret"}"#, #"{"journal":["secret"]}"#,
            #"{"journal":"secret","journal":"b"}"#, #"["secret"]"#, #"{"journal":""}"#, "",
        ])
    func refused(text: String) throws {
        try write(text)
        let error = #expect(throws: CommandError.self) { try arguments() }
        #expect(error?.description.contains("file of settings") == true)
        #expect(error?.description.contains("secret") == false)
    }

    @Test(
        "A file that others may change is refused, and so is one that is not there", arguments: [0o620, 0o602, 0o600])
    func others(mode: Int) throws {
        try write("{}", mode: mode)
        if mode == 0o600 { try FileManager.default.removeItem(atPath: folder.file("payroute.json")) }
        #expect(throws: CommandError.self) { try arguments() }
    }

    @Test("doctor names the settings, and looks at the journal that they name")
    func doctor() async throws {
        try write(#"{"journal":"missing.db","port":"7070"}"#)
        let result = await payroute(
            ["doctor", "--json"], input: [], environment: [Settings.variable: folder.file("payroute.json")])
        let found = try result.objects
        #expect(found.first { $0["what"] == "settings" }?["detail"]?.string == "journal, port")
        #expect(found.first { $0["what"] == "journal" }?["state"] == "bad")
        #expect(result.code == 1)
    }

    @Test("A broken file stops neither help nor a command without settings")
    func broken() async throws {
        try write("{")
        let environment = [Settings.variable: folder.file("payroute.json")]
        for words in [["pay", "--help"], ["inspect", "lightning:lnbc1"], ["completion", "bash"]] {
            let result = await payroute(words, input: [], environment: environment)
            #expect(!result.errors.contains("file of settings"), "\(result)")
        }
        let refused = await payroute(["pay", "pay:1"], input: [], environment: environment)
        #expect(refused.code == 1 && refused.errors.contains("file of settings"), "\(refused)")
    }
}
