#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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

/// The reason for which a file of certificates cannot be used.
@nonexhaustive
public enum ServerCertificatesError: Error, Sendable, Hashable, CustomStringConvertible {
    /// It has no certificate in PEM.
    case noCertificate
    /// A certificate is cut off, or none.
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
