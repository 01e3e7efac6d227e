#pragma once
#include <sqlite3.h>
#include <stddef.h>

// Swift cannot call C functions with variable arguments. From here on the connection refuses statements that would damage
// the file by writing around its schema, runs no triggers and reads no views.
static inline int csqlite_defend(sqlite3 *database) {
    int code = sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    if (code == SQLITE_OK) code = sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    if (code == SQLITE_OK) code = sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    return code;
}
