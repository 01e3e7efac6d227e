PRAGMA application_id = 1347572529;
PRAGMA user_version = 1;
CREATE TABLE state (
    name TEXT NOT NULL,
    part INTEGER NOT NULL,
    number INTEGER NOT NULL,
    sealed TEXT NOT NULL,
    PRIMARY KEY (name, part)
) STRICT, WITHOUT ROWID;
INSERT INTO state VALUES ('anna/a/wallet/ben/b/server', 0, 2, 'c2Vjb25k');
