#pragma once
#include <sqlite3.h>
#include <stddef.h>

// Swift cannot call C functions with variable arguments. From here on the connection refuses statements that would damage
// the file by writing around its schema.
static inline int csqlite_defend(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
}
