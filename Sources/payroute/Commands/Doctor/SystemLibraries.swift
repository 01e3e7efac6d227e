import CZBar

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The system's libraries that this program runs with, by their own reports.
///
/// They are looked up by name at run time: their wrappers have no use for their versions, and only this command shows
/// them.
enum SystemLibraries {
    /// One library.
    struct Library {
        let name: String
        /// The purpose of the library.
        let purpose: String
        /// The version; nil where the library is present but does not report one.
        let version: String?
        let isThere: Bool
        /// True if the program works without it.
        var isOptional = false
    }

    private typealias Text = @convention(c) () -> UnsafePointer<CChar>?
    private typealias PointedText = @convention(c) (UnsafeRawPointer?) -> UnsafePointer<CChar>?
    private typealias NumberedText = @convention(c) (Int32) -> UnsafePointer<CChar>?

    static var all: [Library] {
        #if canImport(Glibc) || canImport(Musl)
            let transport = [
                loaded("libcurl", "HTTP", function: "curl_version") {
                    $0.split(separator: " ").first.map(String.init) ?? $0
                },
                library(
                    "libcrypto", "cryptography",
                    symbol("OpenSSL_version").map { address in
                        unsafeBitCast(address, to: NumberedText.self)(0).map { String(cString: $0) } ?? ""
                    }),
                loaded("SQLite", "the journal", function: "sqlite3_libversion"),
            ]
        #else
            let transport: [Library] = []
        #endif
        return transport + [
            loaded("libqrencode", "drawing QR codes", function: "QRcode_APIVersionString"),
            library(
                "libpng", "reading pictures",
                symbol("png_get_libpng_ver").map { address in
                    unsafeBitCast(address, to: PointedText.self)(nil).map { String(cString: $0) } ?? ""
                }),
            loaded("libmicrohttpd", "the sandbox", function: "MHD_get_version"),
            loaded("libsodium", "Pubky's keys and private channels", function: "sodium_version_string"),
            loaded("liblzma", "reading compressed payment texts", function: "lzma_version_string"),
            library(
                "libsecp256k1", "signatures", symbol("secp256k1_context_create").map { _ in "" }),
            scanner,
        ]
    }

    /// The library that reads QR codes from pictures, which is loaded only when it is needed.
    private static var scanner: Library {
        var numbers: [UInt32] = [0, 0, 0]
        let isThere = numbers.withUnsafeMutableBufferPointer { czbar_version($0.baseAddress) } == 0
        return Library(
            name: "libzbar", purpose: "inspect --image",
            version: isThere ? numbers.map(String.init).joined(separator: ".") : nil, isThere: isThere,
            isOptional: true)
    }

    private static func loaded(
        _ name: String, _ purpose: String, function: String, _ part: (String) -> String = { $0 }
    ) -> Library {
        library(
            name, purpose,
            symbol(function).map { address in
                unsafeBitCast(address, to: Text.self)().map { part(String(cString: $0)) } ?? ""
            })
    }

    private static func library(_ name: String, _ purpose: String, _ version: String?) -> Library {
        Library(
            name: name, purpose: purpose, version: version.flatMap { $0.isEmpty ? nil : $0 }, isThere: version != nil)
    }

    /// The address of a function of a library that is loaded.
    private static func symbol(_ name: String) -> UnsafeMutableRawPointer? { dlsym(dlopen(nil, RTLD_LAZY), name) }
}
