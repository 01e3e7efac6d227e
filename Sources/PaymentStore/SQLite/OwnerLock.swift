import PaymentCore
package import PaymentRouting

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A lock that shows the other users of a journal that this one lives.
///
/// Each connection locks one byte of a file beside the journal, at its own offset. The system drops the lock when the
/// process ends in any way, so that a killed process's payments can be taken over at once. Where locks are not
/// available, owners count as living and their leases run out by time.
package struct OwnerLock: ~Copyable {
    /// The offset of this owner's byte.
    package let id: Int64
    private let descriptor: Int32

    /// Locks the byte `id` of the file `path`, made when it is not there.
    package init(path: String, id: Int64) throws(JournalError) {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .inaccessible(path: path, detail: String(cString: strerror(errno))) }
        self.id = id
        var lock = Self.lock(on: id)
        _ = fcntl(descriptor, Self.set, &lock)
    }

    deinit { close(descriptor) }

    /// Returns true if the owner `id` lives, as far as can be known.
    package func isAlive(_ id: Int64) -> Bool {
        if id == self.id { return true }
        var lock = Self.lock(on: id)
        guard fcntl(descriptor, Self.get, &lock) == 0 else { return true }
        return lock.l_type != Int16(F_UNLCK)
    }

    /// Returns true if any owner lives whose byte is in the file `path`, as far as can be known.
    static func isAnyAlive(path: String) -> Bool {
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        // Zero bytes from the start on stand for all of them.
        var lock = lock(on: 0, length: 0)
        return fcntl(descriptor, get, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
    }

    private static func lock(on id: Int64, length: off_t = 1) -> flock {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = off_t(id)
        lock.l_len = length
        return lock
    }

    // Locks that belong to the open file, not to the process: two connections in one process see each other's.
    // F_OFD_SETLK and F_OFD_GETLK, which the modules of the C libraries leave out.
    #if canImport(Darwin)
        private static let set: Int32 = 90
        private static let get: Int32 = 92
    #else
        private static let set: Int32 = 37
        private static let get: Int32 = 36
    #endif
}
