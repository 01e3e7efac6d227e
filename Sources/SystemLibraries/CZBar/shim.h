#pragma once
/*
 * The part of libzbar's interface (zbar.h, libzbar.so.0) that reads QR codes from a picture.
 *
 * The library is loaded when a picture is read, and only then: it brings a camera's and a window system's libraries with
 * it, which nobody needs for anything else here, and its headers bring ImageMagick's. So the functions are declared
 * here, and the program runs without it.
 */
#include <dlfcn.h>
#include <stddef.h>

#define CZBAR_MISSING (-1)
#define CZBAR_FAILED (-2)
/* It cannot hand over a code's bytes: older than 0.23.1. */
#define CZBAR_OLD (-3)

static inline void *czbar_library(void) {
    static const char *const names[] = {
#ifdef __APPLE__
        "libzbar.0.dylib", "/opt/homebrew/lib/libzbar.0.dylib", "/usr/local/lib/libzbar.0.dylib",
#else
        "libzbar.so.0",
#endif
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (library) return library;
    }
    return NULL;
}

/* The library's version as three numbers; 0, or CZBAR_MISSING. */
static inline int czbar_version(unsigned *numbers) {
    void *library = czbar_library();
    if (!library) return CZBAR_MISSING;
    int (*version)(unsigned *, unsigned *, unsigned *) =
        (int (*)(unsigned *, unsigned *, unsigned *))dlsym(library, "zbar_version");
    if (!version) return CZBAR_MISSING;
    version(&numbers[0], &numbers[1], &numbers[2]);
    return 0;
}

typedef void (*czbar_found)(void *context, const char *text, unsigned length);

/*
 * Calls `found` with the text of each QR code in a picture, and returns how many there are, or one of the words above.
 * `format` is what zbar calls it: "Y800" for one byte a pixel, "JPEG" for a whole JPEG file. With `as_bytes` the texts are
 * the codes' bytes; otherwise zbar converts them to UTF-8, by the character set that the code names (ECI) or by a guess.
 */
static inline int czbar_scan(
    const void *bytes, size_t length, unsigned width, unsigned height, const char *format, int as_bytes,
    czbar_found found,
    void *context) {
    void *library = czbar_library();
    if (!library) return CZBAR_MISSING;
    void *(*scanner_create)(void) = (void *(*)(void))dlsym(library, "zbar_image_scanner_create");
    void (*scanner_destroy)(void *) = (void (*)(void *))dlsym(library, "zbar_image_scanner_destroy");
    int (*set_config)(void *, int, int, int) =
        (int (*)(void *, int, int, int))dlsym(library, "zbar_image_scanner_set_config");
    int (*scan)(void *, void *) = (int (*)(void *, void *))dlsym(library, "zbar_scan_image");
    void *(*image_create)(void) = (void *(*)(void))dlsym(library, "zbar_image_create");
    void (*image_destroy)(void *) = (void (*)(void *))dlsym(library, "zbar_image_destroy");
    void (*set_format)(void *, unsigned long) =
        (void (*)(void *, unsigned long))dlsym(library, "zbar_image_set_format");
    void (*set_size)(void *, unsigned, unsigned) =
        (void (*)(void *, unsigned, unsigned))dlsym(library, "zbar_image_set_size");
    void (*set_data)(void *, const void *, unsigned long, void *) =
        (void (*)(void *, const void *, unsigned long, void *))dlsym(library, "zbar_image_set_data");
    void *(*convert)(const void *, unsigned long) =
        (void *(*)(const void *, unsigned long))dlsym(library, "zbar_image_convert");
    const void *(*first)(const void *) = (const void *(*)(const void *))dlsym(library, "zbar_image_first_symbol");
    const void *(*next)(const void *) = (const void *(*)(const void *))dlsym(library, "zbar_symbol_next");
    int (*type)(const void *) = (int (*)(const void *))dlsym(library, "zbar_symbol_get_type");
    const char *(*data)(const void *) = (const char *(*)(const void *))dlsym(library, "zbar_symbol_get_data");
    unsigned (*data_length)(const void *) =
        (unsigned (*)(const void *))dlsym(library, "zbar_symbol_get_data_length");
    if (!scanner_create || !scanner_destroy || !set_config || !scan || !image_create || !image_destroy || !set_format
        || !set_size || !set_data || !convert || !first || !next || !type || !data || !data_length)
        return CZBAR_MISSING;

    const int every = 0, qr_code = 64, enable = 0, binary = 4;
#define CZBAR_FORMAT(f) \
    ((unsigned long)(f)[0] | (unsigned long)(f)[1] << 8 | (unsigned long)(f)[2] << 16 | (unsigned long)(f)[3] << 24)
    int count = CZBAR_FAILED;
    void *scanner = scanner_create(), *image = image_create(), *grey = NULL;
    if (scanner && image) {
        set_config(scanner, every, enable, 0);
        set_config(scanner, qr_code, enable, 1);
        if (as_bytes && set_config(scanner, qr_code, binary, 1)) {
            image_destroy(image);
            scanner_destroy(scanner);
            return CZBAR_OLD;
        }
        set_format(image, CZBAR_FORMAT(format));
        set_size(image, width, height);
        /* The bytes are the caller's: nothing frees them. */
        set_data(image, bytes, (unsigned long)length, NULL);
        grey = format[0] == 'Y' ? image : convert(image, CZBAR_FORMAT("Y800"));
        if (grey && scan(scanner, grey) >= 0) {
            count = 0;
            for (const void *symbol = first(grey); symbol; symbol = next(symbol)) {
                if (type(symbol) != qr_code || !data(symbol)) continue;
                found(context, data(symbol), data_length(symbol));
                count++;
            }
        }
    }
#undef CZBAR_FORMAT
    if (grey && grey != image) image_destroy(grey);
    if (image) image_destroy(image);
    if (scanner) scanner_destroy(scanner);
    return count;
}
