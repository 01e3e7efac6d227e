import PaymentCore

/// One input of `route` and `inspect`.
enum LinkInput {
    /// A text.
    case text(String)
    /// An input that is not a text, with the part of it that may be shown and the reason.
    case unreadable(String, reason: String)

    /// Reads a line of standard input. A line that begins with `"` is a JSON string, so that QR texts with line
    /// breaks fit on one line.
    init(_ line: LineReader.Line) {
        guard !line.isCut else {
            let start = String(decoding: line.bytes.prefix(64), as: UTF8.self)
            self = .unreadable(
                LinkPrivacy.shown(start) + "…", reason: LinkDefect.tooLong(bytes: line.length).description)
            return
        }
        guard let text = String(validating: line.bytes, as: UTF8.self) else {
            self = .unreadable(
                LinkPrivacy.shown(String(decoding: line.bytes, as: UTF8.self)),
                reason: "the line is not valid UTF-8 text")
            return
        }
        guard line.bytes.first == UInt8(ascii: "\"") else {
            self = .text(text)
            return
        }
        do {
            // A line that begins with a quotation mark parses to a string or not at all.
            self = .text(try JSONValue(parsing: line.bytes).string ?? text)
        } catch {
            self = .unreadable(
                LinkPrivacy.shown(text), reason: "a line that begins with \" must be a JSON string: \(error)")
        }
    }
}

/// Reads the inputs that a command line names, one after the other.
struct LinkInputs {
    let arguments: [String]
    /// Texts read from pictures; they come first.
    var codes: [String] = []
    let console: Console

    /// True if standard input is among them.
    var readsStandardInput: Bool { arguments.contains("-") }

    /// Calls `body` with every input and counts the decisions it returns; ends early when the output is no longer read.
    func forEach(_ body: (LinkInput) -> RouteReport.Decision) throws -> Totals {
        var totals = Totals()
        for code in codes where !console.output.isClosed { totals.count(body(.text(code))) }
        for argument in arguments where !console.output.isClosed {
            if argument == "-" {
                try readLines(&totals, body)
            } else {
                totals.count(body(.text(argument)))
            }
        }
        console.output.flush()
        if readsStandardInput { console.diagnostics.line(totals.summary) }
        return totals
    }

    private func readLines(_ totals: inout Totals, _ body: (LinkInput) -> RouteReport.Decision) throws {
        let size = LineReader.remainingBytes(console.input)
        var progress = console.progress(totalBytes: size)
        var counted = totals
        defer { totals = counted }
        try LineReader.read(console.input) { line in
            counted.count(body(LinkInput(line)))
            return !console.output.isClosed
        } pause: { bytes in
            progress?.erase()
            console.output.flush()
            if size != nil { progress?.update(bytes: bytes, links: counted.links) }
            return !console.output.isClosed
        }
        progress?.erase()
    }
}
