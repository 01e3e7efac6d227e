/// What an application needs of Paykit, so that tests can give it something else (guide, "Mock Transport for Testing").
public protocol PaykitService: Sendable {
    /// Publishes one's own endpoint for a method.
    ///
    /// - Parameters:
    ///   - methodId: the method, such as `lightning`.
    ///   - endpoint: where to pay.
    /// - Throws: ``PaykitError``.
    func setEndpoint(methodId: String, endpoint: String) async throws

    /// Takes one's own endpoint for a method back.
    ///
    /// - Parameter methodId: the method.
    /// - Throws: ``PaykitError``.
    func removeEndpoint(methodId: String) async throws

    /// Returns somebody's endpoint for a method; nil when they publish none.
    ///
    /// - Parameters:
    ///   - pubkey: whose, in any form that a key has.
    ///   - methodId: the method.
    /// - Throws: ``PaykitError``.
    func getEndpoint(pubkey: String, methodId: String) async throws -> String?

    /// Returns how somebody can be paid.
    ///
    /// - Parameter pubkey: who, in any form that a key has.
    /// - Throws: ``PaykitError``.
    func getSupportedMethods(pubkey: String) async throws -> PaykitSupportedMethods
}
