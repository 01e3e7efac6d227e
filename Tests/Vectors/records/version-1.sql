PRAGMA application_id = 1347570481;
PRAGMA user_version = 1;
CREATE TABLE record (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    room TEXT NOT NULL,
    name TEXT NOT NULL,
    value BLOB NOT NULL,
    UNIQUE (kind, room, name)
) STRICT;
CREATE TABLE mark (
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    record INTEGER NOT NULL REFERENCES record (number) ON DELETE CASCADE,
    PRIMARY KEY (kind, name, value, record)
) STRICT, WITHOUT ROWID;
CREATE INDEX mark_record ON mark (record);
CREATE TABLE lease (
    kind TEXT NOT NULL,
    room TEXT NOT NULL,
    holder TEXT NOT NULL,
    owner INTEGER NOT NULL,
    ends REAL NOT NULL,
    PRIMARY KEY (kind, room)
) STRICT, WITHOUT ROWID;
-- record: 1, 'sample', 'room', 'name', X'00FF01'
-- record: 4, 'sample', 'room', '', X'7B7D'
-- mark: 'sample', 'due', 'c1c7d78400400000', 1
-- mark: 'sample', 'number', '7fffffffffffffff', 4
-- mark: 'sample', 'state', 'open', 1
-- lease: 'sample', 'room', 'holder', 800000030.5
