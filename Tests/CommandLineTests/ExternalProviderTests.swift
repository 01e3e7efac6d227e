import Foundation
import PaymentCore
import PaymentLoopback
import PaymentRouting
import PaymentSandbox
import PaymentTesting
import Synchronization
import TestSupport
import Testing

@testable import PayrouteCommands
@testable import custom_provider

/// Providers that are separate programs.
@Suite("External providers", .enabled(if: Python.isThere))
struct ExternalProviderTests {
    private let programs = ExternalPrograms()
    private var folder: ScratchFolder { programs.folder }

    // MARK: The example

    /// In Python and, where Node.js is there, in JavaScript.
    private static let examples =
        ["coffee"] + (FileManager.default.isExecutableFile(atPath: "/usr/bin/node") ? ["kiosk"] : [])

    @Test("The examples conform: crashes, spoilt answers and cancellations at any moment", arguments: examples)
    func conformance(name: String) async throws {
        let provider = try ExternalProvider(
            name: name, path: ExternalPrograms.example + "/payroute-provider-\(name)",
            environment: ["PATH": ExternalPrograms.path])
        let report = await ProviderConformance.check { clock, _ in SimulatedCoffee(provider, clock: clock) }
        // It has none.
        #expect(report.isPassed && report.skipped == [.echoes, .secrets], "\(report)")
    }

    @Test("With --with the commands find it on PATH, route to it, and pay through it with a journal")
    func commands() async throws {
        let link = "https://coffee.example/order/42"
        #expect(await programs.run(["route", link]).code == 1, "nothing is started that was not asked for")
        let routed = await programs.run(["route", "--json", "--with", "coffee", link])
        #expect(routed.code == 0, "\(routed)")
        #expect(try routed.ending["provider"] == "coffee" && routed.ending["trust"] == "verified")
        #expect(await programs.run(["providers", "--with", "coffee"]).output.contains("https://coffee.example/order"))
        let gateway = CoffeeGateway()
        let server = try LoopbackServer(gateway)
        defer { server.stop() }
        let place = ["--with", "coffee", "--sandbox", server.baseURL.text]
        #expect(await programs.run(["quote", link] + place).output.contains("4.80 EUR"))
        let journal = folder.file("journal")
        for _ in 0..<2 {
            let paid = await programs.run(["pay", link, "--json", "--journal", journal] + place)
            #expect(paid.code == 0, "\(paid)")
            #expect(try paid.ending["outcome"] == "succeeded" && paid.ending["amount"] == "4.80")
        }
        #expect(await gateway.payments == 1)
        let attempt = try #require(
            try await programs.run(["journal", "list", "--json", "--journal", journal]).ending["attempt"]?.string)
        let shown = await programs.run(["journal", "show", attempt, "--journal", journal])
        #expect(shown.output.contains("pay (can move money, never repeated)"), "\(shown)")
    }

    // MARK: Programs that misbehave

    @Test(
        "A program that hangs, ends, babbles or sends false answers in its handshake is named and not used",
        arguments: [
            ("time.sleep(60)", "said nothing"), ("sys.exit(3)", "ended"), ("print('hello')", "no JSON object"),
            ("say([])", "no JSON object"), ("say({'type': 'provider', 'protocol': 2})", "version 1"),
            ("say({'type': 'provider', 'protocol': 1, 'id': 'other'})", "'id' has to be 'tea'"),
            (
                "say({'type': 'provider', 'protocol': 1, 'id': 'tea', 'name': 'Tea', 'hosts': [], 'links': []})",
                "'links'"
            ),
            (
                "say({'type': 'provider', 'protocol': 1, 'id': 'tea', 'name': 'Tea', 'hosts': [], 'links': [{'scheme': 'tea', 'reference': {'segment': 0}}], 'secrets': ['citcon.access-token']})",
                "begin with 'tea.'"
            ),
            ("sys.stdout.write('x' * 1100000); sys.stdout.flush(); time.sleep(60)", "1 MiB"),
        ])
    func handshake(lines: String, message: String) async throws {
        let file = try programs.program("tea", ExternalPrograms.start + "\n" + lines)
        var limits = ExternalProvider.Limits()
        limits.handshake = .seconds(lines.contains("sleep(60)") && !lines.contains("write") ? 1 : 20)
        let error = #expect(throws: ExternalManifest.Defect.self) {
            try programs.provider(file, limits)
        }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }

    @Test(
        "Each host that it declares is one host",
        arguments: ["*", ".tea.example", "https://tea.example", "TEA.example", "tea.example/", "tea.example:0", " "])
    func declaredHosts(host: String) throws {
        func provider(_ hosts: String) throws -> ExternalProvider {
            let answer =
                "say({'type': 'provider', 'protocol': 1, 'id': 'tea', 'name': 'Tea', 'hosts': [\(hosts)], "
                + "'links': [{'scheme': 'tea', 'reference': {'segment': 0}}]})"
            return try programs.provider(try programs.program("tea", "\(ExternalPrograms.start)\n\(answer)\nhear()"))
        }
        #expect(try provider("'api.tea.example', '127.0.0.1:8080'").descriptor.outboundHosts.count == 2)
        let error = #expect(throws: ExternalManifest.Defect.self) { try provider("'api.tea.example', '\(host)'") }
        #expect("\(try #require(error))".contains("'hosts'"))
    }

    @Test(
        "What goes wrong before a mutation leaves nothing open; what goes wrong after one may have moved money",
        arguments: [
            ("sys.exit(1)", PaymentError.Phase.beforeSend), ("say({'type': 'what'})", .beforeSend),
            ("say(7)", .beforeSend),
            ("say({'type': 'fail', 'message': 'no'})", .beforeSend), ("time.sleep(60)", .beforeSend),
            ("say({'type': 'request', 'method': 'POST', 'url': 'https://api.tea.example/pay'})", .beforeSend),
            ("say({'type': 'request', 'method': 'GET', 'url': 'nonsense'})", .beforeSend),
            ("say({'type': 'step', 'name': 'pay', 'kind': 'transfer'})", .beforeSend),
            ("say({'type': 'secret', 'name': 'citcon.access-token'})", .beforeSend),
            ("[say({'type': 'log', 'message': 'x'}) for _ in range(2000)]", .beforeSend),
            (
                "say({'type': 'step', 'name': 'pay', 'kind': 'mutation', 'replay': 'never'}); hear(); say({'type': 'request', 'method': 'POST', 'url': 'https://api.tea.example/pay'}); hear(); sys.exit(1)",
                .maybeSent
            ),
            (
                "say({'type': 'step', 'name': 'pay', 'kind': 'mutation', 'replay': 'never'}); hear(); say({'type': 'request', 'method': 'POST', 'url': 'https://api.tea.example/pay'}); hear(); say({'type': 'fail', 'message': 'not paid, honestly'})",
                .maybeSent
            ),
            (
                "say({'type': 'step', 'name': 'pay', 'kind': 'mutation', 'replay': 'never'}); hear(); say({'type': 'request', 'method': 'POST', 'url': 'https://api.tea.example/pay'}); hear(); say({'type': 'done', 'result': 1}); hear(); say({'type': 'outcome'})",
                .maybeSent
            ),
        ])
    func misbehaving(lines: String, phase: PaymentError.Phase) async throws {
        let file = try programs.program("tea", ExternalPrograms.ready + "\n" + lines + "\ntime.sleep(60)")
        var limits = ExternalProvider.Limits()
        limits.message = .seconds(lines == "time.sleep(60)" ? 1 : 20)
        let provider = try programs.provider(file, limits)
        let error = await #expect(throws: PaymentError.self) {
            try await provider.pay(ExternalPrograms.attempt, in: ExternalPrograms.context())
        }
        #expect(error?.phase == phase, "\(error?.message ?? "")")
    }

    @Test("A program that hangs is killed with everything that it started")
    func killed() async throws {
        let mark = folder.file("children")
        let file = try programs.program(
            "tea",
            ExternalPrograms.ready + """

                import subprocess
                child = subprocess.Popen(["sleep", "600"])
                open("\(mark)", "w").write(f"{os.getpid()} {child.pid}")
                time.sleep(600)
                """)
        var limits = ExternalProvider.Limits()
        limits.message = .seconds(2)
        let provider = try programs.provider(file, limits)
        await #expect(throws: PaymentError.self) {
            try await provider.pay(ExternalPrograms.attempt, in: ExternalPrograms.context())
        }
        let numbers = try String(contentsOfFile: mark, encoding: .utf8).split(separator: " ").compactMap { Int32($0) }
        #expect(numbers.count == 2)
        for number in numbers {
            // The process that adopted the child may still have to reap it.
            while kill(number, 0) == 0, !Self.isZombie(number) { await Task.yield() }
        }
    }

    @Test("Standard error is shown line by line and escaped, without an end only in part, and stops nothing")
    func standardError() async throws {
        let lines = Mutex<[String]>([])
        let file = try programs.program(
            "tea",
            ExternalPrograms.ready + """

                sys.stderr.write("\\x1b]0;owned\\x07one\\ntwo" + "y" * 10000 + "\\nthree\\n" + "z\\n" * 100000); sys.stderr.flush()
                say({"type": "outcome", "outcome": "cancelled"})
                hear()
                """)
        let provider = try programs.provider(file, report: { line in lines.withLock { $0.append(line) } })
        _ = try await provider.pay(ExternalPrograms.attempt, in: ExternalPrograms.context())
        let shown = lines.withLock(\.self)
        #expect(shown.first == "\\u{1B}]0;owned\\u{7}one", "\(shown.first ?? "")")
        #expect(shown.allSatisfy { $0.count <= 501 && !$0.contains("\u{1B}") })
        #expect(shown.contains("three") && shown.count == 1001 && shown.last == "(more is left out)")
    }

    @Test("A program is given three streams and nothing else that is open here")
    func descriptors() async throws {
        // As any library may leave one, open across programs.
        let leaked = open("/dev/null", O_RDONLY)
        defer { close(leaked) }
        #expect(fcntl(leaked, F_GETFD) & FD_CLOEXEC == 0)
        let lines = Mutex<[String]>([])
        let file = try programs.program(
            "tea",
            "import os, sys\nsys.stderr.write(' '.join(f for f in os.listdir('/dev/fd') if os.path.exists('/dev/fd/' + f)) + '\\n')\n"
                + ExternalPrograms.ready)
        _ = try programs.provider(file, report: { line in lines.withLock { $0.append(line) } })
        // What a listing has open itself is gone when it is looked at.
        #expect(lines.withLock { Set($0.first?.split(separator: " ") ?? []) } == ["0", "1", "2"])
    }

    @Test("When the program ends, so does a provider that would not")
    func leftBehind() async throws {
        let mark = folder.file("left")
        _ = try programs.program(
            "tea",
            ExternalPrograms.start + """

                open("\(mark)", "w").write(str(os.getpid()))
                say({"type": "provider", "protocol": 1, "id": "tea", "name": "Tea", "hosts": [],
                     "links": [{"scheme": "tea", "reference": {"segment": 0}}]})
                time.sleep(600)
                """)
        let variables = ["PATH": "\(folder.path):\(ExternalPrograms.path)"]
        var result = try await Program.run("route", "--with", "tea", "tea:7", environment: variables)
        while result.errors.contains("Text file busy") {
            result = try await Program.run("route", "--with", "tea", "tea:7", environment: variables)
        }
        #expect(result.code == 0 && result.output.contains("tea"), "\(result)")
        let number = try #require(Int32(try String(contentsOfFile: mark, encoding: .utf8)))
        while kill(number, 0) == 0, !Self.isZombie(number) { await Task.yield() }
    }

    #if os(Linux)
        @Test("A process in another session ends with the provider, also when that has ended before")
        func orphans() async throws {
            let mark = folder.file("orphan")
            let file = try programs.program(
                "tea",
                ExternalPrograms.start + """

                    if os.fork() == 0:
                        os.setsid()
                        if os.fork() == 0:
                            os.setsid()
                            open("\(mark)", "w").write(str(os.getpid()))
                            time.sleep(600)
                        os._exit(0)
                    while not os.path.exists("\(mark)") or not open("\(mark)").read(): time.sleep(0.01)
                    say({"type": "provider", "protocol": 1, "id": "tea", "name": "Tea", "hosts": [],
                         "links": [{"scheme": "tea", "reference": {"segment": 0}}]})
                    """)
            let lines = try String(contentsOfFile: file, encoding: .utf8)
            let variables = ["PATH": "\(folder.path):\(ExternalPrograms.path)"]
            for ending in ["\nsys.stdin.readline()", "\nos._exit(0)"] {
                try (lines + ending).write(
                    toFile: file, atomically: true, encoding: .utf8)
                try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file)
                try? FileManager.default.removeItem(atPath: mark)
                var result = try await Program.run("route", "--with", "tea", "tea:7", environment: variables)
                while result.errors.contains("Text file busy") {
                    result = try await Program.run("route", "--with", "tea", "tea:7", environment: variables)
                }
                #expect(result.code == 0, "\(result)")
                let number = try #require(Int32(try String(contentsOfFile: mark, encoding: .utf8)))
                #expect(kill(number, 0) != 0, "\(number) lives on")
            }
        }
    #endif

    private static func isZombie(_ number: Int32) -> Bool {
        let status = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8)
        return status?.split(separator: ")").last?.split(separator: " ").first == "Z"
    }

    @Test("A cancelled payment does not wait for the program")
    func cancelled() async throws {
        let file = try programs.program("tea", ExternalPrograms.ready + "\ntime.sleep(600)")
        var limits = ExternalProvider.Limits()
        limits.message = .seconds(500)
        let provider = try programs.provider(file, limits)
        let task = Task { try await provider.pay(ExternalPrograms.attempt, in: ExternalPrograms.context()) }
        task.cancel()
        let error = await #expect(throws: PaymentError.self) { try await task.value }
        #expect(error?.code == .cancelled && error?.phase == .beforeSend)
    }

    // MARK: What it sees

    @Test("It sees no variable but those that programs need, and only the secrets that it declared")
    func secrets() async throws {
        let file = try programs.program(
            "tea",
            ExternalPrograms.ready + """

                say({"type": "secret", "name": "tea.key"})
                key = hear()["value"]
                names = sorted(os.environ)
                say({"type": "outcome", "outcome": "seen", "message": f"{key} {names}"})
                hear()
                """)
        let environment = [
            "PATH": "\(folder.path):\(ExternalPrograms.path)", "PAYROUTE_SECRET_TEA__KEY": "leaves",
            "PAYROUTE_SECRET_CITCON__KEY": "no", "AWS_KEY": "no",
        ]
        let provider = try programs.provider(file)
        let store = ExternalSecrets(base: NoSecrets(), providers: [provider]) { environment[$0] }
        let outcome = try await provider.status(
            of: PaymentReference(provider: "tea", id: "7"), in: ExternalPrograms.context(secrets: store))
        guard case .unknown(let unknown) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(unknown.rawStatus == "seen" && unknown.message.hasPrefix("leaves ["), "\(unknown.message)")
        #expect(!unknown.message.contains("AWS") && !unknown.message.contains("PAYROUTE"))
        #expect(try await store.secret("citcon.key") == nil)
    }

    @Test("It reaches only the hosts that it declared")
    func hosts() async throws {
        let file = try programs.program(
            "tea",
            ExternalPrograms.ready + """

                say({"type": "request", "method": "GET", "url": "https://elsewhere.example/"})
                hear()
                say({"type": "outcome", "outcome": "succeeded"})
                """)
        let provider = try programs.provider(file)
        let router = PaymentRouter(
            registry: try ProviderRegistry([provider]), transport: SandboxTransport(ExternalPrograms.Silent()),
            journal: InMemoryJournal())
        await #expect(throws: PaymentError.self) {
            try await router.status(of: PaymentReference(provider: "tea", id: "7"))
        }
    }

    @Test(
        "Only web links on exactly its host are verified, and what is doubtful is no name",
        arguments: [
            ("https://tea.example/?order=7", "7", true), ("http://tea.example/?order=7", "7", false),
            ("tea:7", "7", false),
            ("https://tea.example/#x", nil, nil), ("https://tea.example/?order=7&order=8", nil, nil),
            ("https://tea.example:8443/?order=7", nil, nil), ("https://tea.example.evil/?order=7", nil, nil),
            ("https://tea.example/?order=../7", nil, nil), ("tea:7/8", nil, nil),
        ] as [(String, String?, Bool?)])
    func links(text: String, name: String?, isVerified: Bool?) throws {
        let file = try programs.program("tea", ExternalPrograms.ready)
        let provider = try programs.provider(file)
        let match = provider.recognize(try PaymentLink(text))
        #expect(match?.reference == name)
        #expect(match.map { $0.trust == .verified } == isVerified)
    }

    @Test(
        "What belongs to a provider on board cannot be claimed, not even a part of it",
        arguments: [
            "{'host': 'pay.walletconnect.com', 'path': '/special', 'reference': {'segment': 1}}",
            "{'host': 'new.pay.walletconnect.com', 'reference': {'segment': 0}}",
            "{'scheme': 'WC', 'reference': {'segment': 0}}", "{'scheme': 'citcon', 'reference': {'segment': 0}}",
            "{'host': 'assets.payrails.io', 'reference': {'segment': 0}}",
            "{'scheme': 'bitcoin', 'reference': {'segment': 0}}",
            "{'scheme': 'Lightning', 'reference': {'segment': 0}}",
            "{'scheme': 'lnurlp', 'reference': {'segment': 0}}", "{'scheme': 'pubky', 'reference': {'segment': 0}}",
        ])
    func claims(link: String) async throws {
        _ = try programs.program(
            "tea",
            ExternalPrograms.start
                + "\nsay({'type': 'provider', 'protocol': 1, 'id': 'tea', 'name': 'Tea', 'hosts': [], 'links': [\(link)]})\nhear()"
        )
        var result = await programs.run(["providers", "--with", "tea"])
        while result.errors.contains("Text file busy") { result = await programs.run(["providers", "--with", "tea"]) }
        #expect(result.code == 1 && result.errors.contains("which belongs to"), "\(result)")
        #expect(result.output == "")
    }

    @Test("A text that a built-in provider pays is not taken, whatever link it stands in")
    func standards() throws {
        let file = try programs.program("tea", ExternalPrograms.ready)
        let provider = try programs.provider(file, builtIn: try BuiltInClaims(.all))
        #expect(provider.recognize(try PaymentLink("https://tea.example/?order=7")) != nil)
        let lnurl =
            "LNURL1DP68GURN8GHJ7UM9WFMXJCM99E3K7MF0V9CXJ0M385EKVCENXC6R2C35XVUKXEFCV5MKVV34X5EKZD3EV56NYD3HXQURZEPEXEJXX"
            + "EPNXSCRVWFNV9NXZCN9XQ6XYEFHVGCXXCMYXYMNSERXFQ5FNS"
        #expect(provider.recognize(try PaymentLink("https://tea.example/?order=7&lightning=\(lnurl)")) == nil)
    }

    @Test(
        "Invalid names, and programs that are missing or cannot be run, are reported",
        arguments: ["", "../tea", "Tea", "a,,b"])
    func names(name: String) async throws {
        #expect(await programs.run(["providers", "--with", name]).code == 64)
        let missing = await programs.run(["providers", "--with", "nobody"])
        #expect(missing.code == 1 && missing.errors.contains("payroute-provider-nobody"))
        try "".write(toFile: folder.file("payroute-provider-note"), atomically: true, encoding: .utf8)
        #expect(await programs.run(["providers", "--with", "note"]).code == 1)
        // A folder relative to the current one is not searched for providers.
        _ = try programs.program("tea", ExternalPrograms.ready)
        #expect(await programs.run(["providers", "--with", "tea"], environment: ["PATH": ".:"]).code == 1)
    }
}
