#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Which file a path leads to, noted once and compared later.
struct FilePlace {
    private let path: String
    private let device: dev_t
    private let number: ino_t

    /// Notes where `path` leads; nil when there is nothing.
    init?(_ path: String) {
        var absolute = path
        // The working directory may change.
        if !path.hasPrefix("/"), let folder = getcwd(nil, 0) {
            absolute = String(cString: folder) + "/" + path
            free(folder)
        }
        var status = stat()
        guard stat(absolute, &status) == 0 else { return nil }
        self.path = absolute
        device = status.st_dev
        number = status.st_ino
    }

    /// Whether the path leads to the same file still.
    var isUnchanged: Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_dev == device && status.st_ino == number
    }
}
