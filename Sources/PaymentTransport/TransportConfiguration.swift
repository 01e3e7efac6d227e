public import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An application's settings of its transport. The defaults are right for production.
public struct TransportConfiguration: Sendable {
    /// The longest time to spend on name resolution, connecting and the TLS handshake.
    ///
    /// A request whose own timeout is shorter waits no longer than that.
    public var connectTimeout: Duration = .seconds(10)

    /// True if `https` servers on this machine (``HTTPURL/isLoopback``) may show an untrusted certificate.
    ///
    /// For sandboxes and tests. Every other host is always verified; there is no switch for it.
    public var acceptsAnyLoopbackCertificate = false

    /// The certificates that `https` servers prove themselves by, in place of the system's authorities; nil for those.
    ///
    /// For a transport that calls one server, whose certificate is known beforehand. The server shows one of these
    /// certificates, or one that they have signed, with the name or address that is called; any other is refused before
    /// anything is sent. On Linux `URLSessionTransport` refuses every `https` request then.
    public var certificates: ServerCertificates?

    /// The client's identity at each service that asks for one, by `host` or `host:port`. Shown to that service only.
    ///
    /// `CurlTransport` only: `URLSessionTransport` refuses a request to such a service before anything is sent.
    public var identities: [String: ClientIdentity] = [:]

    /// Linux only: the HTTP proxy to use for every host but this machine, or nil for none.
    ///
    /// The environment's `http_proxy` and `https_proxy` are ignored: code alone decides where payments go. Apple
    /// platforms use the proxies of the system's settings.
    public var proxy: HTTPURL?

    /// Linux only: a request that must not be repeated (``HTTPRequest/Replay/never``) uses a kept connection only when
    /// that was idle for less than this, in whole seconds; below one second it always gets a fresh one.
    ///
    /// A server may be closing a connection that was idle for long at this very moment, and then it is unknown whether
    /// it read the request. Common servers close after 5 seconds or more.
    public var reuseWindow: Duration = .seconds(3)

    /// The value of `User-Agent` in requests that carry none.
    public var userAgent = "swift-payment-router/0.1"

    /// Creates the default configuration.
    public init() {}
}

// MARK: - Servers

/// The certificates by which a server is known beforehand, such as a node's self-signed one, or the one of the
/// node's authority.
///
/// ```swift
/// var configuration = TransportConfiguration()
/// configuration.certificates = try ServerCertificates(pem: bytesOfTheFile)
/// ```
public struct ServerCertificates: Sendable, Hashable {
    /// Each certificate in DER.
    let items: [[UInt8]]

    /// Reads the certificates of a file.
    ///
    /// - Parameter pem: the file's content (RFC 7468), with at most 16 certificates; texts around them are left out.
    /// - Throws: ``ServerCertificatesError``.
    public init(pem: [UInt8]) throws(ServerCertificatesError) {
        let lines = String(decoding: pem, as: UTF8.self).split(whereSeparator: \.isNewline).map {
            $0.trimming { $0 == " " || $0 == "\t" }
        }
        guard !lines.contains(where: { $0.hasPrefix("-----BEGIN") && $0.contains("PRIVATE KEY") }) else {
            throw .holdsPrivateKey
        }
        var found: [[UInt8]] = []
        var body: String?
        for line in lines {
            switch (line, body) {
            case ("-----BEGIN CERTIFICATE-----", nil): body = ""
            case ("-----END CERTIFICATE-----", let text?):
                guard let bytes = Data(base64Encoded: text), Self.isElement(Array(bytes)) else { throw .malformed }
                found.append(Array(bytes))
                body = nil
            case (_, let text?): body = text + line
            default: break
            }
        }
        guard body == nil else { throw .malformed }
        guard 1...16 ~= found.count else { throw found.isEmpty ? .noCertificate : .tooMany }
        items = found
    }

    /// The certificates alone, in PEM.
    var pem: String {
        items.map { "-----BEGIN CERTIFICATE-----\n\(Data($0).base64EncodedString())\n-----END CERTIFICATE-----\n" }
            .joined()
    }

    /// True if bytes are exactly one DER element, as far as its tag and length say. What is inside, TLS reads.
    private static func isElement(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 4, bytes[0] == 0x30, bytes[1] == 0x82 || bytes[1] == 0x83 else { return false }
        let count = Int(bytes[1] & 0x7F)
        guard bytes.count >= 2 + count else { return false }
        return bytes[2..<2 + count].reduce(0) { $0 << 8 | Int($1) } == bytes.count - 2 - count
    }
}

/// Why a file of certificates cannot be used.
@nonexhaustive
public enum ServerCertificatesError: Error, Sendable, Hashable, CustomStringConvertible {
    /// It has no certificate in PEM.
    case noCertificate
    /// A certificate is cut off, or is not a certificate.
    case malformed
    /// It has a private key, which nothing but the server should have.
    case holdsPrivateKey
    /// It has more than 16 certificates: it may be the file of a system's authorities.
    case tooMany

    /// A sentence for people.
    public var description: String {
        switch self {
        case .noCertificate: "no certificate in it; a file of PEM begins with -----BEGIN CERTIFICATE-----"
        case .malformed: "a certificate in it is malformed; copy the server's file again"
        case .holdsPrivateKey: "a private key is in it; give the certificate alone, and keep the key on the server"
        case .tooMany: "more than 16 certificates are in it; give the server's own"
        }
    }
}

extension Substring {
    fileprivate func trimming(_ isBlank: (Character) -> Bool) -> String {
        var rest = drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return String(rest)
    }
}

// MARK: - Client

/// The certificate and the private key by which a client proves itself to a service that asks for them (mutual TLS).
///
/// ```swift
/// var configuration = TransportConfiguration()
/// configuration.identities["api.payrails.io"] = try ClientIdentity(certificate: certificateFile, key: keyFile)
/// ```
public struct ClientIdentity: Sendable {
    /// The certificate and those that lead to its authority.
    let certificates: ServerCertificates
    /// The private key in PEM.
    let key: Redacted<[UInt8]>

    /// Reads a certificate and its private key.
    ///
    /// - Parameters:
    ///   - certificate: the content of a file of PEM (RFC 7468): the client's certificate first, then those that have
    ///     signed it; 16 at most.
    ///   - key: the content of the private key's file, in PEM and without a passphrase.
    /// - Throws: ``ClientIdentityError``.
    public init(certificate: [UInt8], key: Redacted<[UInt8]>) throws(ClientIdentityError) {
        do throws(ServerCertificatesError) { certificates = try ServerCertificates(pem: certificate) } catch {
            throw .certificate(error)
        }
        let text = String(decoding: key.reveal(), as: UTF8.self)
        guard text.contains("PRIVATE KEY-----") else { throw .noKey }
        // The TLS library would ask for the passphrase at a terminal.
        guard !text.contains("ENCRYPTED") else { throw .encryptedKey }
        self.key = key
    }
}

/// Why a client's certificate or private key cannot be used.
@nonexhaustive
public enum ClientIdentityError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The certificate cannot be read.
    case certificate(ServerCertificatesError)
    /// There is no private key in PEM.
    case noKey
    /// The private key has a passphrase.
    case encryptedKey

    /// A sentence for people.
    public var description: String {
        switch self {
        case .certificate(let reason): "the client's certificate: \(reason)"
        case .noKey: "no private key in it; a file of PEM begins with -----BEGIN PRIVATE KEY-----"
        case .encryptedKey: "the private key has a passphrase; give it without one, in a file that only you may read"
        }
    }
}
