PRAGMA application_id = 1347572273;
PRAGMA user_version = 1;
CREATE TABLE receipt (
    number INTEGER PRIMARY KEY,
    payer TEXT NOT NULL,
    payee TEXT NOT NULL,
    name TEXT NOT NULL,
    method TEXT NOT NULL,
    amount TEXT,
    currency TEXT,
    created INTEGER NOT NULL,
    stage TEXT NOT NULL,
    metadata TEXT NOT NULL,
    proof TEXT,
    UNIQUE (payer, payee, name)
) STRICT;
CREATE TABLE arrival (
    kind TEXT NOT NULL,
    sender TEXT NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (kind, sender, name)
) STRICT, WITHOUT ROWID;
INSERT INTO receipt VALUES (1, 'anna', 'ben', 'r1', 'lightning', '1000', 'SAT', 1767225600, 'requested', '{}', NULL);
INSERT INTO receipt VALUES (2, 'anna', 'ben', 'r2', 'onchain', NULL, NULL, 1767225601, 'confirmed', '{"address":"bc1q","note":"it''s"}', NULL);
INSERT INTO receipt VALUES (3, 'anna', 'cara', 'r1', 'lightning', '12.50', 'EUR', 1767225602, 'paying', '{"invoice":"lnbc1"}', NULL);
INSERT INTO receipt VALUES (4, 'dora', 'anna', 'r1', 'lightning', '9223372036854775808', 'SAT', 9223372036854775807, 'paid', '{"invoice":"lnbc2"}', '{"proof_type":"bitcoin_txid","txid":"ab"}');
INSERT INTO arrival VALUES ('request', 'ben', 'req_1');
INSERT INTO arrival VALUES ('subscription_proposal', 'ben', 'req_1');
