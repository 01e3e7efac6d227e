#if canImport(Security)
    import Foundation
    public import PaymentCore
    import Security

    /// Secrets in the keychain of this device: encrypted, and only while it is unlocked.
    public struct KeychainSecretStore: SecretKeeper {
        /// The reason for which a secret was not read or stored: the keychain's own number.
        public struct AccessError: Error, Sendable, Hashable, CustomStringConvertible {
            /// The keychain's number.
            public let status: Int32
            /// One sentence for people.
            public var description: String { "the keychain refused (status \(status))" }
        }

        private let service: String
        private let confirm: @Sendable (String) async throws -> Void

        /// Creates a store.
        ///
        /// - Parameters:
        ///   - service: the service that the secrets belong to; those of different services are separate.
        ///   - confirm: called before a secret is read, for instance to have the owner confirm by face or finger; its
        ///     errors are rethrown.
        public init(service: String, confirm: @escaping @Sendable (String) async throws -> Void = { _ in }) {
            self.service = service
            self.confirm = confirm
        }

        /// Returns the secret named `name`, or nil when there is none.
        ///
        /// - Throws: ``AccessError``, and any error of the confirmation.
        public func secret(_ name: String) async throws -> Redacted<String>? {
            try await confirm(name)
            var query = item(name)
            query[kSecReturnData as String] = true
            var found: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &found)
            if status == errSecItemNotFound { return nil }
            guard status == errSecSuccess, let data = found as? Data, let text = String(data: data, encoding: .utf8)
            else { throw AccessError(status: status) }
            return Redacted(text)
        }

        /// Keeps `secret` under `name`, in place of what was there; never on another device.
        ///
        /// - Throws: ``AccessError``.
        public func keep(_ secret: Redacted<String>, as name: String) async throws {
            let data = Data(secret.reveal().utf8)
            var status = SecItemUpdate(
                item(name) as CFDictionary, [kSecValueData as String: data] as CFDictionary)
            if status == errSecItemNotFound {
                var added = item(name)
                added[kSecValueData as String] = data
                added[kSecAttrAccessible as String] = kSecAttrAccessibleWhenUnlockedThisDeviceOnly
                status = SecItemAdd(added as CFDictionary, nil)
            }
            guard status == errSecSuccess else { throw AccessError(status: status) }
        }

        /// Deletes the secret kept under `name`. Without one it does nothing.
        ///
        /// - Throws: ``AccessError``.
        public func forget(_ name: String) async throws {
            let status = SecItemDelete(item(name) as CFDictionary)
            guard status == errSecSuccess || status == errSecItemNotFound else { throw AccessError(status: status) }
        }

        private func item(_ name: String) -> [String: Any] {
            [
                kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
                kSecAttrAccount as String: name,
            ]
        }
    }
#endif
