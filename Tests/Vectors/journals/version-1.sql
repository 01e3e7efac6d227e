PRAGMA application_id = 1347570225;
PRAGMA user_version = 1;
CREATE TABLE attempt (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    provider TEXT NOT NULL,
    subject TEXT NOT NULL,
    reference TEXT NOT NULL,
    option TEXT NOT NULL,
    key TEXT NOT NULL,
    started REAL NOT NULL,
    expires REAL,
    seal TEXT,
    finished INTEGER NOT NULL DEFAULT 0,
    ended REAL,
    paid INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX attempt_reference ON attempt (provider, subject, reference);
CREATE INDEX attempt_refund ON attempt (provider, reference) WHERE subject >= 'refund of ' AND subject < 'refund of!';
CREATE INDEX attempt_unfinished ON attempt (number) WHERE finished = 0;
CREATE INDEX attempt_ended ON attempt (ended) WHERE finished = 1;
CREATE TABLE entry (
    attempt INTEGER NOT NULL REFERENCES attempt (number),
    position INTEGER NOT NULL,
    date REAL NOT NULL,
    event TEXT NOT NULL,
    name TEXT,
    detail TEXT NOT NULL,
    seal TEXT,
    PRIMARY KEY (attempt, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE lease (
    provider TEXT NOT NULL,
    subject TEXT NOT NULL,
    reference TEXT NOT NULL,
    holder TEXT NOT NULL,
    owner INTEGER NOT NULL,
    ends REAL NOT NULL,
    PRIMARY KEY (provider, subject, reference)
) STRICT, WITHOUT ROWID;
CREATE TABLE spending (
    number INTEGER PRIMARY KEY,
    attempt TEXT NOT NULL UNIQUE,
    provider TEXT NOT NULL,
    subject TEXT NOT NULL,
    reference TEXT NOT NULL,
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
INSERT INTO attempt VALUES (1, 'a1', 'acme', 'payment', 'p1', '{"account":"eip155:8453:0xab16a96D359eC26a11e2C2b3d8f8B8942d5Bfcdb","amount":{"currency":"iso4217/EUR","exponent":2,"minorUnits":"12345678901234567890123"},"data":{"list":[1,"2.5",null,true,{"a":1}]},"estimate":true,"expires":821692800.225,"id":"o1","needs":[{"method":"m_sign","need":"signing"},{"need":"data"},{"need":"page"},{"name":"Lark","need":"app"},{"need":"code"}],"title":"Naïve \"euros\" 💶","unmet":[{"need":"page"}]}', 'key-1', 821692800.125, 821693100.125, '0b5a849aa0a4a8b35e999ba739cbfc9a5233024a6a02b11bfc3c4d365e5a596e', 1, 821692803.625, 1);
INSERT INTO attempt VALUES (2, 'a2', 'acme', 'refund of p1', 'note 7', '{"amount":{"currency":"caip19/eip155:1/erc20:0x6b175474e89094c44da98b954eedeac495271d0f","exponent":18,"minorUnits":"150"},"estimate":false,"id":"refund","needs":[],"title":"Refund","unmet":[]}', 'key-2', 821692800.125, NULL, '8bb40316e6100e9b1b165db6798c5a456642434268475613dff834f9b7bea6b8', 1, 821692800.375, 1);
INSERT INTO attempt VALUES (3, 'a3', 'acme', 'payment', 'declined', '{"amount":{"currency":"sat","exponent":8,"minorUnits":"21"},"estimate":false,"id":"o","needs":[{"need":"data"}],"title":"Coins","unmet":[]}', 'key-a3', 821692800.125, NULL, '5888b7db4782f49882f8f674be2a25c64e4ccc7ab62c5d40ad98d2ab78202f8e', 1, 821692800.125, 0);
INSERT INTO attempt VALUES (4, 'a4', 'acme', 'payment', 'refund:note 7', '{"amount":{"currency":"sat","exponent":8,"minorUnits":"21"},"estimate":false,"id":"o","needs":[{"need":"data"}],"title":"Coins","unmet":[]}', 'key-a4', 821692800.125, NULL, 'b6a4c84cbffc5cc7ac7e82efc9ab3a43885f69807ef6703ca10055989bde6c54', 1, 821692800.125, 0);
INSERT INTO attempt VALUES (5, 'a5', 'acme', 'payment', 'expired', '{"amount":{"currency":"sat","exponent":8,"minorUnits":"21"},"estimate":false,"id":"o","needs":[{"need":"data"}],"title":"Coins","unmet":[]}', 'key-a5', 821692800.125, NULL, 'c1888732bb31c58ddce4dde211b28eefc8c08955aca5ee85c90af069c580428d', 1, 821692800.125, 0);
INSERT INTO attempt VALUES (6, 'a6', 'acme', 'payment', 'left', '{"amount":{"currency":"sat","exponent":8,"minorUnits":"21"},"estimate":false,"id":"o","needs":[{"need":"data"}],"title":"Coins","unmet":[]}', 'key-a6', 821692800.125, NULL, '47e727209fee639a3d378d071030758eabf5ec3b5b41edbc72bd4e68b1537cb0', 1, 821692800.375, 0);
INSERT INTO attempt VALUES (7, 'a7', 'acme', 'payment', 'coins', '{"amount":{"currency":"sat","exponent":8,"minorUnits":"21"},"estimate":false,"id":"o","needs":[{"need":"data"}],"title":"Coins","unmet":[]}', 'key-a7', 821692800.125, NULL, '720aecc000b0284047a7ecf12d2464145ad6c4471976e109f0213d8d1f79f4e2', 0, NULL, 0);
INSERT INTO attempt VALUES (8, 'a8', 'acme', 'payment', 'café', '{"amount":{"currency":"sat","exponent":8,"minorUnits":"21"},"estimate":false,"id":"o","needs":[{"need":"data"}],"title":"Coins","unmet":[]}', 'key-a8', 821692800.125, NULL, 'c443fcc20c121e690d9a85ce876c7595e0130c76f8ffa9722f51ac9dbc8a3fae', 0, NULL, 0);
INSERT INTO attempt VALUES (9, 'a9', 'acme', 'payment', 'coffee', '{"amount":{"currency":"sat","exponent":8,"minorUnits":"21"},"estimate":false,"id":"o","needs":[{"need":"data"}],"title":"Coins","unmet":[]}', 'key-a9', 821692800.125, NULL, '64ffb7940c59fd567fc3bec15b008bc91422bbb2097c4850a049de2dbe4e1a53', 0, NULL, 0);
INSERT INTO attempt VALUES (10, 'a10', 'acme', 'payment', 'decided', '{"amount":{"currency":"sat","exponent":8,"minorUnits":"21"},"estimate":false,"id":"o","needs":[{"need":"data"}],"title":"Coins","unmet":[]}', 'key-a10', 821692800.125, NULL, '201798969815bb956a2bb94735a597cfd059f2008817cf04e4feeeb09f73d8dc', 1, 821692800.375, 1);
INSERT INTO attempt VALUES (11, 'a11', 'acme', 'capture', 'p1', '{"amount":{"currency":"sat","exponent":8,"minorUnits":"21"},"estimate":false,"id":"o","needs":[{"need":"data"}],"title":"Coins","unmet":[]}', 'key-a11', 821692800.125, NULL, '2ff8cc3aaf36fadd056cfd9a5436a7638cefb59927dabed9c4b713ea941a6dc8', 0, NULL, 0);
INSERT INTO attempt VALUES (12, 'a12', 'acme', 'payment', 'earlier', '{"amount":{"currency":"sat","exponent":8,"minorUnits":"21"},"estimate":false,"id":"o","needs":[{"need":"data"}],"title":"Coins","unmet":[]}', 'key-a12', 821692800.125, NULL, 'ed81c1e531a2eb6b80d191087209f9cb42780f1f98b6ccbf656fbd85eee9f9e3', 1, 821692800.125, 1);
INSERT INTO entry VALUES (1, 1, 821692800.125, 'started', 'ask', 'query', 'bbaf559b89a8e789114e7d562332ec689fb519ec806ffd45ffc636f06c086762');
INSERT INTO entry VALUES (1, 2, 821692800.375, 'finished', 'ask', '{"a":[1,null,"é"]}', '38bac5f95d1f8e2bf9ba7d73817a94b48d1c35a2b56a56de69d3d3703c3e1616');
INSERT INTO entry VALUES (1, 3, 821692800.625, 'started', 'sign', 'interaction', '64d090ac8e2645d4dd5b3923f1a902f4f46150367d993c0d9fb5265dd85e9411');
INSERT INTO entry VALUES (1, 4, 821692800.875, 'finished', 'sign', 'null', 'de2e9d3d4ca38a81b56f2066873a88a94b211120e94a59b3334f1308eb1b910f');
INSERT INTO entry VALUES (1, 5, 821692801.125, 'started', 'move', 'mutation-same-key', 'c159b0cbf3c16d76f281cd0660898d8081303df8e14cb2ece9af80c760b53ba2');
INSERT INTO entry VALUES (1, 6, 821692801.375, 'failed', 'move', 'not now', '1e772c43f9b5c1b71638bf3452cce862582b0fb740887a6cd7835ed556a5db67');
INSERT INTO entry VALUES (1, 7, 821692801.625, 'started', 'permit', 'signature-until-1800000000', 'b51d0f7a7c0e535b52783a0410bc06ac882bb2c508477b79bd160f174f156b11');
INSERT INTO entry VALUES (1, 8, 821692801.875, 'finished', 'permit', 'null', '0de3b54b66fc669b9299b798a9c482383396cfa6c1d6be5bd1409438e869d356');
INSERT INTO entry VALUES (1, 9, 821692802.125, 'unsent', 'send', 'no network', 'cb161bc5d006f49a442aa3273287c4623ec31ca688b77efbb2846e5e55204882');
INSERT INTO entry VALUES (1, 10, 821692802.375, 'started', 'move', 'mutation', 'b852f064827124a56f8c3c4268f8277d3719c64e54a8e8af54a3adf758dbb4f5');
INSERT INTO entry VALUES (1, 11, 821692802.625, 'finished', 'move', '"ok"', 'de7d29494cd405c3186ca36cf719e52eacbae927a98dfbb0a591df8bfd06576c');
INSERT INTO entry VALUES (1, 12, 821692802.875, 'outcome', NULL, '{"outcome":"pending","retryAfter":1.5}', '540d6e46728aa716a10cc0a41361c9385a7e7271b2be20411e69edb1f5c7e583');
INSERT INTO entry VALUES (1, 13, 821692803.125, 'outcome', NULL, '{"outcome":"pending"}', 'c33f1ebe88394e47e55b279b72a257b61927dc4cc4da371944a57b0ad154b5eb');
INSERT INTO entry VALUES (1, 14, 821692803.375, 'outcome', NULL, '{"message":"an odd word","outcome":"unknown","rawStatus":"odd","reference":["acme","payment","p1"]}', '6df9107948adbe3f09be799274961e6ea8d1045e1b246ff805e0a935ec05ba15');
INSERT INTO entry VALUES (1, 15, 821692803.625, 'outcome', NULL, '{"outcome":"succeeded","receipt":{"amount":{"currency":"iso4217/EUR","exponent":2,"minorUnits":"1050"},"reference":["acme","payment","p1"],"transaction":"tx1"}}', '5a613266d944edccda9c5ef1fea765f8a8eb3ef0e4d0ee4827347cb01574e993');
INSERT INTO entry VALUES (2, 1, 821692800.125, 'started', 'give back', 'mutation-any-time', 'a5d2fa4efb9d2753a85201fa58360da908d90f8fbd312b4db6c8a202db641952');
INSERT INTO entry VALUES (2, 2, 821692800.375, 'outcome', NULL, '{"outcome":"succeeded","receipt":{"reference":["acme","refund of p1","note 7"]}}', 'ea1ec1d53958c35417cd9702b577d6728fd093767c308a7fb0c2a41132023b40');
INSERT INTO entry VALUES (3, 1, 821692800.125, 'outcome', NULL, '{"code":"refused","message":"no","outcome":"declined"}', '3323c1c814a125fab3d5a895fac2dd4093762b23f0b7338e76f9942a8c802aac');
INSERT INTO entry VALUES (4, 1, 821692800.125, 'outcome', NULL, '{"outcome":"cancelled"}', '98e05c69be7ab1491f54bdca4685a1af936db47f446e776a970d5a76fbc330e1');
INSERT INTO entry VALUES (5, 1, 821692800.125, 'outcome', NULL, '{"outcome":"expired"}', '7ce67fe82f0eb26398cac51c97b818ccbf0737454ca197fb7565b340b791afe2');
INSERT INTO entry VALUES (6, 1, 821692800.125, 'started', 'ask', 'query', 'aaed774d50c994d089cf3627dbcd9fde1886c23ec8f86ef9832e2d81aa9b8cee');
INSERT INTO entry VALUES (6, 2, 821692800.375, 'abandoned', NULL, 'changed their mind', '6b3772dee9bca0ba3ddc5f4d9d5068452840ce483ad927f8660342cba0485912');
INSERT INTO entry VALUES (7, 1, 821692800.125, 'started', 'send', 'wallet-transfer', 'c3bfa08b4b4dd46c98baa7ff58084e48620294ec156c2146bfe1bc97752c8bf0');
INSERT INTO entry VALUES (7, 2, 821692800.375, 'finished', 'send', '"0xabc"', 'a9fbeec3985246ad463e3882ccb3dd0c2c86bbdad174b8b32b18380e598e037f');
INSERT INTO entry VALUES (7, 3, 821692800.625, 'outcome', NULL, '{"message":"not seen yet","outcome":"unknown","reference":["acme","payment","coins"]}', 'f11d109629221cf5927f1ad0aa48e8d7f5049fa66a45a372c9c6b3e08c534680');
INSERT INTO entry VALUES (9, 1, 821692800.125, 'started', 'settle', 'settlement-by-orders-7', '6ffd5b601fc11197db1daf7e445d798d237f05d8187cf31091ff6ef995a0c922');
INSERT INTO entry VALUES (10, 1, 821692800.125, 'started', 'settle', 'settlement-by-orders-7', '8fda2840fff397eeba3538b3d7307b1edfaad9458c18dbe4d55baa6df516c874');
INSERT INTO entry VALUES (10, 2, 821692800.375, 'outcome', NULL, '{"outcome":"succeeded","receipt":{"decision":"Mina decided: a statement","reference":["acme","payment","decided"],"unproven":"a record without a preimage"}}', '6c9fb6dfe06f49ed9b0cb1b9a63688caa76b55a6939d564e28ba6a68fdafb9c0');
INSERT INTO entry VALUES (11, 1, 821692800.125, 'started', 'capture', 'mutation-same-key', 'be58ec8d45a44373d8588b5d15d730b9f27a4d7de3738253465285f63a7ab639');
INSERT INTO entry VALUES (12, 1, 821692800.125, 'outcome', NULL, '{"outcome":"succeeded","receipt":{"earlier":true,"reference":["acme","payment","earlier"]}}', '6da44d238bd826fd26f2644e79a02ff12ee495c053577a385142814f6887ff5b');
INSERT INTO spending VALUES (1, 's1', 'acme', 'payment', 'refund:p of s1', '{"amounts":[{"currency":"iso4217/EUR","exponent":2,"minorUnits":"12345678901234567890123"},{"currency":"sat","exponent":8,"minorUnits":"7"}]}', 20833, 'shop', 'café', 'application', 'paid', 20832);
INSERT INTO spending VALUES (2, 's2', 'acme', 'payment', 'refund:p of s2', '{"amounts":[{"currency":"iso4217/EUR","exponent":2,"minorUnits":"12345678901234567890123"}]}', 20832, NULL, NULL, 'journal', 'released', NULL);
INSERT INTO spending VALUES (3, 's3', 'acme', 'payment', 'refund:p of s3', '{"amounts":[{"currency":"sat","exponent":8,"minorUnits":"7"}]}', 20832, NULL, NULL, 'journal', 'reserved', NULL);
