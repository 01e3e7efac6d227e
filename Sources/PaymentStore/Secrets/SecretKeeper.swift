public import PaymentCore

/// A store of secrets that can also be filled: sessions, keys that a device makes.
public protocol SecretKeeper: SecretStore {
    /// Keeps `secret` under `name`, in place of what was there.
    ///
    /// - Parameters:
    ///   - secret: the secret to keep.
    ///   - name: the name under which it is read.
    /// - Throws: any error that keeps it from being stored; the earlier secret then remains.
    func keep(_ secret: Redacted<String>, as name: String) async throws

    /// Deletes the secret kept under `name`. Without one it does nothing.
    ///
    /// - Parameter name: the name under which it was kept.
    /// - Throws: any error that keeps it from being deleted.
    func forget(_ name: String) async throws
}
