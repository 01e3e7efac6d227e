import PaymentStore

extension Schema {
    /// The table of a file of sealed states. A state is a number and as many parts as it takes.
    static let sealedStates = Schema(
        kind: .sealedStates,
        steps: [
            """
            CREATE TABLE state (
                name TEXT NOT NULL,
                part INTEGER NOT NULL,
                number INTEGER NOT NULL,
                sealed TEXT NOT NULL,
                PRIMARY KEY (name, part)
            ) STRICT, WITHOUT ROWID;
            """
        ])
}
