import CZBar
import PaymentCore
import PaymentRouting
import PaymentStandards
import PaymentStore
import PaymentTransport
import SandboxSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// `payroute doctor`: checks that everything that this program needs is present and works.
enum DoctorCommand: Command {
    static let name = "doctor"
    static let summary = "Check this installation: libraries, journal, sandbox, accounts, wallet."
    static let syntax = CommandSyntax(
        path: "payroute doctor",
        overview:
            "Check this installation: its version, the system's libraries, and on request a journal, a sandbox, your accounts, your own wallet and a DNS resolver.",
        discussion:
            "Nothing is changed. A sandbox, each service of the accounts and a wallet are asked questions, and sent nothing else. Exits with 0 if everything works.",
        options: [
            .init(
                name: "journal", value: "file",
                help: "Check that this journal can be read, and count its open attempts.",
                variable: "PAYROUTE_JOURNAL"),
            .init(
                name: "sandbox", value: "url", help: "Check that this sandbox answers.",
                variable: "PAYROUTE_SANDBOX"),
            AccountsOption.option,
            .init(name: "json", help: "Print one JSON object per finding, one line each."),
        ] + WalletOption.options + [NamesOption.option],
        examples: [.init("payroute doctor --journal payments.db", "with a journal")])

    /// One finding.
    struct Finding {
        enum State: String {
            case good = "ok"
            case missing, bad

            var tone: Style.Tone {
                switch self {
                case .good: .good
                case .missing: .doubtful
                case .bad: .bad
                }
            }
        }

        let what: String
        let state: State
        let detail: String
    }

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let sandbox = arguments.value("sandbox") == nil ? nil : try PayCommand.sandboxURL(arguments)
        var findings =
            [Finding(what: "payroute", state: .good, detail: "\(CommandLineTool.versionText); \(platform)")]
            + libraries()
        if let names = try Settings.named(by: console)?.names.joined(separator: ", ") {
            findings.append(Finding(what: "settings", state: .good, detail: names.isEmpty ? "are empty" : names))
        }
        if let path = arguments.value("journal") { findings.append(await journal(path)) }
        if let sandbox { findings.append(await answer(of: sandbox)) }
        if let path = arguments.value(AccountsOption.option.name) {
            findings += await AccountCheck.findings(path, console.vendors)
        }
        if WalletOption.namesOwn(arguments) { findings.append(try await wallet(arguments, console)) }
        if let url = try NamesOption.read(arguments) { findings.append(await resolver(url)) }
        findings.append(providers(of: console.vendors))
        var table = Table(["WHAT", "STATE", "DETAIL"])
        for finding in findings {
            if arguments.has("json") {
                console.output.edit { buffer in
                    buffer.addJSONLine { line in
                        line.addMember("detail", finding.detail)
                        line.addMember("state", finding.state.rawValue)
                        line.addMember("what", finding.what)
                    }
                }
            } else {
                table.add([
                    Table.Cell(finding.what), Table.Cell(finding.state.rawValue, finding.state.tone),
                    Table.Cell(Printable.text(finding.detail)),
                ])
            }
        }
        if !arguments.has("json") { console.show(table) }
        return findings.contains { $0.state == .bad } ? .failed : .done
    }

    /// The system and the processor that the program is built for.
    private static var platform: String {
        #if canImport(Glibc) || canImport(Musl)
            let system = "Linux"
        #else
            let system = "macOS"
        #endif
        #if arch(x86_64)
            return "\(system), x86_64"
        #else
            return "\(system), arm64"
        #endif
    }

    private static func libraries() -> [Finding] {
        SystemLibraries.all.map { library in
            let version = library.version.map { "\($0), for" } ?? "for"
            return Finding(
                what: library.name, state: library.isThere ? .good : library.isOptional ? .missing : .bad,
                detail: library.isThere
                    ? "\(version) \(library.purpose)"
                    : "missing; \(library.purpose) needs it ('make deps' installs it)")
        }
    }

    private static func journal(_ path: String) async -> Finding {
        do {
            let journal = try SQLiteJournal(path: path, creating: false)
            // Reads every entry of those that are open, as recovery does.
            let open = try await journal.unfinished().count
            let isAny = try await !journal.attempts(AttemptQuery(limit: 1)).histories.isEmpty
            let detail =
                open > 0
                ? "can be read; \(open) \(open == 1 ? "attempt has" : "attempts have") not ended: 'payroute journal resume'"
                : isAny ? "can be read; every attempt has ended" : "can be read; it is empty"
            return Finding(what: "journal", state: .good, detail: detail)
        } catch {
            return Finding(what: "journal", state: .bad, detail: "\(error)")
        }
    }

    /// Asks the wallet that a line names, without the orders that it has here.
    private static func wallet(_ arguments: ParsedArguments, _ console: Console) async throws -> Finding {
        let wallet = try await WalletOption.open(arguments, console, journal: nil)
        do {
            return Finding(what: "wallet", state: .good, detail: "\(wallet.name) \(try await wallet.check())")
        } catch {
            let reason = (error as? PaymentError)?.message ?? "\(error)"
            return Finding(what: "wallet", state: .bad, detail: "\(wallet.name): \(reason)")
        }
    }

    /// Asks a DNS resolver for the keys of the root, and checks them.
    private static func resolver(_ url: HTTPURL) async -> Finding {
        do throws(PaymentError) {
            try await DNSResolver(url).check(over: StandardTransport(), clock: SystemPaymentClock())
            return Finding(what: "dns", state: .good, detail: "\(url.origin) answers, with the root's keys")
        } catch {
            return Finding(what: "dns", state: .bad, detail: error.message)
        }
    }

    private static func answer(of sandbox: HTTPURL) async -> Finding {
        let clock = SystemPaymentClock()
        let start = clock.uptime
        do {
            // Any answer is enough: a running sandbox answers, even if it does not know the path.
            let request = HTTPRequest(.get, try sandbox.appending(["health"]), timeout: .seconds(5))
            let answer = try await LocalTransport(base: StandardTransport()).send(request)
            let milliseconds = Int((clock.uptime - start) / .milliseconds(1))
            return Finding(
                what: "sandbox", state: .good,
                detail: "answers at \(sandbox.origin) after \(milliseconds) ms (status \(answer.status))")
        } catch {
            return Finding(
                what: "sandbox", state: .bad,
                detail: "no server answers at \(sandbox.origin): \(error); start one with 'payroute sandbox'")
        }
    }

    private static func providers(of vendors: SandboxVendors) -> Finding {
        do {
            let names = try vendors.registry().descriptors.map(\.id.rawValue)
            let others = vendors.list.map(\.id.rawValue).filter { !names.contains($0) }
            let rest = others.isEmpty ? "" : "; with a wallet or at a sandbox also \(others.joined(separator: ", "))"
            return Finding(what: "providers", state: .good, detail: names.joined(separator: ", ") + rest)
        } catch {
            return Finding(what: "providers", state: .bad, detail: "\(error)")
        }
    }
}

// MARK: - Accounts

/// Asks the real services whether accounts can be used.
enum AccountCheck {
    /// Returns a finding for each account, or one for a file that cannot be read.
    static func findings(_ path: String, _ vendors: SandboxVendors) async -> [DoctorCommand.Finding] {
        do {
            let accounts = try AccountsOption.accounts(path, vendors)
            let transport = try AccountsOption.transport(accounts, vendors)
            var findings: [DoctorCommand.Finding] = []
            for (id, account) in accounts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                guard let vendor = vendors[id] else { continue }
                findings.append(await finding(vendor, try vendor.merchants(of: account), over: transport))
            }
            return findings
        } catch {
            return [DoctorCommand.Finding(what: "accounts", state: .bad, detail: "\(error)")]
        }
    }

    /// Asks for a payment that does not exist: a service answers so only to a merchant that it knows.
    private static func finding(
        _ vendor: any SandboxVendor, _ merchants: [any PaymentService], over transport: StandardTransport
    ) async -> DoctorCommand.Finding {
        let what = "\(vendor.id) account"
        guard let merchant = merchants.first?.descriptor.id else {
            return DoctorCommand.Finding(what: what, state: .good, detail: "is for payers; its service is not asked")
        }
        do {
            let router = PaymentRouter(
                registry: try ProviderRegistry(merchants), transport: transport, journal: InMemoryJournal())
            _ = try await router.status(of: PaymentReference(provider: merchant, id: vendor.unknownPayment))
        } catch let error as PaymentError where error.code == .notFound {
            // As it should be.
        } catch {
            let reason = (error as? PaymentError)?.message ?? "\(error)"
            return DoctorCommand.Finding(what: what, state: .bad, detail: reason)
        }
        return DoctorCommand.Finding(what: what, state: .good, detail: "its service answers, and knows the merchant")
    }
}

// MARK: - Libraries

/// The system's libraries that this program runs with, by their own reports.
///
/// They are looked up by name at run time: their wrappers have no use for their versions, and only this command shows
/// them.
enum SystemLibraries {
    /// One library.
    struct Library {
        let name: String
        /// The purpose of the library.
        let purpose: String
        /// The version, or nil if the library is present but does not report one.
        let version: String?
        let isThere: Bool
        /// True if the program works without it.
        var isOptional = false
    }

    private typealias Text = @convention(c) () -> UnsafePointer<CChar>?
    private typealias PointedText = @convention(c) (UnsafeRawPointer?) -> UnsafePointer<CChar>?
    private typealias NumberedText = @convention(c) (Int32) -> UnsafePointer<CChar>?

    static var all: [Library] {
        #if canImport(Glibc) || canImport(Musl)
            let transport = [
                loaded("libcurl", "HTTP", function: "curl_version") {
                    $0.split(separator: " ").first.map(String.init) ?? $0
                },
                library(
                    "libcrypto", "cryptography",
                    symbol("OpenSSL_version").map { address in
                        unsafeBitCast(address, to: NumberedText.self)(0).map { String(cString: $0) } ?? ""
                    }),
                loaded("SQLite", "the journal", function: "sqlite3_libversion"),
            ]
        #else
            let transport: [Library] = []
        #endif
        return transport + [
            loaded("libqrencode", "drawing QR codes", function: "QRcode_APIVersionString"),
            library(
                "libpng", "reading pictures",
                symbol("png_get_libpng_ver").map { address in
                    unsafeBitCast(address, to: PointedText.self)(nil).map { String(cString: $0) } ?? ""
                }),
            loaded("libmicrohttpd", "the sandbox", function: "MHD_get_version"),
            loaded("libsodium", "Pubky's keys and private channels", function: "sodium_version_string"),
            loaded("liblzma", "reading compressed payment texts", function: "lzma_version_string"),
            library(
                "libsecp256k1", "signatures", symbol("secp256k1_context_create").map { _ in "" }),
            scanner,
        ]
    }

    /// The library that reads QR codes from pictures, which is loaded only when it is needed.
    private static var scanner: Library {
        var numbers: [UInt32] = [0, 0, 0]
        let isThere = numbers.withUnsafeMutableBufferPointer { czbar_version($0.baseAddress) } == 0
        return Library(
            name: "libzbar", purpose: "inspect --image",
            version: isThere ? numbers.map(String.init).joined(separator: ".") : nil, isThere: isThere,
            isOptional: true)
    }

    private static func loaded(
        _ name: String, _ purpose: String, function: String, _ part: (String) -> String = { $0 }
    ) -> Library {
        library(
            name, purpose,
            symbol(function).map { address in
                unsafeBitCast(address, to: Text.self)().map { part(String(cString: $0)) } ?? ""
            })
    }

    private static func library(_ name: String, _ purpose: String, _ version: String?) -> Library {
        Library(
            name: name, purpose: purpose, version: version.flatMap { $0.isEmpty ? nil : $0 }, isThere: version != nil)
    }

    /// The address of a function of a library that is loaded.
    private static func symbol(_ name: String) -> UnsafeMutableRawPointer? { dlsym(dlopen(nil, RTLD_LAZY), name) }
}
