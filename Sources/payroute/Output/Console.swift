#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The world as a command sees it: where it writes and reads, and how much may be shown.
struct Console: Sendable {
    /// Results.
    let output: OutputStream
    /// Errors, progress and totals.
    let diagnostics: OutputStream
    /// The file descriptor that `-` reads.
    let input: Int32
    /// How results are painted.
    let style: Style

    /// Makes a console over file descriptors.
    init(output: Int32 = 1, diagnostics: Int32 = 2, input: Int32 = 0, environment: (String) -> String?) {
        self.output = OutputStream(descriptor: output)
        self.diagnostics = OutputStream(descriptor: diagnostics)
        self.input = input
        // https://no-color.org: any value but the empty one counts.
        let refusesColor = !(environment("NO_COLOR") ?? "").isEmpty || environment("TERM") == "dumb"
        style = Style(isColored: self.output.isTerminal && !refusesColor)
    }

    /// The width to lay text out for.
    var width: Int { min(max(output.columns ?? 80, 40), 120) }

    /// Reports an error.
    func error(_ message: String, hint: String? = nil) {
        output.flush()
        // Longer than other texts: a path may be in it, and what to do stands at its end.
        diagnostics.line("Error: \(Printable.text(message, limit: 2000))" + (hint.map { "\n" + $0 } ?? ""))
    }
}

/// Colours, where they are wanted.
struct Style: Sendable {
    let isColored: Bool

    /// A colour by what it says.
    enum Tone: String, Sendable {
        case good = "32"
        case doubtful = "33"
        case bad = "31"
        case faint = "2"
        case strong = "1"
    }

    func callAsFunction(_ tone: Tone?, _ text: String) -> String {
        guard isColored, let tone, !text.isEmpty else { return text }
        return "\u{1B}[\(tone.rawValue)m\(text)\u{1B}[0m"
    }
}
