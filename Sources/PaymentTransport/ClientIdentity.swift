public import PaymentCore

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

/// The reason for which a client's certificate or private key cannot be used.
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
