import PaymentCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The standard error of a running program, reported line by line, escaped as any foreign text.
struct ErrorLines {
    /// Receives a line, escaped.
    typealias Report = @Sendable (String) -> Void

    /// The most lines that are reported; the rest is read and left out.
    private static let mostReports = 1000
    /// A longer line is reported in parts.
    private static let lineLimit = 4096

    /// This program's end of the pipe, or -1 after it was closed.
    private(set) var descriptor: Int32
    private let report: Report
    private var buffer: [UInt8] = []
    private var reported = 0

    /// - Parameter descriptor: this program's end of the pipe, which ``end()`` closes.
    init(of descriptor: Int32, report: @escaping Report) {
        self.descriptor = descriptor
        self.report = report
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    /// Reports what has come.
    mutating func read() {
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        // A program that writes without end does not keep this one here.
        for _ in 0..<16 where descriptor >= 0 {
            let count = chunk.withUnsafeMutableBytes { systemRead(descriptor, $0) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { break }
            guard count > 0 else {
                close(descriptor)
                descriptor = -1
                break
            }
            buffer += chunk[..<count]
            while let end = buffer.firstIndex(of: 0x0A) ?? cut {
                show(buffer[..<end])
                buffer.removeSubrange(..<(buffer[end] == 0x0A ? end + 1 : end))
            }
        }
    }

    /// Reports what has come, also a line without an end, and closes the pipe.
    mutating func end() {
        read()
        if !buffer.isEmpty { show(buffer[...]) }
        buffer = []
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    private var cut: Int? { buffer.count > Self.lineLimit ? Self.lineLimit : nil }

    private mutating func show(_ line: ArraySlice<UInt8>) {
        reported += 1
        guard reported <= Self.mostReports else { return }
        report(Printable.text(String(decoding: line, as: UTF8.self)))
        if reported == Self.mostReports { report("(more is left out)") }
    }
}

// A free function, because a member above hides the system's name.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}
