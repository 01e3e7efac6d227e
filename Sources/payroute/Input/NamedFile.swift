import SandboxSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The whole content of a small file that a line, or another file, names.
enum NamedFile {
    /// The other users that a file is kept from.
    enum Guard {
        /// None: everybody may know and change it.
        case none
        /// Those who could change it.
        case change
        /// Those outside its group who could read it.
        case reading
        /// All who could read it.
        case anyReading

        fileprivate var modes: mode_t {
            switch self {
            case .none: 0
            case .change: 0o022
            case .reading: 0o007
            case .anyReading: 0o077
            }
        }
    }

    /// Returns the content.
    ///
    /// - Parameters:
    ///   - kind: Its name in messages: `key file`.
    ///   - limit: The most bytes.
    /// - Throws: When it cannot be read, is empty or larger, or when other users have a right that `others` denies.
    static func bytes(
        _ path: String, _ kind: String, limit: Int, keptFrom others: Guard = .none
    ) throws(CommandError) -> [UInt8] {
        guard let file = fopen(path, "rb") else { throw unusable(path, kind, String(cString: strerror(errno))) }
        defer { fclose(file) }
        var status = stat()
        guard fstat(fileno(file), &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw unusable(path, kind, "it is not a file")
        }
        guard status.st_mode & others.modes == 0 else {
            let verb = others.modes == Guard.change.modes ? "change" : "read"
            throw unusable(path, kind, "other users of this machine may \(verb) it; run chmod 600 on it")
        }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        let count = fread(&bytes, 1, bytes.count, file)
        guard count > 0, count <= limit else { throw unusable(path, kind, "it is empty or too large") }
        return Array(bytes.prefix(count))
    }

    /// Returns the path of a file that the file at `other` names: one next to it, unless the path is absolute.
    static func path(_ text: String, beside other: String) -> String {
        guard !text.hasPrefix("/"), let end = other.lastIndex(of: "/") else { return text }
        return other[...end] + text
    }

    static func unusable(_ path: String, _ kind: String, _ reason: String) -> CommandError {
        CommandError(description: "the \(kind) \(Printable.text(path)) cannot be used: \(reason)")
    }
}
