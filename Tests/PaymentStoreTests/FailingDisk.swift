import Foundation
import Synchronization
import TestSupport

#if canImport(SQLite3)
    import SQLite3
#elseif canImport(CSQLite)
    import CSQLite
#endif

/// Files of which only the synced parts are certainly on the disk, as SQLite itself requests it, and a disk that runs
/// full.
///
/// It is below SQLite, in its interface to the system (sqlite.org/vfs.html), and records all writes and syncs of SQLite
/// in the watched folders. It ignores all other files of the process.
enum FailingDisk {
    private struct State {
        /// The watched folders, by name: SQLite spells paths differently.
        var folders: Set<Substring> = []
        /// Their open files: folder and name, and the address of the system's methods for them.
        var open: [UInt: (folder: Substring, name: String, methods: UInt)] = [:]
        /// Methods that record syncs, by the address of the system's: logs have others than databases.
        var watching: [UInt: UInt] = [:]
        /// The operations on the files of a folder.
        var logs: [Substring: DiskLog] = [:]
        /// The number of writes that still fit in a folder.
        var room: [Substring: Int] = [:]
    }

    private static let state = Mutex(State())

    /// The system's interface; set once, before anything is watched.
    nonisolated(unsafe) private static var system: UnsafeMutablePointer<sqlite3_vfs>?
    nonisolated(unsafe) private static var shim = sqlite3_vfs()

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
        shim.xDelete = { _, name, syncsFolder in
            guard let system = FailingDisk.system else { return SQLITE_IOERR }
            let code = system.pointee.xDelete(system, name, syncsFolder)
            if code == SQLITE_OK, let name { FailingDisk.deleted(String(cString: name), isSynced: syncsFolder != 0) }
            return code
        }
        return sqlite3_vfs_register(&shim, 1) == SQLITE_OK
    }()

    /// Watches the files in `folder` from now on.
    ///
    /// - Returns: true if SQLite accepts this interface.
    static func watch(_ folder: ScratchFolder) -> Bool {
        guard isReady else { return false }
        let name = place(folder.path).name
        state.withLock { _ = $0.folders.insert(Substring(name)) }
        return true
    }

    /// The operations on the files of `folder` so far.
    static func log(of folder: ScratchFolder) -> DiskLog {
        state.withLock { $0.logs[Substring(place(folder.path).name)] } ?? DiskLog()
    }

    /// Leaves room in `folder` for `writes` more writes; nil for any number.
    static func leaveRoom(_ writes: Int?, in folder: ScratchFolder) {
        state.withLock { $0.room[Substring(place(folder.path).name)] = writes }
    }

    /// A new folder with the worst content that a power failure leaves of `folder` now.
    static func afterPowerFailure(of folder: ScratchFolder) throws -> ScratchFolder {
        let log = log(of: folder)
        return try files(log.image(after: log.events.count))
    }

    /// A folder with these files.
    static func files(_ files: [String: [UInt8]]) throws -> ScratchFolder {
        let folder = ScratchFolder()
        for (name, bytes) in files { try Data(bytes).write(to: URL(filePath: folder.file(name))) }
        return folder
    }

    /// The last two parts of a path.
    private static func place(_ path: String) -> (folder: Substring, name: String) {
        let parts = path.split(separator: "/").suffix(2)
        return (parts.first ?? "", parts.last.map(String.init) ?? "")
    }

    // MARK: Below SQLite

    private static func opened(_ file: UnsafeMutablePointer<sqlite3_file>, _ path: String) {
        guard let own = file.pointee.pMethods else { return }
        let (folder, name) = place(path)
        let (key, address) = (UInt(bitPattern: file), UInt(bitPattern: own))
        let watching = state.withLock { state -> UInt? in
            guard state.folders.contains(folder) else { return nil }
            state.open[key] = (folder, name, address)
            let known = state.watching[address] ?? makeMethods(like: address)
            state.watching[address] = known
            return known
        }
        if let watching { file.pointee.pMethods = UnsafePointer(bitPattern: watching) }
    }

    /// Never freed: there are as many as the system has kinds of files.
    private static func makeMethods(like address: UInt) -> UInt {
        guard let own = UnsafePointer<sqlite3_io_methods>(bitPattern: address) else { return address }
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        methods.initialize(to: own.pointee)
        methods.pointee.xWrite = { file, bytes, count, offset in
            FailingDisk.write(file, UnsafeRawBufferPointer(start: bytes, count: Int(count)), Int(offset))
        }
        methods.pointee.xTruncate = { file, size in
            FailingDisk.note(file, { .truncate($0, to: Int(size)) }) { $0.xTruncate(file, size) }
        }
        methods.pointee.xSync = { file, flags in
            FailingDisk.note(file, { .sync($0) }) { $0.xSync(file, flags) }
        }
        methods.pointee.xClose = { file in FailingDisk.close(file) }
        return UInt(bitPattern: methods)
    }

    private static func write(
        _ file: UnsafeMutablePointer<sqlite3_file>?, _ bytes: UnsafeRawBufferPointer, _ offset: Int
    ) -> Int32 {
        let hasRoom = state.withLock { state -> Bool in
            guard let folder = state.open[UInt(bitPattern: file)]?.folder, let room = state.room[folder] else {
                return true
            }
            state.room[folder] = max(room - 1, 0)
            return room > 0
        }
        guard hasRoom else { return SQLITE_FULL }
        return note(file, { .write($0, at: offset, Array(bytes)) }) {
            $0.xWrite(file, bytes.baseAddress, Int32(bytes.count), sqlite3_int64(offset))
        }
    }

    /// Calls the system's method, and records it when it succeeds.
    private static func note(
        _ file: UnsafeMutablePointer<sqlite3_file>?, _ event: (String) -> DiskLog.Event,
        _ work: (sqlite3_io_methods) -> Int32
    ) -> Int32 {
        guard let (folder, name, address) = state.withLock({ $0.open[UInt(bitPattern: file)] }),
            let methods = UnsafePointer<sqlite3_io_methods>(bitPattern: address)
        else { return SQLITE_IOERR }
        let code = work(methods.pointee)
        guard code == SQLITE_OK else { return code }
        let done = event(name)
        state.withLock { $0.logs[folder, default: DiskLog()].events.append(done) }
        return code
    }

    private static func deleted(_ path: String, isSynced: Bool) {
        let (folder, name) = place(path)
        state.withLock { state in
            guard state.folders.contains(folder) else { return }
            state.logs[folder, default: DiskLog()].events.append(.delete(name, isSynced: isSynced))
        }
    }

    private static func close(_ file: UnsafeMutablePointer<sqlite3_file>?) -> Int32 {
        guard let known = state.withLock({ $0.open.removeValue(forKey: UInt(bitPattern: file)) }),
            let methods = UnsafePointer<sqlite3_io_methods>(bitPattern: known.methods)
        else { return SQLITE_IOERR }
        return methods.pointee.xClose(file)
    }
}
