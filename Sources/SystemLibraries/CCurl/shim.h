#pragma once
#include <arpa/inet.h>
#include <curl/curl.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

extern char **environ;

// Replaces the first entry of the environment that begins with `name` by `entry`, or that is `entry` by `old`. Only a
// pointer changes: other threads that read the environment meanwhile see one or the other.
static inline char *ccurl_replace_entry(const char *name, char *entry, char *old) {
    for (char **each = environ; each && *each; each++) {
        char *found = *each;
        if (old ? found != entry : strncmp(found, name, strlen(name)) != 0) continue;
        __atomic_store_n(each, old ? old : entry, __ATOMIC_RELEASE);
        return found;
    }
    return NULL;
}

// Starts libcurl, once per process.
//
// OpenSSL, if libcurl stands on it, would free its state in an exit handler while the thread of libcurl may be using it: the
// process would crash or hang as it ends. So OpenSSL is told first to keep its state. It is looked up in whatever is loaded
// (NULL), because libcurl may stand on something else.
static inline CURLcode ccurl_start(void) {
    const uint64_t no_exit_handler = 0x00080000; // OPENSSL_INIT_NO_ATEXIT
    int (*start_openssl)(uint64_t, const void *) = (int (*)(uint64_t, const void *))dlsym(NULL, "OPENSSL_init_crypto");
    if (start_openssl) start_openssl(no_exit_handler, NULL);
    // With this variable set, libcurl on OpenSSL would write the keys of all connections to a file, for whoever can set
    // a variable to read what was sent. It looks once, while it starts.
    static char no_key_file[] = "SSLKEYLOGFILE=";
    char *key_file = ccurl_replace_entry(no_key_file, no_key_file, NULL);
    CURLcode code = curl_global_init(CURL_GLOBAL_ALL);
    if (key_file) ccurl_replace_entry(no_key_file, no_key_file, key_file);
    return code;
}

// Swift cannot call C functions with variable arguments: one fixed-argument form per kind of argument.

static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_text(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, const void *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

// Receives `size * count` bytes of the answer; returning another number ends the transfer.
typedef size_t (*ccurl_receive)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode ccurl_set_receive(CURL *easy, CURLoption option, ccurl_receive function) {
    return curl_easy_setopt(easy, option, function);
}

static inline CURLcode ccurl_set_debug(CURL *easy, curl_debug_callback function) {
    return curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, function);
}

static inline CURLcode ccurl_set_progress(CURL *easy, curl_xferinfo_callback function) {
    return curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, function);
}

static inline CURLcode ccurl_set_before_request(CURL *easy, curl_prereq_callback function) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, function);
}

static inline CURLcode ccurl_set_open(CURL *easy, curl_opensocket_callback function) {
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, function);
}

static inline CURLcode ccurl_set_close(CURL *easy, curl_closesocket_callback function) {
    return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, function);
}

// The bytes that have been read from a TCP connection: those that came less those that wait. 0 for other files.
static inline intptr_t ccurl_consumed(int connection) {
    // The beginning of Linux' struct tcp_info, which is only ever extended; another header has an older form of it.
    struct { char others[128]; uint64_t bytes_received; } info;
    socklen_t size = sizeof info;
    int waiting = 0;
    memset(&info, 0, sizeof info);
    if (getsockopt(connection, IPPROTO_TCP, 11 /* TCP_INFO */, &info, &size) != 0) return 0;
    if (ioctl(connection, SIOCINQ, &waiting) != 0) return 0;
    return (intptr_t)info.bytes_received - waiting;
}

extern int dup3(int from, int to, int flags);

// Puts the file `by` in the place of `number`, at once, so that the number is never free.
static inline int ccurl_replace(int number, int by) { return dup3(by, number, O_CLOEXEC); }

// The bytes of an address, in the order of the network, in `bytes`, which has room for 16; and their number.
static inline int ccurl_address(const struct curl_sockaddr *address, uint8_t *bytes) {
    if (address->family == AF_INET) {
        memcpy(bytes, &((const struct sockaddr_in *)&address->addr)->sin_addr, 4);
        return 4;
    }
    if (address->family == AF_INET6) {
        memcpy(bytes, &((const struct sockaddr_in6 *)&address->addr)->sin6_addr, 16);
        return 16;
    }
    return 0;
}

// The same of an address in digits; 0 if it is none.
static inline int ccurl_address_in(const char *text, uint8_t *bytes) {
    if (!text) return 0;
    if (inet_pton(AF_INET, text, bytes) == 1) return 4;
    return inet_pton(AF_INET6, text, bytes) == 1 ? 16 : 0;
}

// The certificates in PEM by which servers prove themselves, in place of the system's file and folder of authorities.
static inline CURLcode ccurl_set_certificates(CURL *easy, const void *pem, size_t size) {
    struct curl_blob blob = { (void *)pem, size, CURL_BLOB_COPY };
    CURLcode code = curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
    return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_CAINFO_BLOB, &blob);
}

// The client's certificate and private key in PEM, or neither. A key with a passphrase is refused: nobody is asked for it.
static inline CURLcode ccurl_set_identity(
    CURL *easy, const void *certificate, size_t certificate_size, const void *key, size_t key_size
) {
    struct curl_blob shown = { (void *)certificate, certificate_size, CURL_BLOB_COPY };
    struct curl_blob secret = { (void *)key, key_size, CURL_BLOB_COPY };
    CURLcode code = curl_easy_setopt(easy, CURLOPT_SSLCERT_BLOB, certificate ? &shown : NULL);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_SSLKEY_BLOB, key ? &secret : NULL);
    return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_KEYPASSWD, "");
}

// Only HTTP and HTTPS. The textual option replaced the bit mask in 7.85.
static inline CURLcode ccurl_allow_only_http(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
    return curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    return curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

static inline CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode ccurl_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode ccurl_get_pointer(CURL *easy, CURLINFO info, void **value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode ccurl_multi_set_pointer(CURLM *multi, CURLMoption option, void *value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode ccurl_multi_set_socket(CURLM *multi, curl_socket_callback function) {
    return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, function);
}

static inline CURLMcode ccurl_multi_set_timer(CURLM *multi, curl_multi_timer_callback function) {
    return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, function);
}

// Names the calling thread for debuggers and `ps`; at most 15 characters.
static inline void ccurl_name_thread(const char *name) {
    prctl(PR_SET_NAME, name, 0, 0, 0);
}
