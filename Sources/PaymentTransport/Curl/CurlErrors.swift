#if canImport(CCurl)
    import CCurl
    import Glibc
    import PaymentCore

    /// The meanings of libcurl's result codes. The progress of a request is known from elsewhere; see ``CurlExchange``.
    enum CurlErrors {
        /// The reason for `code`.
        ///
        /// - Parameters:
        ///   - sent: true if the request was handed to a connection.
        ///   - text: libcurl's own text. It is repeated for TLS only, where it names the fault of the certificate;
        ///     elsewhere it may quote the answer.
        ///   - systemError: the error number of the failed connect, or 0.
        ///   - knowsCertificates: true if only the application's certificates are trusted.
        static func reason(
            of code: CURLcode, sent: Bool, text: String, systemError: Int32, knowsCertificates: Bool
        ) -> TransportError.Reason {
            let general = String(cString: curl_easy_strerror(code))
            return switch code {
            case CURLE_OPERATION_TIMEDOUT:
                .timedOut
            case CURLE_COULDNT_RESOLVE_HOST:
                .hostNotFound
            case CURLE_COULDNT_RESOLVE_PROXY:
                .connectFailed("the proxy's name could not be resolved")
            case CURLE_COULDNT_CONNECT:
                .connectFailed(systemError == 0 ? general : String(cString: strerror(systemError)))
            case CURLE_PROXY:
                .connectFailed(general)
            case CURLE_PEER_FAILED_VERIFICATION where knowsCertificates:
                .tls("\(printable(text)); only the given certificates are trusted")
            case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE,
                CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
                CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CLIENTCERT, CURLE_SSL_ENGINE_INITFAILED:
                .tls(text.isEmpty ? general : printable(text))
            case CURLE_UNSUPPORTED_PROTOCOL where sent:
                // libcurl's code for an answer that does not begin with a status line.
                .malformedResponse("no status line")
            case CURLE_OUT_OF_MEMORY where sent:
                // libcurl's code for a line that is longer than its buffer for lines may become, too.
                .malformedResponse("a line of the header section is too long, or there is no memory for it")
            case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_TOO_MANY_REDIRECTS:
                .malformedResponse(general)
            case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_FUNCTION_ARGUMENT:
                .invalidRequest(general)
            case CURLE_ABORTED_BY_CALLBACK where sent:
                .connectionLost("a reused connection ended before the answer; the request was not repeated")
            default:
                sent ? .connectionLost(general) : .connectFailed(general)
            }
        }

        /// At most 200 characters, without control characters: parts of the text come from the server's certificate.
        private static func printable(_ text: String) -> String {
            String(text.unicodeScalars.prefix(200).map { $0.value < 0x20 || $0.value == 0x7F ? " " : Character($0) })
        }
    }
#endif
