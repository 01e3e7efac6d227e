import PaymentCore
import SandboxSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// `payroute qr`: the QR code of a text.
enum QRCommand: Command {
    static let name = "qr"
    static let summary = "Draw the QR code of a payment text."
    static let syntax = CommandSyntax(
        path: "payroute qr",
        overview: "Draw the QR code of a payment text, here or in a file.",
        discussion:
            "The code holds exactly the text, whatever it is; 'payroute inspect' says what that is. '-' reads it from "
            + "standard input, where no list of processes shows it.",
        arguments: [.init(name: "text", help: "A link, URI or QR text, or - for one line of standard input.")],
        options: [
            .init(
                name: "output", short: "o", value: "file",
                help:
                    "Write a picture instead: the name ends with .png or .svg. A file or link that is there is replaced, and only you can read the new one."
            )
        ],
        examples: [.init("payroute qr 'bitcoin:bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq' -o code.png", "a picture")])

    static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let file = try arguments.value("output").map { name in
            guard let image = QRImage(fileName: name) else {
                throw UsageError("The name \(UsageError.quoted(name)) ends with neither .png nor .svg", syntax)
            }
            return (name, image)
        }
        let text = try SingleLink.read(arguments, console)
        guard let code = QRCode(text) else {
            throw CommandError(
                description: text.isEmpty
                    ? "there is no text to draw"
                    : "the text is too long for a QR code: \(text.utf8.count) of 2953 bytes")
        }
        if let (name, image) = file {
            try write(image.bytes(of: code), to: name)
            return .done
        }
        if console.output.isTerminal, let columns = console.output.columns, code.columns > columns {
            throw CommandError(
                description:
                    "the QR code needs a terminal of \(code.columns) columns; widen it, or write a file with -o")
        }
        for line in code.lines(console.style) { console.output.write(line + "\n") }
        return .done
    }

    private static func write(_ bytes: [UInt8], to name: String) throws {
        // A new file replaces whatever is there. A text may be as good as money: others must neither read it by an old
        // file's permissions nor redirect it by a link.
        let draft = "\(name).\(getpid())-\(UInt32.random(in: 0 ... .max))"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        var failure: String?
        if descriptor < 0 {
            failure = String(cString: strerror(errno))
        } else {
            let stream = OutputStream(descriptor: descriptor)
            stream.edit { $0 += bytes }
            stream.flush()
            failure = stream.failure
            close(descriptor)
            if failure == nil, rename(draft, name) != 0 { failure = String(cString: strerror(errno)) }
            if failure != nil { unlink(draft) }
        }
        guard let failure else { return }
        throw CommandError(description: "\(Printable.text(name)) cannot be written: \(failure)")
    }
}

extension QRImage {
    /// The kind of picture by the end of a file's name.
    fileprivate init?(fileName name: String) {
        guard let dot = name.lastIndex(of: ".") else { return nil }
        self.init(rawValue: name[name.index(after: dot)...].lowercased())
    }
}
