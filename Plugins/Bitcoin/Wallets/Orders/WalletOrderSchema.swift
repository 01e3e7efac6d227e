import PaymentStore

extension Schema {
    /// The table of orders in a file. No two orders that are not refused are for one payment hash: the file itself
    /// keeps an invoice from being paid under two names. An order on the chain has its transaction's id as its hash,
    /// and its address as its invoice.
    static let walletOrders = Schema(
        kind: .walletOrders,
        steps: [
            """
            CREATE TABLE wallet_order (
                number INTEGER PRIMARY KEY,
                name TEXT NOT NULL UNIQUE,
                wallet TEXT,
                hash TEXT,
                invoice TEXT,
                chain INTEGER NOT NULL,
                amount INTEGER NOT NULL,
                amountless INTEGER NOT NULL,
                fee_limit INTEGER NOT NULL,
                placed REAL NOT NULL,
                owner INTEGER NOT NULL,
                state TEXT NOT NULL,
                asked REAL,
                dealt INTEGER NOT NULL,
                height INTEGER,
                proof TEXT,
                fee INTEGER,
                reason TEXT,
                service TEXT,
                success TEXT
            ) STRICT;
            CREATE UNIQUE INDEX wallet_order_hash ON wallet_order (hash) WHERE state <> 'refused';
            CREATE TABLE registered (name TEXT PRIMARY KEY) STRICT;
            CREATE TABLE memory (id TEXT NOT NULL) STRICT;
            INSERT INTO memory (id) VALUES (lower(hex(randomblob(16))));
            """
        ])
}
