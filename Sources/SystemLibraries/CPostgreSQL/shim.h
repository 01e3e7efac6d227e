#pragma once
/*
 * The part of libpq's interface (postgresql.org/docs/current/libpq.html, libpq.so.5 of PostgreSQL 14 or later) that works
 * without blocking, in pipelines and with binary values.
 *
 * The library is loaded when the first connection is opened, and only then: what does not use PostgreSQL is built and
 * runs without it. So the functions are declared here; each is called by its own name with a `c` before it, once
 * `cpq_version` has found all of them.
 */
#include <dlfcn.h>
#include <stddef.h>

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;
typedef unsigned int Oid;
typedef struct {
    char *keyword, *envvar, *compiled, *val, *label, *dispchar;
    int dispsize;
} PQconninfoOption;
typedef void (*PQnoticeProcessor)(void *context, const char *message);

enum { CPQ_CONNECTION_OK = 0, CPQ_CONNECTION_BAD = 1 };
enum { CPQ_POLLING_FAILED = 0, CPQ_POLLING_READING = 1, CPQ_POLLING_WRITING = 2, CPQ_POLLING_OK = 3 };
enum {
    CPQ_COMMAND_OK = 1, CPQ_TUPLES_OK = 2, CPQ_FATAL_ERROR = 7, CPQ_PIPELINE_SYNC = 10, CPQ_PIPELINE_ABORTED = 11
};
enum { CPQ_TRANSACTION_IDLE = 0 };
enum { CPQ_FIELD_SQLSTATE = 'C', CPQ_FIELD_MESSAGE = 'M' };

static inline void *cpq_library(void) {
    static const char *const names[] = {
#ifdef __APPLE__
        "libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib", "/usr/local/opt/libpq/lib/libpq.5.dylib",
#else
        "libpq.so.5",
#endif
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (library) return library;
    }
    return NULL;
}

static inline void *cpq_symbol(const char *name) {
    void *library = cpq_library();
    return library ? dlsym(library, name) : NULL;
}

/* Each is looked up at its first call. Two threads may do so at once, and find the same. */
#define CPQ_CALL(result, name, parameters, arguments) \
    static inline result c##name parameters { \
        static void *known; \
        void *found = __atomic_load_n(&known, __ATOMIC_ACQUIRE); \
        if (!found) { \
            found = cpq_symbol(#name); \
            __atomic_store_n(&known, found, __ATOMIC_RELEASE); \
        } \
        return ((result(*) parameters)found)arguments; \
    }

#define CPQ_FUNCTIONS(F) \
    F(int, PQlibVersion, (void), ()) \
    F(PGconn *, PQconnectStartParams, (const char *const *keywords, const char *const *values, int expand), \
        (keywords, values, expand)) \
    F(int, PQconnectPoll, (PGconn *connection), (connection)) \
    F(int, PQstatus, (const PGconn *connection), (connection)) \
    F(int, PQsocket, (const PGconn *connection), (connection)) \
    F(int, PQtransactionStatus, (const PGconn *connection), (connection)) \
    F(int, PQserverVersion, (const PGconn *connection), (connection)) \
    F(char *, PQerrorMessage, (const PGconn *connection), (connection)) \
    F(void, PQfinish, (PGconn *connection), (connection)) \
    F(PQnoticeProcessor, PQsetNoticeProcessor, (PGconn *connection, PQnoticeProcessor processor, void *context), \
        (connection, processor, context)) \
    F(int, PQsetnonblocking, (PGconn *connection, int isNonblocking), (connection, isNonblocking)) \
    F(int, PQenterPipelineMode, (PGconn *connection), (connection)) \
    F(int, PQpipelineSync, (PGconn *connection), (connection)) \
    F(int, PQsendPrepare, \
        (PGconn *connection, const char *name, const char *query, int count, const Oid *types), \
        (connection, name, query, count, types)) \
    F(int, PQsendQueryPrepared, \
        (PGconn *connection, const char *name, int count, const char *const *values, const int *lengths, \
            const int *formats, int resultFormat), \
        (connection, name, count, values, lengths, formats, resultFormat)) \
    F(int, PQsendQueryParams, \
        (PGconn *connection, const char *query, int count, const Oid *types, const char *const *values, \
            const int *lengths, const int *formats, int resultFormat), \
        (connection, query, count, types, values, lengths, formats, resultFormat)) \
    F(int, PQflush, (PGconn *connection), (connection)) \
    F(int, PQconsumeInput, (PGconn *connection), (connection)) \
    F(int, PQisBusy, (PGconn *connection), (connection)) \
    F(void *, PQnotifies, (PGconn *connection), (connection)) \
    F(PGresult *, PQgetResult, (PGconn *connection), (connection)) \
    F(int, PQresultStatus, (const PGresult *result), (result)) \
    F(char *, PQresultErrorField, (const PGresult *result, int field), (result, field)) \
    F(int, PQntuples, (const PGresult *result), (result)) \
    F(int, PQnfields, (const PGresult *result), (result)) \
    F(char *, PQgetvalue, (const PGresult *result, int row, int column), (result, row, column)) \
    F(int, PQgetlength, (const PGresult *result, int row, int column), (result, row, column)) \
    F(int, PQgetisnull, (const PGresult *result, int row, int column), (result, row, column)) \
    F(void, PQclear, (PGresult *result), (result)) \
    F(PQconninfoOption *, PQconninfoParse, (const char *text, char **error), (text, error)) \
    F(void, PQconninfoFree, (PQconninfoOption *options), (options)) \
    F(void, PQfreemem, (void *memory), (memory))

CPQ_FUNCTIONS(CPQ_CALL)

/* The library's version, such as 150018; 0 where it is missing, or older than pipelines. */
static inline int cpq_version(void) {
#define CPQ_FIND(result, name, parameters, arguments) \
    if (!cpq_symbol(#name)) return 0;
    CPQ_FUNCTIONS(CPQ_FIND)
#undef CPQ_FIND
    return cPQlibVersion();
}

/* libpq prints notices to standard error otherwise. */
static inline void cpq_ignore(void *context, const char *message) { (void)context, (void)message; }
static inline void cpq_silence(PGconn *connection) { cPQsetNoticeProcessor(connection, cpq_ignore, NULL); }
