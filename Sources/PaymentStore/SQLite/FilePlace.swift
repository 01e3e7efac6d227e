#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The identity of the file that a path leads to, noted once and compared later.
struct FilePlace {
    private let path: String
    private let device: dev_t
    private let number: ino_t

    /// Notes the file at `path`; nil when there is none.
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

    /// True if the path still leads to the same file.
    var isUnchanged: Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_dev == device && status.st_ino == number
    }
}
