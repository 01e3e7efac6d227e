import PaymentCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// `payroute new-provider`: a new provider package, to begin with.
enum NewProviderCommand: Command {
    static let name = "new-provider"
    static let summary = "Write your own provider, which compiles and passes its tests."
    static let syntax = CommandSyntax(
        path: "payroute new-provider",
        overview: "Write a package with your own provider, its simulated service and a test.",
        discussion: """
            The package compiles as it is and passes the conformance kit, so that every later change is tested. The folder must not exist yet.

            In another language a provider is a separate program: Examples/external-provider shows one.
            """,
        arguments: [.init(name: "name", help: "The provider's name, in letters and digits: Coffee.")],
        options: [
            .init(name: "folder", value: "folder", help: "The folder to write. (default: the name, here)"),
            .init(
                name: "package", value: "folder",
                help:
                    "The path of swift-payment-router from the new package. (default: ../swift-payment-router)"
            ),
        ],
        examples: [.init("payroute new-provider Coffee", "the folder Coffee, ready to test")])

    static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let word = arguments.positionals[0]
        guard let template = ProviderTemplate(name: word) else {
            throw UsageError(
                "The value \(UsageError.quoted(word)) is not a name for a provider: 2 to 40 ASCII letters and digits that begin "
                    + "with a letter, such as Coffee", syntax)
        }
        let package = arguments.value("package") ?? "../swift-payment-router"
        guard let package = ProviderTemplate.literal(package) else {
            throw UsageError("The value of '--package <folder>' has characters that no manifest can hold", syntax)
        }
        let folder = arguments.value("folder") ?? template.name
        try makeFolder(folder, isNew: true)
        for (path, text) in template.files(package: package) {
            var parent = folder
            for part in path.split(separator: "/").dropLast() {
                parent += "/\(part)"
                try makeFolder(parent, isNew: false)
            }
            try write(text, to: "\(folder)/\(path)")
            console.output.line("\(folder)/\(path)")
        }
        console.output.line("\nNext: cd \(Printable.text(folder)) && swift test")
        return .done
    }

    private static func makeFolder(_ path: String, isNew: Bool) throws {
        guard mkdir(path, 0o777) != 0 else { return }
        if errno == EEXIST, !isNew { return }
        let reason = errno == EEXIST ? "it is there already; nothing was written" : String(cString: strerror(errno))
        throw CommandError(description: "the folder \(Printable.text(path)) cannot be made: \(reason)")
    }

    private static func write(_ text: String, to path: String) throws {
        // An existing file is never replaced.
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw CommandError(
                description: "\(Printable.text(path)) cannot be written: \(String(cString: strerror(errno)))")
        }
        let stream = OutputStream(descriptor: descriptor)
        stream.write(text)
        stream.flush()
        close(descriptor)
        if let failure = stream.failure {
            throw CommandError(description: "\(Printable.text(path)) cannot be written: \(failure)")
        }
    }
}
