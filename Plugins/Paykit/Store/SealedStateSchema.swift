import PaymentStore

extension Schema {
    /// The table of a file of sealed states (`PRS1`). A state is a number and as many parts as it takes.
    static let sealedStates = Schema(
        applicationID: 0x5052_5331,
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
