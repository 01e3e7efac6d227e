#pragma once
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/// Listens on 127.0.0.1, never on another address; port 0 picks a free one.
///
/// The socket is made here and not by the library because only then is the reason for a failure known.
/// Returns the socket and sets `port` to the one in use, or returns -1 and sets `problem` to the errno.
static inline int sandbox_listen(uint16_t *port, int *problem) {
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons(*port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    int yes = 1;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0) {
        *problem = errno;
        return -1;
    }
    // Reuse lets a restarted server have its port again at once; a port that another process listens on stays taken.
    if (fcntl(listener, F_SETFD, FD_CLOEXEC) == 0 && fcntl(listener, F_SETFL, O_NONBLOCK) == 0
        && setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0
        && bind(listener, (struct sockaddr *)&address, sizeof address) == 0 && listen(listener, 512) == 0
        && getsockname(listener, (struct sockaddr *)&address, &length) == 0) {
        *port = ntohs(address.sin_port);
        return listener;
    }
    *problem = errno;
    close(listener);
    return -1;
}

/// Swift cannot call functions with variable arguments: this starts a daemon with the options that the sandbox uses.
///
/// One polling thread serves all connections with poll, because select ends at 1,024 files. Epoll is not used: the
/// library's thread may take the listener out of the epoll set while ``MHD_quiesce_daemon`` does, and it ends the process
/// when it finds that done (version 0.9.75, daemon.c, "Failed to remove listen FD from epoll set"). The daemon owns
/// `listener` from here on.
static inline struct MHD_Daemon *sandbox_start_daemon(
    int listener, unsigned int idle_seconds, unsigned int connections, void *context,
    void *(*begin)(void *context, const char *target, struct MHD_Connection *connection),
    MHD_AccessHandlerCallback handle, MHD_RequestCompletedCallback end, MHD_NotifyConnectionCallback watch,
    size_t (*unescape)(void *context, struct MHD_Connection *connection, char *text)) {
    unsigned int polling = MHD_is_feature_supported(MHD_FEATURE_POLL) == MHD_YES ? MHD_USE_POLL : MHD_USE_AUTO;
    return MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | polling | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handle, context,
        MHD_OPTION_LISTEN_SOCKET, (MHD_socket)listener,
        MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds,
        MHD_OPTION_CONNECTION_LIMIT, connections,
        MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_URI_LOG_CALLBACK, begin, context,
        MHD_OPTION_UNESCAPE_CALLBACK, unescape, context,
        MHD_OPTION_NOTIFY_COMPLETED, end, context,
        MHD_OPTION_NOTIFY_CONNECTION, watch, context,
        MHD_OPTION_END);
}

/// Where the next header field has to begin in the bytes of a request; NULL when one did not begin there.
static inline enum MHD_Result sandbox_follow(
    void *context, enum MHD_ValueKind kind, const char *name, const char *value) {
    const char **next = context;
    (void)kind;
    *next = name == *next && value != NULL ? value + strlen(value) + 2 : NULL;
    return *next == NULL ? MHD_NO : MHD_YES;
}

/// True if the request line and the header fields, as the library passes them on, are all that was sent before the body.
///
/// Before version 1.0 the library ends a value at a NUL, and joins folded lines, before anything is seen of them. It reads
/// in place: a field that it has cut short, or put together elsewhere, no longer ends where the next one begins. Later
/// versions refuse both by themselves, at the strict level.
static inline int sandbox_is_read_as_sent(
    struct MHD_Connection *connection, const char *method, size_t target_length, const char *version) {
    if (MHD_get_version()[0] != '0') return 1;
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    if (info == NULL || version != method + strlen(method) + 1 + target_length + 1) return 0;
    const char *next = version + strlen(version) + 2;
    MHD_get_connection_values(connection, MHD_HEADER_KIND, sandbox_follow, &next);
    return next != NULL && next + 2 == method + info->header_size;
}

/// Lets this process have up to `files` files open, as far as the system allows it.
static inline void sandbox_allow_files(unsigned int files) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= files) return;
    limit.rlim_cur = limit.rlim_max == RLIM_INFINITY || limit.rlim_max > files ? files : limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

/// The socket of a connection, or -1.
static inline int sandbox_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : info->connect_fd;
}

/// Ends a connection's traffic in both directions; its owner notices and closes it.
static inline void sandbox_hang_up(int socket) { shutdown(socket, SHUT_RDWR); }

/// The text of an errno.
static inline const char *sandbox_error_text(int problem) { return strerror(problem); }
