import PaymentRouting

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The mark next to a file of orders: the number of orders that were begun in each file that was ever at this place. It
/// is written before the order's request leaves. A file that is behind its mark is an older copy, which does not know
/// what was requested since.
struct OrderMark: Sendable {
    let path: String

    /// Returns the number of begun orders of this id; 0 if there is no mark.
    func count(of id: String) throws(JournalError) -> Int64 {
        guard let file = fopen(path, "r") else {
            guard errno == ENOENT else { throw .inaccessible(path: path, detail: String(cString: strerror(errno))) }
            return 0
        }
        defer { fclose(file) }
        var count: Int64 = 0
        var line = [CChar](repeating: 0, count: 128)
        while fgets(&line, Int32(line.count), file) != nil {
            let words = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
                .split(whereSeparator: \.isWhitespace)
            // A line that a crash has cut off says nothing: its request has not left.
            guard words.count == 3, words[0] == id else { continue }
            count = max(count, Int64(words[1]) ?? 0)
        }
        guard ferror(file) == 0 else { throw .inaccessible(path: path, detail: "it cannot be read to its end") }
        return count
    }

    /// Writes the number of begun orders of this id. It is on the disk when this returns.
    func write(_ id: String, count: Int64) throws(JournalError) {
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .inaccessible(path: path, detail: String(cString: strerror(errno))) }
        defer { close(file) }
        let line = Array("\n\(id) \(count) .\n".utf8)
        guard Self.append(line, to: file) == line.count, fsync(file) == 0 else {
            throw .inaccessible(path: path, detail: String(cString: strerror(errno)))
        }
    }

    private static func append(_ bytes: [UInt8], to file: Int32) -> Int {
        #if canImport(Glibc)
            Glibc.write(file, bytes, bytes.count)
        #elseif canImport(Musl)
            Musl.write(file, bytes, bytes.count)
        #else
            Darwin.write(file, bytes, bytes.count)
        #endif
    }
}
