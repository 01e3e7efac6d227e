import PaymentCore
package import PaymentRouting

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Opens a journal file: looks at it before changing anything, creates a missing file, and checks it.
package struct JournalFile: Sendable {
    package let path: String
    /// True if a missing file is created.
    package let isMade: Bool
    package let schema: Schema
    /// The maximum number of pages of the file; nil for SQLite's own limit.
    package let maximumPages: Int?
    /// The longest wait for other processes that write.
    package let timeout: Duration
    /// The longest that a statement may take.
    let limit: Duration

    package init(
        path: String, isMade: Bool = true, schema: Schema = .current, maximumPages: Int? = nil,
        timeout: Duration = Database.timeout, limit: Duration? = nil
    ) {
        self.path = path
        self.isMade = isMade
        self.schema = schema
        self.maximumPages = maximumPages
        self.timeout = timeout
        self.limit = limit ?? StatementWatch.limit
    }

    /// Opens the file.
    ///
    /// - Parameter name: random text for the file's name while it is being made.
    package func open(_ name: String) throws(JournalError) -> Database {
        try makeIfMissing(name)
        // A crash while the tables were made leaves a rollback journal. The file may look foreign until SQLite has
        // applied it. Then only the check after opening counts.
        if access(path + "-journal", F_OK) != 0 { try look() }
        let database = try Database(path: path, timeout: timeout, longest: schema.longest, limit: limit)
        // Ended data is overwritten, not only deleted, and so are answers of wallets and forms. Until the write-ahead
        // log is in use, the folder has to reach the disk as well: a rollback journal that reappears after a power
        // failure would be played back over everything that was written since.
        try database.execute("PRAGMA secure_delete = ON; PRAGMA foreign_keys = ON; PRAGMA synchronous = EXTRA")
        if let maximumPages { try database.execute("PRAGMA max_page_count = \(maximumPages)") }
        // This check comes first, because any other query could run what the file defines.
        try schema.check(database)
        try checkSoundness(database)
        try schema.apply(to: database)
        // Only now: in this mode the file's header may be outdated, and others judge the file by its header.
        let mode = try database.texts("PRAGMA journal_mode = WAL")
        guard mode == ["wal"] else {
            throw .inaccessible(path: path, detail: "the file system lacks what write-ahead logging needs")
        }
        return database
    }

    /// Refuses a file that is foreign or too new, without touching it.
    private func look() throws(JournalError) {
        do { try schema.check(Database(path: path, to: .look)) } catch {
            // This sees the file without its log. While a log is moved into its file, and after a crash during that,
            // the file alone looks damaged. The real opening puts both together, and then checks.
            if case .damaged = error { return }
            if case .unexpectedSchema = error, access(path + "-wal", F_OK) == 0 { return }
            throw error
        }
    }

    private func checkSoundness(_ database: Database) throws(JournalError) {
        let findings = try database.withoutLimit { () throws(JournalError) in
            try database.texts("PRAGMA quick_check(1)")
        }
        guard findings == ["ok"] else {
            throw .damaged(path: path, detail: findings.first ?? "the check said nothing")
        }
    }

    /// Makes an empty file that only its owner may read.
    ///
    /// The file is made under another name and then linked: closing a file that SQLite already uses in this process
    /// would drop SQLite's locks on it (sqlite.org/howtocorrupt.html, section 2.2).
    private func makeIfMissing(_ name: String) throws(JournalError) {
        var status = stat()
        if stat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw .inaccessible(path: path, detail: "it is not a file")
            }
            // SQLite would treat a file smaller than its smallest page as empty and write over it.
            guard status.st_size == 0 || status.st_size >= 512 else { throw .notAJournal(path: path) }
            return
        }
        guard errno == ENOENT, isMade else { throw failure(errno) }
        // Programs that still use a deleted file do not see what is written to a new one, and could pay a second time.
        // If another process has just created the file, it is used.
        if OwnerLock.isAnyAlive(path: path + "-owners") {
            guard stat(path, &status) == 0 else { throw .replaced(path: path) }
            return
        }
        let draft = path + ".new-" + name
        let descriptor = Self.create(draft)
        guard descriptor >= 0 else { throw failure(errno) }
        close(descriptor)
        defer { unlink(draft) }
        guard link(draft, path) == 0 || errno == EEXIST else { throw failure(errno) }
    }

    private static func create(_ path: String) -> Int32 {
        #if canImport(Glibc)
            Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        #elseif canImport(Musl)
            Musl.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        #else
            Darwin.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        #endif
    }

    private func failure(_ code: Int32) -> JournalError {
        code == ENOSPC || code == EDQUOT
            ? .full(path: path) : .inaccessible(path: path, detail: String(cString: strerror(code)))
    }
}
