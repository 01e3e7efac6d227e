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
    refund TEXT,
    seal TEXT,
    finished INTEGER NOT NULL DEFAULT 0,
    ended REAL,
    paid INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX attempt_reference ON attempt (provider, subject, reference);
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
INSERT INTO attempt VALUES (1, 'a1', 'acme', 'payment', 'p1', '{"account":"eip155:8453:0xab16a96D359eC26a11e2C2b3d8f8B8942d5Bfcdb","amount":{"currency":"iso4217/EUR","exponent":2,"minorUnits":"12345678901234567890123"},"data":{"list":[1,"2.5",null,true,{"a":1}]},"estimate":true,"expires":821692800.225,"id":"o1","needs":[{"method":"m_sign","need":"signing"},{"need":"data"},{"need":"page"},{"name":"Lark","need":"app"},{"need":"code"}],"title":"Naïve \"euros\" 💶","unmet":[{"need":"page"}]}', 'key-1', 821692800.125, 821693100.125, NULL, '13a6c56414892400befc04b2656d7f29fde9d2b1a5ffe649f072a0723bd71ae4', 1, 821692803.625, 1);
INSERT INTO attempt VALUES (2, 'a2', 'acme', 'refund of p1', 'note 7', '{"amount":{"currency":"caip19/eip155:1/erc20:0x6b175474e89094c44da98b954eedeac495271d0f","exponent":18,"minorUnits":"150"},"estimate":false,"id":"refund","needs":[],"title":"Refund","unmet":[]}', 'key-2', 821692800.125, NULL, '{"amount":{"currency":"caip19/eip155:1/erc20:0x6b175474e89094c44da98b954eedeac495271d0f","exponent":18,"minorUnits":"150"},"id":"note 7","payment":["acme","payment","p1"]}', 'ac9dce92816fc42aaaaafb4768f2d736f3753b2e08478033b873d73d6f17158f', 1, 821692800.375, 1);
INSERT INTO attempt VALUES (3, 'a3', 'acme', 'payment', 'declined', '{"amount":{"currency":"sat","exponent":8,"minorUnits":"21"},"estimate":false,"id":"o","needs":[{"need":"data"}],"title":"Coins","unmet":[]}', 'key-a3', 821692800.125, NULL, NULL, '73846cbcd17626a5df5973c4dea05c2f97492f27929e7b87be437031ac0b20d0', 1, 821692800.125, 0);
INSERT INTO attempt VALUES (4, 'a4', 'acme', 'payment', 'refund:note 7', '{"amount":{"currency":"sat","exponent":8,"minorUnits":"21"},"estimate":false,"id":"o","needs":[{"need":"data"}],"title":"Coins","unmet":[]}', 'key-a4', 821692800.125, NULL, NULL, '59fe0d2d5c6a7f4301964c3a51c1da02e2c73463a36ab7220a61b1a8091c845b', 1, 821692800.125, 0);
INSERT INTO attempt VALUES (5, 'a5', 'acme', 'payment', 'expired', '{"amount":{"currency":"sat","exponent":8,"minorUnits":"21"},"estimate":false,"id":"o","needs":[{"need":"data"}],"title":"Coins","unmet":[]}', 'key-a5', 821692800.125, NULL, NULL, '7070e7af6a2e95e1267a212f4cb82d4c2ae2f8be031d43725f7283ff2ffe53ce', 1, 821692800.125, 0);
INSERT INTO attempt VALUES (6, 'a6', 'acme', 'payment', 'left', '{"amount":{"currency":"sat","exponent":8,"minorUnits":"21"},"estimate":false,"id":"o","needs":[{"need":"data"}],"title":"Coins","unmet":[]}', 'key-a6', 821692800.125, NULL, NULL, '25d7f0d9fbedf7ed7fbc8bb59357d9af37259184b6a7b35d162bc224e2bc163c', 1, 821692800.375, 0);
INSERT INTO attempt VALUES (7, 'a7', 'acme', 'payment', 'coins', '{"amount":{"currency":"sat","exponent":8,"minorUnits":"21"},"estimate":false,"id":"o","needs":[{"need":"data"}],"title":"Coins","unmet":[]}', 'key-a7', 821692800.125, NULL, NULL, 'd2fcbdf97627820adc7f24e6025c248431a8ed9163234b44e86427c9b4889da5', 0, NULL, 0);
INSERT INTO attempt VALUES (8, 'a8', 'acme', 'payment', 'café', '{"amount":{"currency":"sat","exponent":8,"minorUnits":"21"},"estimate":false,"id":"o","needs":[{"need":"data"}],"title":"Coins","unmet":[]}', 'key-a8', 821692800.125, NULL, NULL, '0e305042ecbbb78318ab6f206f50f361e5253c72f134b39f3a3a8ae352756249', 0, NULL, 0);
INSERT INTO attempt VALUES (9, 'a9', 'acme', 'payment', 'coffee', '{"amount":{"currency":"sat","exponent":8,"minorUnits":"21"},"estimate":false,"id":"o","needs":[{"need":"data"}],"title":"Coins","unmet":[]}', 'key-a9', 821692800.125, NULL, NULL, 'e80a37a2d56318d6d3e46747d5953fdb26f28b769bfe22f8c3d90c7169688e84', 0, NULL, 0);
INSERT INTO attempt VALUES (10, 'a10', 'acme', 'payment', 'decided', '{"amount":{"currency":"sat","exponent":8,"minorUnits":"21"},"estimate":false,"id":"o","needs":[{"need":"data"}],"title":"Coins","unmet":[]}', 'key-a10', 821692800.125, NULL, NULL, '4ad493ae9e5edd5e8999b4d3bfadb6c76df39287f2346c16621eaa2dd085ecdd', 1, 821692800.375, 1);
INSERT INTO entry VALUES (1, 1, 821692800.125, 'started', 'ask', 'query', 'b673ae7db3ddf3b6a4d910c1606745b5246a0b3346144d9791f6e8acd4eb6f68');
INSERT INTO entry VALUES (1, 2, 821692800.375, 'finished', 'ask', '{"a":[1,null,"é"]}', 'b47ace6a42a3cbb61c8880e1b75f8bb120715b2ccaf6fb6ba40194d584858ef6');
INSERT INTO entry VALUES (1, 3, 821692800.625, 'started', 'sign', 'interaction', 'b0e2ea40586f84c6a40e48c1a1970455ac356461a2d7a53b5d2c6ac5082e5ccb');
INSERT INTO entry VALUES (1, 4, 821692800.875, 'finished', 'sign', 'null', 'ea2432f409f200ac3017f11fff1a80242fb28332864ac8826c109c38091b5ed5');
INSERT INTO entry VALUES (1, 5, 821692801.125, 'started', 'move', 'mutation-same-key', '7c076257c3035565c66c7485742081dea87eba7063697f037f8c78ed897a49fa');
INSERT INTO entry VALUES (1, 6, 821692801.375, 'failed', 'move', 'not now', '5cb52dbf2a83c27d4358e2eb5ef341b314b14f8662b9ac882cdb0aa3c763568e');
INSERT INTO entry VALUES (1, 7, 821692801.625, 'started', 'permit', 'signature-until-1800000000', '8710d2e5b49512d3c8488c337562a10b223b9f3db767a62dc49910464c2d7243');
INSERT INTO entry VALUES (1, 8, 821692801.875, 'finished', 'permit', 'null', 'd1298b07995e5aa102040a030a6860303708acc5bef28e6bd03ae9eb19a79986');
INSERT INTO entry VALUES (1, 9, 821692802.125, 'unsent', 'send', 'no network', 'c11275e9b25d93439955575e1db0bb34473fb4e3e18230108b44171db05afd64');
INSERT INTO entry VALUES (1, 10, 821692802.375, 'started', 'move', 'mutation', 'de32a08debe63eb37b5f642bc825363d2647b640f7048a27386a9c1b20d071d1');
INSERT INTO entry VALUES (1, 11, 821692802.625, 'finished', 'move', '"ok"', 'd4bf4b486dbb23a0fda003447f6b7bd1c75307851175452d226cc115888aa332');
INSERT INTO entry VALUES (1, 12, 821692802.875, 'outcome', NULL, '{"outcome":"pending","retryAfter":1.5}', '0de0415fbbcba4642227707092a3d9025196dcc76307f61480a6d342fa347415');
INSERT INTO entry VALUES (1, 13, 821692803.125, 'outcome', NULL, '{"outcome":"pending"}', 'a9cc22bfc0ba9cac3e22dfa886b7d37782a12aa9fbe9c85def3afb0fdf933d0b');
INSERT INTO entry VALUES (1, 14, 821692803.375, 'outcome', NULL, '{"message":"an odd word","outcome":"unknown","rawStatus":"odd","reference":["acme","payment","p1"]}', '569889208bdb792b481174a781e4e25df977983746e5bf3f12e7d73b0979364d');
INSERT INTO entry VALUES (1, 15, 821692803.625, 'outcome', NULL, '{"outcome":"succeeded","receipt":{"amount":{"currency":"iso4217/EUR","exponent":2,"minorUnits":"1050"},"reference":["acme","payment","p1"],"transaction":"tx1"}}', 'd062ebf3f5305fcc7fe543e0bf53d6a8be46755cad3dfa8ea45ab5f9c9151763');
INSERT INTO entry VALUES (2, 1, 821692800.125, 'started', 'give back', 'mutation-same-key', '0160867a51993a72dd97a532386cd5dd7b36c929d3a94657beef837b7e2d8b7e');
INSERT INTO entry VALUES (2, 2, 821692800.375, 'outcome', NULL, '{"outcome":"succeeded","receipt":{"reference":["acme","refund of p1","note 7"]}}', '2dcff4f2d1cb53a6eb3953e6f2500ea584680ede885f5bece6f63c9fbc2976a4');
INSERT INTO entry VALUES (3, 1, 821692800.125, 'outcome', NULL, '{"code":"refused","message":"no","outcome":"declined"}', '1670308fe98de659e5eb6602a27e645dc47decf9c9fd0c80c8555268598fbfca');
INSERT INTO entry VALUES (4, 1, 821692800.125, 'outcome', NULL, '{"outcome":"cancelled"}', '253cdd12cb224eca641af5fed9fa623342b5eeeb71c0bf1a7693875922ca5227');
INSERT INTO entry VALUES (5, 1, 821692800.125, 'outcome', NULL, '{"outcome":"expired"}', 'ae826bd8ebfbded34328352deaa12270ccac2bb2ccbfde4ea8c68e8ffb2f7120');
INSERT INTO entry VALUES (6, 1, 821692800.125, 'started', 'ask', 'query', '941ff28ad6b7b07ce02f8c209e1acb6bcb398cb7c64274427bb1fb43d696a54a');
INSERT INTO entry VALUES (6, 2, 821692800.375, 'abandoned', NULL, 'changed their mind', 'da9971c487ff3a174975778413ad89c687ae37cc799c7cffc9023017c8e59189');
INSERT INTO entry VALUES (7, 1, 821692800.125, 'started', 'send', 'wallet-transfer', 'e82f419d255e3974b798e9e519f3c4be6c9c8ea451ec9e536a5086fb4324237d');
INSERT INTO entry VALUES (7, 2, 821692800.375, 'finished', 'send', '"0xabc"', '3b190075e31b5e3e0e70ab8df4d8197aecb96d40eb059c788250bbbddc1f0c64');
INSERT INTO entry VALUES (7, 3, 821692800.625, 'outcome', NULL, '{"message":"not seen yet","outcome":"unknown","reference":["acme","payment","coins"]}', 'aca70fd611d1bf815cd2087c74a07a45835a205e36fb049fb478f7c80143ea7e');
INSERT INTO entry VALUES (9, 1, 821692800.125, 'started', 'settle', 'settlement', '51a38cbf7cd3ad14acf073c3d0006af36d05e9abf512a51eb6a99ca45d15b060');
INSERT INTO entry VALUES (10, 1, 821692800.125, 'started', 'settle', 'settlement', 'c00a3fcae8b92d1f860dd7285a7fe63cb70418d0a1134e00dd69dc1030ab0f56');
INSERT INTO entry VALUES (10, 2, 821692800.375, 'outcome', NULL, '{"outcome":"succeeded","receipt":{"decision":"Mina decided: a statement","reference":["acme","payment","decided"]}}', 'aecdc126277d7c728f315f53d2eef200952b20eee56eddd98d2ddd1f1a3616fa');
INSERT INTO spending VALUES (1, 's1', 'acme', 'payment', 'refund:p of s1', '{"amounts":[{"currency":"iso4217/EUR","exponent":2,"minorUnits":"12345678901234567890123"},{"currency":"sat","exponent":8,"minorUnits":"7"}]}', 20833, 'shop', 'café', 'application', 'paid', 20832);
INSERT INTO spending VALUES (2, 's2', 'acme', 'payment', 'refund:p of s2', '{"amounts":[{"currency":"iso4217/EUR","exponent":2,"minorUnits":"12345678901234567890123"}]}', 20832, NULL, NULL, 'journal', 'released', NULL);
INSERT INTO spending VALUES (3, 's3', 'acme', 'payment', 'refund:p of s3', '{"amounts":[{"currency":"sat","exponent":8,"minorUnits":"7"}]}', 20832, NULL, NULL, 'journal', 'reserved', NULL);
