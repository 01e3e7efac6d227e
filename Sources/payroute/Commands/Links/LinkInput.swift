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
    /// Texts read from pictures. They come first.
    var codes: [String] = []
    let console: Console

    /// True if standard input is among them.
    var readsStandardInput: Bool { arguments.contains("-") }

    /// Calls `body` with every input and counts the decisions it returns. Ends early when the output is no longer read.
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

/// The one link of a command: from its line or, for `-`, from standard input, where no process list shows it.
enum SingleLink {
    /// - Throws: ``UsageError`` if standard input holds no link or more than one line.
    static func read(_ arguments: ParsedArguments, _ console: Console) throws -> String {
        guard arguments.positionals[0] == "-" else { return arguments.positionals[0] }
        var input: LinkInput?
        var lines = 0
        try LineReader.read(console.input) { line in
            // Blank lines at the end are not a second link.
            guard line.length > 0 || lines == 0 else { return true }
            lines += 1
            if input == nil, line.length > 0 { input = LinkInput(line) }
            return lines < 2
        } pause: { _ in
            true
        }
        guard lines < 2 else {
            throw UsageError("Standard input holds more than one line; '-' reads one link", arguments.syntax)
        }
        switch input {
        case .text(let text)?: return text
        case .unreadable(_, let reason)?:
            throw UsageError("The link on standard input cannot be read: \(reason)", arguments.syntax)
        case nil: throw UsageError("Standard input holds no link", arguments.syntax)
        }
    }
}

/// The number of links by decision.
struct Totals {
    private var counts: [RouteReport.Decision: Int] = [:]
    private let start = ContinuousClock.now
    private(set) var links = 0

    /// Counts one decision.
    mutating func count(_ decision: RouteReport.Decision) {
        links += 1
        counts[decision, default: 0] += 1
    }

    /// The number of decisions of this kind.
    func number(of decision: RouteReport.Decision) -> Int { counts[decision] ?? 0 }

    /// True if a provider or a standard takes every link.
    var isSettled: Bool { counts.keys.allSatisfy(\.isSettled) }

    /// `3 links in 0.1 s: 2 matched, 1 rejected`.
    var summary: String {
        let tenths = Int((ContinuousClock.now - start) / .milliseconds(100))
        let kinds = RouteReport.Decision.allCases.filter { number(of: $0) > 0 }
            .map { "\(number(of: $0)) \($0.rawValue)" }.joined(separator: ", ")
        return "\(links) \(links == 1 ? "link" : "links") in \(tenths / 10).\(tenths % 10) s"
            + (kinds.isEmpty ? "" : ": \(kinds)")
    }
}
