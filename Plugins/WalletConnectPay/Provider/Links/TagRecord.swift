import PaymentCore

/// Links on near-field tags.
public enum TagRecord {
    /// Returns the link in the payload of an NDEF URI record (type name format 1, type `U`): one byte for the beginning
    /// of the URI, then the rest of it. (NFC Forum URI Record Type Definition 1.0, table 3.)
    ///
    /// The result is as trustworthy as any scanned text: route it.
    ///
    /// - Returns: the link; nil when the payload is empty, the byte is a reserved one (0x24 and up), the rest is not
    ///   UTF-8, or the link would be longer than ``PaymentCore/PaymentLink/maximumLength``.
    public static func link(uriPayload payload: some Collection<UInt8>) -> String? {
        guard let code = payload.first, Int(code) < beginnings.count else { return nil }
        let rest = payload.dropFirst()
        let beginning = beginnings[Int(code)]
        guard rest.count + beginning.utf8.count <= PaymentLink.maximumLength,
            let text = String(validating: rest, as: UTF8.self)
        else { return nil }
        return beginning + text
    }

    /// The beginnings of URIs, by identifier code.
    static let beginnings = [
        "", "http://www.", "https://www.", "http://", "https://", "tel:", "mailto:", "ftp://anonymous:anonymous@",
        "ftp://ftp.", "ftps://", "sftp://", "smb://", "nfs://", "ftp://", "dav://", "news:", "telnet://", "imap:",
        "rtsp://", "urn:", "pop:", "sip:", "sips:", "tftp:", "btspp://", "btl2cap://", "btgoep://", "tcpobex://",
        "irdaobex://", "file://", "urn:epc:id:", "urn:epc:tag:", "urn:epc:pat:", "urn:epc:raw:", "urn:epc:",
        "urn:nfc:",
    ]
}
