import Dispatch
package import PaymentCore
package import SandboxSupport
import Synchronization

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
    /// The clock that decides whether texts have expired.
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

    /// Returns a bar for a long input, if a user can see one.
    func progress(totalBytes: Int?) -> Progress? {
        isLinear ? nil : Progress(on: diagnostics, totalBytes: totalBytes)
    }

    /// Asks the user at the terminal.
    ///
    /// - Returns: The answer without blanks around it, or nil if there is none, as at the end of the input.
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
        // After a cancellation this thread still reads. The program ends without it.
        DispatchQueue.global().async { end.yield(ask(question)) }
        for await answer in answers { return answer }
        return nil
    }

    /// Returns a text in pieces that fit behind `column`, cut at blanks. Without a terminal it stays whole.
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

/// Colours, if they are enabled.
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

// MARK: - Streams

/// A buffered stream of text. Shared by tasks that report at the same time: one call writes one whole piece.
///
/// When the reader has closed the stream (`| head`), the rest is dropped silently. Any other failure is kept in
/// ``failure`` for the end.
final class OutputStream: Sendable {
    private struct State {
        var buffer: [UInt8] = []
        var errorNumber: Int32 = 0
    }

    private static let capacity = 64 << 10
    private let descriptor: Int32
    private let state = Mutex(State())

    /// Writes to `descriptor`, which stays open.
    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// True if the stream is a terminal.
    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// The terminal's width in columns, or nil.
    var columns: Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// True if nothing more can be written.
    var isClosed: Bool { state.withLock { $0.errorNumber != 0 } }

    /// The reason why nothing more can be written, or nil if there is none or the reader has closed the stream.
    var failure: String? {
        let number = state.withLock { $0.errorNumber }
        return number == 0 || number == EPIPE ? nil : String(cString: strerror(number))
    }

    /// Adds `text`.
    func write(_ text: String) {
        edit { $0 += text.utf8 }
    }

    /// Lets `body` add bytes in place.
    func edit(_ body: (inout [UInt8]) -> Void) {
        state.withLock { state in
            guard state.errorNumber == 0 else { return }
            body(&state.buffer)
            if state.buffer.count >= Self.capacity { empty(&state) }
        }
    }

    /// Adds `text` and a line break, and flushes the buffer.
    func line(_ text: String = "") {
        write(text + "\n")
        flush()
    }

    /// Writes the buffer to the descriptor.
    func flush() {
        state.withLock { empty(&$0) }
    }

    private func empty(_ state: inout State) {
        var sent = 0
        state.buffer.withUnsafeBytes { bytes in
            while sent < bytes.count, state.errorNumber == 0 {
                let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: bytes[sent...]))
                if count >= 0 {
                    sent += count
                } else if errno == EAGAIN {
                    waitUntilWritable()
                } else if errno != EINTR {
                    state.errorNumber = errno
                }
            }
        }
        state.buffer.removeAll(keepingCapacity: true)
    }

    /// Waits for a terminal or pipe that another process made non-blocking.
    private func waitUntilWritable() {
        var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        systemPoll(&poll)
    }
}

// MARK: - Progress

/// The progress of reading a long input, shown on a terminal and redrawn a few times a second.
struct Progress {
    private let stream: OutputStream
    private let total: Int?
    private let start: ContinuousClock.Instant
    private var drawn: ContinuousClock.Instant
    private var isVisible = false

    /// Starts counting. Nothing is drawn when `stream` is not a terminal.
    init?(on stream: OutputStream, totalBytes: Int?, now: ContinuousClock.Instant = .now) {
        guard stream.isTerminal else { return nil }
        self.stream = stream
        total = totalBytes
        start = now
        drawn = now
    }

    /// Draws the bar when it is due.
    mutating func update(bytes: Int, links: Int, now: ContinuousClock.Instant = .now) {
        guard isVisible || now - drawn >= .milliseconds(100) else { return }
        drawn = now
        isVisible = true
        let width = min(stream.columns ?? 80, 100) - 1
        stream.write("\r" + Self.line(bytes: bytes, links: links, total: total, elapsed: now - start, width: width))
        stream.write("\u{1B}[K")
        stream.flush()
    }

    /// Erases the bar, so that another text can be written in its place.
    mutating func erase() {
        guard isVisible else { return }
        stream.write("\r\u{1B}[K")
        stream.flush()
    }

    /// Returns the bar as text: with a known total, the finished part and the remaining time.
    static func line(bytes: Int, links: Int, total: Int?, elapsed: Duration, width: Int) -> String {
        let seconds = max(elapsed / .seconds(1), 0.001)
        let rate = "\(links) links  \(Int(Double(links) / seconds)) links/s"
        guard let total, total > 0 else { return String(rate.prefix(width)) }
        let done = min(Double(bytes) / Double(total), 1)
        let left = bytes > 0 ? Self.clock(seconds * (Double(total) / Double(bytes) - 1)) : "-:--"
        let text = " \(Int(done * 100))%  \(rate)  \(left) left"
        let room = width - text.count - 2
        guard room >= 5 else { return String(text.dropFirst().prefix(width)) }
        let filled = Int(Double(room) * done)
        return "[" + String(repeating: "#", count: filled) + String(repeating: "-", count: room - filled) + "]" + text
    }

    /// `m:ss`, or hours and minutes when it takes that long.
    static func clock(_ seconds: Double) -> String {
        let whole = Int(max(0, min(seconds, 359_999)).rounded(.up))
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        guard whole >= 3600 else { return "\(whole / 60):\(two(whole % 60))" }
        return "\(whole / 3600):\(two(whole / 60 % 60)):\(two(whole % 60))"
    }
}

// MARK: - System calls

// Free functions, because the members above hide the system's names.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}

private func systemPoll(_ descriptor: inout pollfd) {
    _ = poll(&descriptor, 1, -1)
}
