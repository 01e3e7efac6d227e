import Dispatch
package import PaymentCore
package import SandboxSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The environment of a command: the vendors that it knows, its streams, and the style of its output.
package struct Console: Sendable {
    /// Every vendor.
    let vendors: SandboxVendors
    /// Results.
    let output: OutputStream
    /// Errors, progress and totals.
    let diagnostics: OutputStream
    /// The file descriptor that `-` reads.
    let input: Int32
    /// The colours of results.
    let style: Style
    /// True if the output is read line by line (`TERM=dumb`, as by a screen reader or an editor's shell): then nothing
    /// is drawn, nothing is overwritten, and each row of a table is a list.
    let isLinear: Bool
    /// The environment's variables by name.
    let environment: @Sendable (String) -> String?
    /// The clock by which texts expire.
    let clock: any PaymentClock

    /// Makes a console over file descriptors.
    package init(
        vendors: SandboxVendors, output: Int32 = 1, diagnostics: Int32 = 2, input: Int32 = 0,
        clock: any PaymentClock = SystemPaymentClock(), environment: @escaping @Sendable (String) -> String?
    ) {
        self.vendors = vendors
        self.clock = clock
        self.environment = environment
        self.output = OutputStream(descriptor: output)
        self.diagnostics = OutputStream(descriptor: diagnostics)
        self.input = input
        // https://no-color.org: any value but the empty one counts.
        isLinear = environment("TERM") == "dumb"
        let refusesColor = !(environment("NO_COLOR") ?? "").isEmpty || isLinear
        style = Style(isColored: self.output.isTerminal && !refusesColor)
    }

    /// The width of the layout.
    var width: Int { min(max(output.columns ?? 80, 40), 120) }

    /// True if a user can be asked.
    var isInteractive: Bool { isatty(input) == 1 && output.isTerminal }

    /// True if QR codes are drawn without a request.
    var drawsCodes: Bool { output.isTerminal && !isLinear }

    /// Returns a bar for a long input, where a user can see one.
    func progress(totalBytes: Int?) -> Progress? {
        isLinear ? nil : Progress(on: diagnostics, totalBytes: totalBytes)
    }

    /// Asks the user at the terminal.
    ///
    /// - Returns: The answer without blanks around it; nil when there is none, as at the end of the input.
    func ask(_ question: String) -> String? {
        output.write(question)
        output.flush()
        var answer: [UInt8] = []
        var byte: UInt8 = 0
        // Byte by byte: bytes behind the line stay unread.
        while answer.count < 1024 {
            let count = read(input, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return nil }
            if byte == UInt8(ascii: "\n") { break }
            answer.append(byte)
        }
        let blanks: Set<UInt8> = [0x20, 0x09, 0x0D]
        let end = answer.lastIndex { !blanks.contains($0) }.map { $0 + 1 } ?? 0
        return String(decoding: answer[..<end].drop { blanks.contains($0) }, as: UTF8.self)
    }

    /// Asks the user at the terminal, and waits for no answer when the task is cancelled.
    func answer(to question: String) async -> String? {
        let (answers, end) = AsyncStream.makeStream(of: String?.self)
        // After a cancellation this thread still reads; the program ends without it.
        DispatchQueue.global().async { end.yield(ask(question)) }
        for await answer in answers { return answer }
        return nil
    }

    /// Returns a text in pieces that fit behind `column`, cut at blanks; whole without a terminal.
    func pieces(_ text: String, behind column: Int) -> [String] {
        guard output.isTerminal, !isLinear, let columns = output.columns else { return [text] }
        return Table.pieces(text, max(columns - column, 20))
    }

    /// Reports an error.
    func error(_ message: String, hint: String? = nil) {
        output.flush()
        // Longer than other texts: it may contain a path, and the advice stands at its end.
        // An address stays as it is written.
        let isAddress = message.prefix { $0 != " " }.contains("://")
        let sentence = isAddress ? message : message.prefix(1).uppercased() + message.dropFirst()
        diagnostics.line("Error: \(Printable.text(sentence, limit: 2000))" + (hint.map { "\n" + $0 } ?? ""))
    }
}

/// Colours, where they are enabled.
struct Style: Sendable {
    let isColored: Bool

    /// A colour by its meaning.
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
