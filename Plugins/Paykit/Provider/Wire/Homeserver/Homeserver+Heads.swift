import PaymentCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// What homeservers say of a file without sending it (Protocol 3.5).
extension Homeserver {
    /// What is said of a file. All of it is the server's word.
    package struct Head: Sendable, Hashable {
        /// How many bytes it has; nil where nobody says, or says what is no number.
        package let length: Int?
        /// What names its content.
        package let tag: String?
        /// When it was written.
        package let modifiedAt: Date?
        /// What it is taken for, such as `application/json`.
        package let type: String?
    }

    /// Asks about the file at `address`.
    ///
    /// - Parameter now: by what dates with two digits of a year are understood.
    /// - Returns: nil when there is none.
    package func head(
        _ address: PubkyAddress, session: PubkySession? = nil, at now: Date
    ) async throws(PaykitNetworkError) -> Head? {
        let response = try await send(
            HTTPRequest.Method(rawValue: "HEAD"), path(address), of: address.owner, try session.map(credential))
        switch response.status {
        case 200:
            return Head(
                length: response.headers["Content-Length"].flatMap { Int($0) }.flatMap { $0 < 0 ? nil : $0 },
                tag: response.headers["ETag"],
                modifiedAt: response.headers["Last-Modified"].flatMap { HTTPDate.parse($0, now: now) },
                type: response.headers["Content-Type"])
        case 404, 410: return nil
        default: throw refusal(response, of: address.owner, .file)
        }
    }
}
