package import PaymentCore

/// The envelope of every answer of the service. `status` is that of the request, never of a payment.
package struct Envelope: Sendable {
    /// `success` or `fail`, unchanged.
    package let status: String
    package let app: String?
    package let version: String?
    /// The result, or code and message of a failure.
    package let data: JSONValue

    /// Reads a body, and removes `secrets` from it.
    ///
    /// - Throws: ``CitconCallError/unusableAnswer(_:)`` with the reason, without quoting the body.
    package init(_ body: [UInt8], without secrets: SentSecrets = SentSecrets()) throws(CitconCallError) {
        let json: JSONValue
        do { json = secrets.taken(from: try JSONValue(parsing: body)) } catch {
            throw .unusableAnswer("the service's answer is not JSON")
        }
        guard let status = json["status"]?.string, let data = json["data"], data.object != nil else {
            throw .unusableAnswer("the service's answer lacks 'status' or 'data'")
        }
        self.status = status
        self.data = data
        app = json["app"]?.string
        version = json["version"]?.string
    }

    /// True if the request worked.
    package var isSuccess: Bool { CitconStatus(rawValue: status) == .succeeded }
}
