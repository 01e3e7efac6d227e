PRAGMA application_id = 1347570225;
PRAGMA user_version = 5;
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
, refund TEXT, seal TEXT, ended REAL, paid INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE INDEX attempt_payment ON attempt (provider, payment);
CREATE INDEX attempt_unfinished ON attempt (number) WHERE finished = 0;
CREATE TABLE entry (
    attempt INTEGER NOT NULL REFERENCES attempt (number),
    position INTEGER NOT NULL,
    date REAL NOT NULL,
    event TEXT NOT NULL,
    name TEXT,
    detail TEXT NOT NULL, seal TEXT,
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
CREATE INDEX attempt_ended ON attempt (ended) WHERE finished = 1;
CREATE TABLE spending (
    number INTEGER PRIMARY KEY,
    attempt TEXT NOT NULL UNIQUE,
    provider TEXT NOT NULL,
    payment TEXT NOT NULL,
    amounts TEXT NOT NULL,
    day INTEGER NOT NULL,
    payee TEXT,
    method TEXT,
    keeper TEXT NOT NULL,
    state TEXT NOT NULL,
    noticed INTEGER
) STRICT;
CREATE INDEX spending_day ON spending (day);
CREATE INDEX spending_reserved ON spending (number) WHERE state = 'reserved';
INSERT INTO attempt VALUES (1, 'a1', 'acme', 'p1', '{"account":"eip155:8453:0xab16a96D359eC26a11e2C2b3d8f8B8942d5Bfcdb","amount":{"currency":"iso4217/EUR","exponent":2,"minorUnits":"12345678901234567890123"},"data":{"list":[1,"2.5",null,true,{"a":1}]},"estimate":true,"expires":821692800.225,"form":2,"id":"o1","needs":[{"method":"m_sign","need":"signing"},{"need":"data"},{"need":"page"},{"name":"Lark","need":"app"},{"need":"code"}],"title":"Naïve \"euros\" 💶","unmet":[{"need":"page"}]}', 'key-1', 821692800.125, 821693100.125, 1, NULL, '5fdd8982d4b41c37a0e8682ad691372b493d83eee58b9786a5e763bc4e0ea7d6', 821692802.875, 1);
INSERT INTO attempt VALUES (2, 'a2', 'acme', 'refund:note 7', '{"amount":{"currency":"caip19/eip155:1/erc20:0x6b175474e89094c44da98b954eedeac495271d0f","exponent":18,"minorUnits":"150"},"form":2,"id":"refund","needs":[],"title":"Refund","unmet":[]}', 'key-2', 821692800.125, NULL, 1, '{"amount":{"currency":"caip19/eip155:1/erc20:0x6b175474e89094c44da98b954eedeac495271d0f","exponent":18,"minorUnits":"150"},"form":2,"id":"note 7","payment":{"id":"p1","provider":"acme"}}', '1840cac754eec04eb68342573deaf448a7887c3b74314f5bf78d0d5d316a60fb', 821692800.375, 1);
INSERT INTO attempt VALUES (3, 'a3', 'acme', 'declined', '{"amount":{"currency":"sat","exponent":8,"minorUnits":"21"},"form":2,"id":"o","needs":[{"need":"data"}],"title":"Coins","unmet":[]}', 'key-a3', 821692800.125, NULL, 1, NULL, '9a777c7c5650183ad75eda407647c12f98036a7c1aa361260cd5ce3e779e36e5', 821692800.125, 0);
INSERT INTO attempt VALUES (4, 'a4', 'acme', 'refund:note 7', '{"amount":{"currency":"sat","exponent":8,"minorUnits":"21"},"form":2,"id":"o","needs":[{"need":"data"}],"title":"Coins","unmet":[]}', 'key-a4', 821692800.125, NULL, 1, NULL, '61a778eddb2f3e5b29a6ab88a8c6f269a143cfe233a874a2a039dd90587913bf', 821692800.125, 0);
INSERT INTO attempt VALUES (5, 'a5', 'acme', 'expired', '{"amount":{"currency":"sat","exponent":8,"minorUnits":"21"},"form":2,"id":"o","needs":[{"need":"data"}],"title":"Coins","unmet":[]}', 'key-a5', 821692800.125, NULL, 1, NULL, '7e7f8ad1d11f75dddd396335b59ea49549685d1e96d42a8d0899984bc95fdcd2', 821692800.125, 0);
INSERT INTO attempt VALUES (6, 'a6', 'acme', 'left', '{"amount":{"currency":"sat","exponent":8,"minorUnits":"21"},"form":2,"id":"o","needs":[{"need":"data"}],"title":"Coins","unmet":[]}', 'key-a6', 821692800.125, NULL, 1, NULL, '4a1ede7d6b52c0ac52750e0708fa6dc2103be62efe480d6faed6f099b19efd30', 821692800.375, 0);
INSERT INTO attempt VALUES (7, 'a7', 'acme', 'coins', '{"amount":{"currency":"sat","exponent":8,"minorUnits":"21"},"form":2,"id":"o","needs":[{"need":"data"}],"title":"Coins","unmet":[]}', 'key-a7', 821692800.125, NULL, 0, NULL, 'b05fda193a2fed73fb7a03878e36e955a9c51b05f59a598a4272d3ba5f2903fa', NULL, 0);
INSERT INTO attempt VALUES (8, 'a8', 'acme', 'café', '{"amount":{"currency":"sat","exponent":8,"minorUnits":"21"},"form":2,"id":"o","needs":[{"need":"data"}],"title":"Coins","unmet":[]}', 'key-a8', 821692800.125, NULL, 0, NULL, 'a1b5aa0d6e8c0cd92a130dc490376e1387c646b1fe966091c7d11110f45a6014', NULL, 0);
INSERT INTO entry VALUES (1, 1, 821692800.125, 'started', 'ask', 'query', '87156a595eec81954a03f2eaa7b613665f5ee935fe20bc6bab6701ae5471ccef');
INSERT INTO entry VALUES (1, 2, 821692800.375, 'finished', 'ask', '{"a":[1,null,"é"]}', '94c1a1a1614f6dd6248dd0f506db9713366873e0532bc5343e5167559528debc');
INSERT INTO entry VALUES (1, 3, 821692800.625, 'started', 'sign', 'interaction', '88cdbb72d4e4a99a4dacf6c56ee13564166323ddca8f24dbde5041ed7c19670b');
INSERT INTO entry VALUES (1, 4, 821692800.875, 'finished', 'sign', 'null', '688c10d140ae0aa80da25f2c8c76ab919eee458013497d41ef6cba43c001947b');
INSERT INTO entry VALUES (1, 5, 821692801.125, 'started', 'move', 'mutation-same-key', '6d5f079e514cf2d305f3fae7bb62a06c4ab19064a068e0429d35a6aea3c37e37');
INSERT INTO entry VALUES (1, 6, 821692801.375, 'failed', 'move', 'not now', '3dfc0938ba5d915b8a26ee8a59def865a3367404f55ccff5b306791c4be05527');
INSERT INTO entry VALUES (1, 7, 821692801.625, 'started', 'move', 'mutation', 'db27563c479a541844d08e735eca71fd880a19a475c7459f40d92f28194aea89');
INSERT INTO entry VALUES (1, 8, 821692801.875, 'finished', 'move', '"ok"', 'b68afb3fd15b0546a247b19ae72f457a5783f23a13943a4bc8cc1cee1b3c47fe');
INSERT INTO entry VALUES (1, 9, 821692802.125, 'outcome', NULL, '{"form":2,"outcome":"pending","retryAfter":1.5}', '033371f27a8e1b27f340c19c0f940eab7a76399d3bdf585aa79916f38439baed');
INSERT INTO entry VALUES (1, 10, 821692802.375, 'outcome', NULL, '{"form":2,"outcome":"pending"}', '52681d8aa4b654bbe1038f63f5c9a958d1c578253e07235aa235715357c983a2');
INSERT INTO entry VALUES (1, 11, 821692802.625, 'outcome', NULL, '{"form":2,"message":"an odd word","outcome":"unknown","rawStatus":"odd","reference":{"id":"p1","provider":"acme"}}', '503bfda2b31f56d3dae31ea22e7caf6f940d09f89bdc60f79e017f5829d733ae');
INSERT INTO entry VALUES (1, 12, 821692802.875, 'outcome', NULL, '{"form":2,"outcome":"succeeded","receipt":{"amount":{"currency":"iso4217/EUR","exponent":2,"minorUnits":"1050"},"reference":{"id":"p1","provider":"acme"},"transaction":"tx1"}}', '085290ae6db9b9e2dee261948efe928a00b4539791b6e297d6f6ea60a9c63ad7');
INSERT INTO entry VALUES (2, 1, 821692800.125, 'started', 'give back', 'mutation-same-key', '91f14b1e506d667c1093518f093efa14c45d6d94406479db6170f456deb43692');
INSERT INTO entry VALUES (2, 2, 821692800.375, 'outcome', NULL, '{"form":2,"outcome":"succeeded","receipt":{"reference":{"id":"note 7","provider":"acme","subject":"refund"}}}', 'b1d8cdfe545613bcf1205e21ce3f1a16fb22712ecec8442e46d2dac3e5c21ef0');
INSERT INTO entry VALUES (3, 1, 821692800.125, 'outcome', NULL, '{"code":"refused","form":2,"message":"no","outcome":"declined"}', '0c0f741d554554c7da8cd731eae527e094ed7c5967df8bdc95dc00213d7a2747');
INSERT INTO entry VALUES (4, 1, 821692800.125, 'outcome', NULL, '{"form":2,"outcome":"cancelled"}', '9480884e6d6c39ccc0c5bcf2e266d8929ab41c44b622cb13f3c3aca272dde54d');
INSERT INTO entry VALUES (5, 1, 821692800.125, 'outcome', NULL, '{"form":2,"outcome":"expired"}', '8c685ed308491bc913368d4b9e89552a4cbfdb734a0d488648e9b9a3fb303c5d');
INSERT INTO entry VALUES (6, 1, 821692800.125, 'started', 'ask', 'query', '4dad7235e30fa889021b9b09fb39d4b7a0f2a302a7d8bd91f1de51be92c0fe0f');
INSERT INTO entry VALUES (6, 2, 821692800.375, 'abandoned', NULL, 'changed their mind', '739a5d870ec059164b00f10243abd8239cd546dc4e533e436237a3dccef9668c');
INSERT INTO entry VALUES (7, 1, 821692800.125, 'started', 'send', 'wallet-transfer', '8d34ffa179db13e62cde3a5a03fdc65b770efedd281ec9cef5c4d9a2222cf93d');
INSERT INTO entry VALUES (7, 2, 821692800.375, 'finished', 'send', '"0xabc"', '36a089493d2511654b9ff30f118700343b90045658e204584ae33d380a19e751');
INSERT INTO entry VALUES (7, 3, 821692800.625, 'outcome', NULL, '{"form":2,"message":"not seen yet","outcome":"unknown","reference":{"id":"coins","provider":"acme"}}', 'f8723fbba6cd4a207ef59266d62202ea7c4e00d30d51e4a6c7014cedf5544040');
INSERT INTO spending VALUES (1, 's1', 'acme', 'refund:p of s1', '{"amounts":[{"currency":"iso4217/EUR","exponent":2,"minorUnits":"12345678901234567890123"},{"currency":"sat","exponent":8,"minorUnits":"7"}],"form":2}', 20833, 'shop', 'café', 'application', 'paid', 20832);
INSERT INTO spending VALUES (2, 's2', 'acme', 'refund:p of s2', '{"amounts":[{"currency":"iso4217/EUR","exponent":2,"minorUnits":"12345678901234567890123"}],"form":2}', 20832, NULL, NULL, 'journal', 'released', NULL);
INSERT INTO spending VALUES (3, 's3', 'acme', 'refund:p of s3', '{"amounts":[{"currency":"sat","exponent":8,"minorUnits":"7"}],"form":2}', 20832, NULL, NULL, 'journal', 'reserved', NULL);
