import PaymentPostgres

extension PostgresTables {
    /// The tables of receipts, arrivals and sealed states. `id` is the digest of a name that either side chose, `write`
    /// the random name of the write that stored a row.
    static let paykit = PostgresTables(
        part: "paykit",
        steps: [
            { schema in
                [
                    """
                    CREATE TABLE \(schema).receipt (
                        number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
                        id text PRIMARY KEY,
                        payer bytea NOT NULL,
                        payee bytea NOT NULL,
                        name bytea NOT NULL,
                        method bytea NOT NULL,
                        amount bytea,
                        currency bytea,
                        created bigint NOT NULL,
                        stage text NOT NULL,
                        metadata bytea NOT NULL,
                        proof bytea,
                        write text NOT NULL
                    )
                    """,
                    "CREATE TABLE \(schema).arrival (id text PRIMARY KEY, write text NOT NULL)",
                    """
                    CREATE TABLE \(schema).state (
                        name bytea PRIMARY KEY,
                        number bigint NOT NULL,
                        sealed text NOT NULL,
                        write text NOT NULL
                    )
                    """,
                ]
            }
        ])
}
