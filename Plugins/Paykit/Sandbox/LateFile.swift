/// A file that is opened, and created, at the first access: a command that needs none of it leaves none.
actor LateFile<Store: Sendable> {
    private let open: @Sendable () throws -> Store
    private var opened: Store?

    init(_ open: @escaping @Sendable () throws -> Store) { self.open = open }

    var store: Store {
        get throws {
            if let opened { return opened }
            let store = try open()
            opened = store
            return store
        }
    }
}
