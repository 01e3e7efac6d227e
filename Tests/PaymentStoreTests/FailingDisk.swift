import Foundation
import Synchronization
import TestSupport

#if canImport(SQLite3)
    import SQLite3
#elseif canImport(CSQLite)
    import CSQLite
#endif

/// Files of which only what was synced is on the disk, as SQLite itself asks for it.
///
/// It stands below SQLite, in its interface to the system (sqlite.org/vfs.html), and takes a copy of a file whenever
/// SQLite has that file synced. A failure of the power leaves these copies: the worst that a disk may do. All other files of
/// the process are none of its business.
enum FailingDisk {
    private struct State {
        /// The folders that are watched, by name: SQLite spells paths in its own way.
        var folders: Set<Substring> = []
        /// Their open files: folder and name, and the address of the system's methods for them.
        var open: [UInt: (place: String, methods: UInt)] = [:]
        /// Methods with a look at syncing, by the address of the system's: logs have others than databases.
        var watching: [UInt: UInt] = [:]
        /// What is on the disk.
        var synced: [String: [UInt8]] = [:]
    }

    private static let state = Mutex(State())

    /// The system's own interface; set once, before anything is watched.
    nonisolated(unsafe) private static var system: UnsafeMutablePointer<sqlite3_vfs>?
    nonisolated(unsafe) private static var shim = sqlite3_vfs()
    nonisolated(unsafe) private static var methods = sqlite3_io_methods()
    nonisolated(unsafe) private static var systemMethods: UnsafePointer<sqlite3_io_methods>?

    private static let isSet = Mutex(false)

    private static let isReady: Bool = {
        guard let own = sqlite3_vfs_find(nil) else { return false }
        system = own
        shim = own.pointee
        shim.pNext = nil
        shim.zName = UnsafePointer(strdup("payment-failing-disk"))
        shim.xOpen = { _, name, file, flags, result in
            guard let system = FailingDisk.system, let file else { return SQLITE_CANTOPEN }
            let code = system.pointee.xOpen(system, name, file, flags, result)
            if code == SQLITE_OK, let name { FailingDisk.opened(file, String(cString: name)) }
            return code
        }
        return sqlite3_vfs_register(&shim, 1) == SQLITE_OK
    }()

    /// Keeps the files in `folder` in sight from now on.
    ///
    /// - Returns: whether SQLite takes this part.
    static func watch(_ folder: ScratchFolder) -> Bool {
        guard isReady else { return false }
        let name = place(folder.path).suffix
        state.withLock { _ = $0.folders.insert(name) }
        return true
    }

    /// What a failure of the power leaves of `folder` now, in a new one.
    static func afterPowerFailure(of folder: ScratchFolder) throws -> ScratchFolder {
        let rest = ScratchFolder()
        let synced = state.withLock(\.synced)
        for name in try folder.names {
            guard let bytes = synced[place(folder.file(name)).whole] else { continue }
            try Data(bytes).write(to: URL(filePath: rest.file(name)))
        }
        return rest
    }

    /// The last two parts of a path.
    private static func place(_ path: String) -> (folder: Substring, suffix: Substring, whole: String) {
        let parts = path.split(separator: "/").suffix(2)
        return (parts.first ?? "", parts.last ?? "", parts.joined(separator: "/"))
    }

    // MARK: Below SQLite

    private static func opened(_ file: UnsafeMutablePointer<sqlite3_file>, _ path: String) {
        guard let own = file.pointee.pMethods else { return }
        let (folder, _, whole) = place(path)
        let (key, address) = (UInt(bitPattern: file), UInt(bitPattern: own))
        let watching = state.withLock { state -> UInt? in
            guard state.folders.contains(folder) else { return nil }
            state.open[key] = (whole, address)
            let known = state.watching[address] ?? makeMethods(like: address)
            state.watching[address] = known
            return known
        }
        if let watching { file.pointee.pMethods = UnsafePointer(bitPattern: watching) }
    }

    /// Never let go: there are as many as the system has kinds of files.
    private static func makeMethods(like address: UInt) -> UInt {
        guard let own = UnsafePointer<sqlite3_io_methods>(bitPattern: address) else { return address }
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        methods.initialize(to: own.pointee)
        methods.pointee.xSync = { file, flags in FailingDisk.sync(file, flags) }
        methods.pointee.xClose = { file in FailingDisk.close(file) }
        return UInt(bitPattern: methods)
    }

    /// The place of an open file, and the system's methods for it.
    private static func known(
        _ file: UnsafeMutablePointer<sqlite3_file>?
    ) -> (place: String, methods: sqlite3_io_methods)? {
        let key = UInt(bitPattern: file)
        guard let (place, address) = state.withLock({ $0.open[key] }),
            let methods = UnsafePointer<sqlite3_io_methods>(bitPattern: address)
        else { return nil }
        return (place, methods.pointee)
    }

    private static func sync(_ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32) -> Int32 {
        guard let (place, own) = known(file) else { return SQLITE_IOERR }
        let code = own.xSync(file, flags)
        var size: sqlite3_int64 = 0
        guard code == SQLITE_OK, own.xFileSize(file, &size) == SQLITE_OK else { return code }
        // Read through SQLite's own file: opening it a second time would drop its locks.
        var bytes = [UInt8](repeating: 0, count: Int(size))
        guard bytes.isEmpty || own.xRead(file, &bytes, Int32(size), 0) == SQLITE_OK else { return SQLITE_IOERR }
        let content = bytes
        state.withLock { $0.synced[place] = content }
        return code
    }

    private static func close(_ file: UnsafeMutablePointer<sqlite3_file>?) -> Int32 {
        guard let (_, own) = known(file) else { return SQLITE_IOERR }
        let key = UInt(bitPattern: file)
        state.withLock { _ = $0.open.removeValue(forKey: key) }
        return own.xClose(file)
    }
}
