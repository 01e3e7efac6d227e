import Foundation

/// A terminal that a test controls from outside.
package final class PseudoTerminal {
    package let terminal: Int32
    private let outside: Int32

    package struct Unavailable: Error {}
    package struct Silent: Error {}

    package init(columns: UInt16 = 100) throws {
        #if os(Linux)
            // Glibc's module hides posix_openpt and its kin; these are the calls below them.
            outside = open("/dev/ptmx", O_RDWR | O_NOCTTY)
            var unlocked: Int32 = 0
            var number: Int32 = 0
            let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
            guard outside >= 0, ioctl(outside, setLock, &unlocked) == 0, ioctl(outside, getNumber, &number) == 0
            else { throw Unavailable() }
            terminal = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        #else
            outside = posix_openpt(O_RDWR | O_NOCTTY)
            guard outside >= 0, grantpt(outside) == 0, unlockpt(outside) == 0, let name = ptsname(outside) else {
                throw Unavailable()
            }
            terminal = open(name, O_RDWR | O_NOCTTY)
        #endif
        var size = winsize(ws_row: 50, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        guard terminal >= 0, ioctl(terminal, UInt(TIOCSWINSZ), &size) == 0 else { throw Unavailable() }
    }

    /// Types `text`, which waits in the terminal until it is read.
    package func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(outside, bytes, bytes.count)
    }

    /// Waits for output, and returns it.
    ///
    /// - Throws: ``Silent`` when there is none for a minute: a program that does not ask fails its test.
    package func read() throws -> String {
        var polls = pollfd(fd: outside, events: Int16(POLLIN), revents: 0)
        guard poll(&polls, 1, 60_000) == 1 else { throw Silent() }
        var chunk = [UInt8](repeating: 0, count: 4096)
        let count = Foundation.read(outside, &chunk, chunk.count)
        return String(decoding: chunk.prefix(max(0, count)), as: UTF8.self)
    }

    /// Closes the terminal and returns its output. At most a few kilobytes fit.
    package func close() -> String {
        Foundation.close(terminal)
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        // Linux ends the reading with EIO after the last writer has closed.
        while case let count = Foundation.read(outside, &chunk, chunk.count), count > 0 { text += chunk[..<count] }
        Foundation.close(outside)
        return String(decoding: text, as: UTF8.self)
    }
}
