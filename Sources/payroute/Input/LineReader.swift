#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Splits the bytes of a file descriptor into lines, in constant memory.
struct LineReader {
    /// The most bytes of a line that are kept: a link of the greatest length, with every byte escaped in JSON, fits.
    static let limit = 64 << 10

    /// One line without its end (LF or CRLF).
    struct Line {
        /// The line, or the first ``LineReader/limit`` bytes of it.
        let bytes: UnsafeBufferPointer<UInt8>
        /// The whole line's length.
        let length: Int

        /// True if some of it is missing.
        var isCut: Bool { length > bytes.count }
    }

    /// The input cannot be read.
    struct ReadError: Error, CustomStringConvertible {
        let reason: String
        var description: String { "standard input cannot be read: \(reason)" }
    }

    /// The bytes that are left to read, when the input is a file.
    static func remainingBytes(_ descriptor: Int32) -> Int? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return max(0, Int(status.st_size) - Int(max(0, lseek(descriptor, 0, SEEK_CUR))))
    }

    /// Calls `body` with every line, and `pause` with the bytes read so far whenever all available lines are done and
    /// more must be read. Either ends the reading by returning false.
    static func read(
        _ descriptor: Int32, line body: (Line) -> Bool, pause: (Int) -> Bool
    ) throws(ReadError) {
        let capacity = 2 * limit
        let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: capacity)
        defer { buffer.deallocate() }
        guard let base = buffer.baseAddress else { return }
        var filled = 0
        /// Bytes of the current line that were not kept.
        var dropped = 0
        var total = 0

        func emit(_ start: Int, _ end: Int) -> Bool {
            var end = end
            if dropped == 0, end > start, base[end - 1] == UInt8(ascii: "\r") { end -= 1 }
            let line = Line(
                bytes: UnsafeBufferPointer(start: base + start, count: min(end - start, limit)),
                length: end - start + dropped)
            dropped = 0
            return body(line)
        }

        while true {
            let count = systemRead(descriptor, base + filled, capacity - filled)
            if count < 0, errno == EINTR { continue }
            if count < 0 { throw ReadError(reason: String(cString: strerror(errno))) }
            if count == 0 {
                if filled > 0 || dropped > 0 { _ = emit(0, filled) }
                _ = pause(total)
                return
            }
            var scanned = filled
            // A byte order mark is not part of the first line.
            if total == 0, count >= 3, base[0] == 0xEF, base[1] == 0xBB, base[2] == 0xBF {
                memmove(base, base + 3, count - 3)
                filled -= 3
            }
            total += count
            filled += count
            var start = 0
            while let newline = memchr(base + scanned, 0x0A, filled - scanned) {
                let end = UnsafeRawPointer(base).distance(to: newline)
                guard emit(start, end) else { return }
                start = end + 1
                scanned = start
            }
            filled -= start
            memmove(base, base + start, filled)
            if filled > limit {
                // Only the beginning of an overlong line is kept; the rest is counted.
                dropped += filled - limit
                filled = limit
            }
            guard pause(total) else { return }
        }
    }
}

// A free function, because a member above hides the system's name.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutablePointer<UInt8>, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}
