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
