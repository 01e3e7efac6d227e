import Foundation
import PaymentCore
import PaymentSandbox
import PaymentTesting
import TestSupport

@testable import PayrouteCommands

/// The language of these tests' programs.
enum Python {
    static let isThere = ["/usr/bin/python3", "/usr/local/bin/python3"].contains {
        FileManager.default.isExecutableFile(atPath: $0)
    }
}

/// Providers that are separate programs, in a folder.
struct ExternalPrograms {
    static let example = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        .appending(path: "Examples/external-provider").path
    static let path = "/usr/local/bin:/usr/bin:/bin"

    let folder = ScratchFolder()

    /// Writes a program of this name with these lines of Python.
    func program(_ name: String, _ lines: String) throws -> String {
        let file = folder.file("payroute-provider-\(name)")
        try "#!/usr/bin/env python3\n\(lines)\n".write(toFile: file, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file)
        return file
    }

    /// Returns the provider `name` in `file`. While another test starts a program, a new file may still be open there
    /// for a moment, and cannot be run.
    func provider(
        _ file: String, _ limits: ExternalProvider.Limits = .init(), name: String = "tea",
        builtIn: BuiltInClaims? = nil,
        report: @escaping ErrorLines.Report = { _ in }
    ) throws -> ExternalProvider {
        while true {
            do {
                return try ExternalProvider(
                    name: name, path: file, environment: ["PATH": Self.path], limits: limits,
                    builtIn: builtIn, report: report)
            } catch {
                guard error.description.contains("Text file busy") else { throw error }
            }
        }
    }

    /// Lines that shake hands up to the question.
    static let start = """
        import json, sys, os, time
        call = {}
        def say(m):
            if "id" in call and isinstance(m, dict): m = {"id": call["id"], **m}
            sys.stdout.write(json.dumps(m) + "\\n"); sys.stdout.flush()
        def hear():
            line = sys.stdin.readline()
            if not line: sys.exit(0)
            return json.loads(line)
        hello = hear()
        """
    /// Lines of the provider `tea`, up to its first call.
    static let ready =
        start + """

            say({"type": "provider", "protocol": 1, "id": "tea", "name": "Tea", "hosts": ["api.tea.example"],
                 "links": [{"host": "tea.example", "reference": {"query": "order"}}, {"scheme": "tea", "reference": {"segment": 0}}],
                 "secrets": ["tea.key"]})
            call = hear()
            """

    /// Runs the tool in this process; it finds the programs and the example.
    func run(_ words: [String], environment: [String: String] = [:]) async -> Captured {
        var variables = environment
        variables["PATH"] = variables["PATH"] ?? "\(folder.path):\(Self.example):\(Self.path)"
        return await payroute(words, input: [], environment: variables)
    }

    /// A context that reaches `service` and remembers nothing.
    static func context(
        _ service: any SandboxService = Silent(), secrets: any SecretStore = NoSecrets()
    ) -> ProviderContext {
        ProviderContext.unstored(
            hosts: ["api.tea.example"], http: SandboxTransport(service), clock: SystemPaymentClock(), secrets: secrets)
    }

    /// Answers every request with an empty object.
    struct Silent: SandboxService {
        func respond(to request: HTTPRequest) async -> HTTPResponse {
            HTTPResponse(status: 200, headers: ["Content-Type": "application/json"], body: Array("{}".utf8))
        }
    }

    /// An attempt at the order 7.
    static let attempt = PaymentAttempt(
        id: AttemptID(rawValue: "att_1"), reference: PaymentReference(provider: "tea", id: "7"),
        option: PaymentMethodOption(
            id: "cup", title: "A cup", amount: (try? Money(decimal: "4.80", currency: .eur)) ?? zero),
        idempotencyKey: "key-1", startedAt: Date(timeIntervalSince1970: 0), expiresAt: nil)
    private static let zero: Money = {
        do { return try Money(minorUnits: 0, currency: .eur) } catch { preconditionFailure("nothing is an amount") }
    }()
}
