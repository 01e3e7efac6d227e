import PaymentPostgres

extension PostgresTables {
    /// The table of orders, with the columns of a file of orders and two more meanings: `owner` is the number of one
    /// call that began an order, and `ends` the time by the server's clock until which it counts as alive. No two
    /// orders that are not refused are for one payment hash.
    static let walletOrders = PostgresTables(
        part: "wallet_orders",
        steps: [
            { schema in
                [
                    """
                    CREATE TABLE \(schema).wallet_order (
                        number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
                        name bytea PRIMARY KEY,
                        wallet bytea,
                        hash bytea,
                        invoice bytea,
                        chain bigint NOT NULL,
                        amount bigint NOT NULL,
                        amountless bigint NOT NULL,
                        fee_limit bigint NOT NULL,
                        placed double precision NOT NULL,
                        owner bigint NOT NULL,
                        ends double precision NOT NULL,
                        state text NOT NULL,
                        asked double precision,
                        dealt bigint NOT NULL,
                        height bigint,
                        proof bytea,
                        fee bigint,
                        reason bytea,
                        service bytea,
                        success bytea
                    )
                    """,
                    "CREATE UNIQUE INDEX wallet_order_hash ON \(schema).wallet_order (hash) WHERE state <> 'refused'",
                    "CREATE TABLE \(schema).wallet_registered (name bytea PRIMARY KEY)",
                    "CREATE TABLE \(schema).wallet_memory (id bytea NOT NULL)",
                    "INSERT INTO \(schema).wallet_memory VALUES (convert_to(gen_random_uuid()::text, 'UTF8'))",
                ]
            }
        ])
}
