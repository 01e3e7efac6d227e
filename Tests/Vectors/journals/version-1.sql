PRAGMA application_id = 1347570225;
PRAGMA user_version = 1;
CREATE TABLE attempt (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    provider TEXT NOT NULL,
    payment TEXT NOT NULL,
    option TEXT NOT NULL,
    key TEXT NOT NULL,
    started REAL NOT NULL,
    expires REAL,
    finished INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX attempt_payment ON attempt (provider, payment);
CREATE INDEX attempt_unfinished ON attempt (number) WHERE finished = 0;
CREATE TABLE entry (
    attempt INTEGER NOT NULL REFERENCES attempt (number),
    position INTEGER NOT NULL,
    date REAL NOT NULL,
    event TEXT NOT NULL,
    name TEXT,
    detail TEXT NOT NULL,
    PRIMARY KEY (attempt, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE lease (
    provider TEXT NOT NULL,
    payment TEXT NOT NULL,
    holder TEXT NOT NULL,
    owner INTEGER NOT NULL,
    ends REAL NOT NULL,
    PRIMARY KEY (provider, payment)
) STRICT, WITHOUT ROWID;
INSERT INTO attempt VALUES (1, 'a1', 'acme', 'p1', '{"account":"eip155:8453:0xab16a96D359eC26a11e2C2b3d8f8B8942d5Bfcdb","amount":{"currency":"iso4217/EUR","exponent":2,"minorUnits":"12345678901234567890123"},"estimate":true,"expiresAt":821692800.225,"id":"o1","needs":[{"signing":{"method":"m_sign"}},{"data":{}},{"page":{}},{"app":{"name":"Lark"}},{"code":{}}],"providerData":{"list":[1,"2.5",null,true,{"a":1}]},"title":"Naïve \"euros\" 💶","unmet":[{"page":{}}]}', 'key-1', 821692800.125, 821693100.125, 1);
INSERT INTO attempt VALUES (3, 'a3', 'acme', 'declined', '{"amount":{"currency":"sat","exponent":8,"minorUnits":"21"},"id":"o","needs":[{"data":{}}],"title":"Coins","unmet":[]}', 'key-a3', 821692800.125, NULL, 1);
INSERT INTO attempt VALUES (4, 'a4', 'acme', 'refund:note 7', '{"amount":{"currency":"sat","exponent":8,"minorUnits":"21"},"id":"o","needs":[{"data":{}}],"title":"Coins","unmet":[]}', 'key-a4', 821692800.125, NULL, 1);
INSERT INTO attempt VALUES (5, 'a5', 'acme', 'expired', '{"amount":{"currency":"sat","exponent":8,"minorUnits":"21"},"id":"o","needs":[{"data":{}}],"title":"Coins","unmet":[]}', 'key-a5', 821692800.125, NULL, 1);
INSERT INTO attempt VALUES (6, 'a6', 'acme', 'left', '{"amount":{"currency":"sat","exponent":8,"minorUnits":"21"},"id":"o","needs":[{"data":{}}],"title":"Coins","unmet":[]}', 'key-a6', 821692800.125, NULL, 1);
INSERT INTO attempt VALUES (7, 'a7', 'acme', 'coins', '{"amount":{"currency":"sat","exponent":8,"minorUnits":"21"},"id":"o","needs":[{"data":{}}],"title":"Coins","unmet":[]}', 'key-a7', 821692800.125, NULL, 0);
INSERT INTO attempt VALUES (8, 'a8', 'acme', 'café', '{"amount":{"currency":"sat","exponent":8,"minorUnits":"21"},"id":"o","needs":[{"data":{}}],"title":"Coins","unmet":[]}', 'key-a8', 821692800.125, NULL, 0);
INSERT INTO entry VALUES (1, 1, 821692800.125, 'started', 'ask', 'query');
INSERT INTO entry VALUES (1, 2, 821692800.375, 'finished', 'ask', '{"a":[1,null,"é"]}');
INSERT INTO entry VALUES (1, 3, 821692800.625, 'started', 'sign', 'interaction');
INSERT INTO entry VALUES (1, 4, 821692800.875, 'finished', 'sign', 'null');
INSERT INTO entry VALUES (1, 5, 821692801.125, 'started', 'move', 'mutation-same-key');
INSERT INTO entry VALUES (1, 6, 821692801.375, 'failed', 'move', 'not now');
INSERT INTO entry VALUES (1, 7, 821692801.625, 'started', 'move', 'mutation');
INSERT INTO entry VALUES (1, 8, 821692801.875, 'finished', 'move', '"ok"');
INSERT INTO entry VALUES (1, 9, 821692802.125, 'outcome', NULL, '{"pending":{"retryAfter":1.5}}');
INSERT INTO entry VALUES (1, 10, 821692802.375, 'outcome', NULL, '{"pending":{}}');
INSERT INTO entry VALUES (1, 11, 821692802.625, 'outcome', NULL, '{"unknown":{"_0":{"message":"an odd word","rawStatus":"odd","reference":{"id":"p1","provider":"acme"}}}}');
INSERT INTO entry VALUES (1, 12, 821692802.875, 'outcome', NULL, '{"succeeded":{"_0":{"amount":{"currency":"iso4217/EUR","exponent":2,"minorUnits":"1050"},"reference":{"id":"p1","provider":"acme"},"transactionID":"tx1"}}}');
INSERT INTO entry VALUES (3, 1, 821692800.125, 'outcome', NULL, '{"declined":{"_0":{"code":"refused","message":"no"}}}');
INSERT INTO entry VALUES (4, 1, 821692800.125, 'outcome', NULL, '{"cancelled":{}}');
INSERT INTO entry VALUES (5, 1, 821692800.125, 'outcome', NULL, '{"expired":{}}');
INSERT INTO entry VALUES (6, 1, 821692800.125, 'started', 'ask', 'query');
INSERT INTO entry VALUES (6, 2, 821692800.375, 'abandoned', NULL, 'changed their mind');
INSERT INTO entry VALUES (7, 1, 821692800.125, 'started', 'send', 'wallet-transfer');
INSERT INTO entry VALUES (7, 2, 821692800.375, 'finished', 'send', '"0xabc"');
INSERT INTO entry VALUES (7, 3, 821692800.625, 'outcome', NULL, '{"unknown":{"_0":{"message":"not seen yet","reference":{"id":"coins","provider":"acme"}}}}');
