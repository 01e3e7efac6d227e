import PaymentCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Descriptions of files without their content (Protocol 3.5).
extension Homeserver {
    /// A description of a file. All of it is the server's claim.
    package struct Head: Sendable, Hashable {
        /// The number of bytes; nil if none is given, or it is no number.
        package let length: Int?
        /// The tag that names its content.
        package let tag: String?
        /// The time of its last change.
        package let modifiedAt: Date?
        /// Its media type, such as `application/json`.
        package let type: String?
    }

    /// Asks about the file at `address`.
    ///
    /// - Parameter now: the time by which dates with a year of two digits are read.
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
