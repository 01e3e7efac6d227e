import Foundation
public import PaymentCore

#if canImport(Security)
    import Security
#endif

/// A store of secrets that can also be filled: sessions, keys that a device makes.
public protocol SecretKeeper: SecretStore {
    /// Keeps `secret` under `name`, in place of what was there.
    ///
    /// - Parameters:
    ///   - secret: the secret to keep.
    ///   - name: the name under which it is read.
    /// - Throws: any error that keeps it from being stored. The earlier secret then remains.
    func keep(_ secret: Redacted<String>, as name: String) async throws

    /// Deletes the secret kept under `name`. Without one it does nothing.
    ///
    /// - Parameter name: the name under which it was kept.
    /// - Throws: any error that keeps it from being deleted.
    func forget(_ name: String) async throws
}

/// Secrets as files that only their owner can read, for Linux, which has no keychain.
///
/// Each is a file of mode 0600 in a folder of mode 0700. They are not encrypted: any reader of the owner's files, or of
/// the disk itself, has them. On Apple platforms use `KeychainSecretStore`.
public struct FileSecretStore: SecretKeeper {
    /// Why a secret was not read or stored. Contains nothing of the secret.
    public struct AccessError: Error, Sendable, Hashable, CustomStringConvertible {
        /// One sentence for people, with what to do.
        public let description: String
    }

    /// The most bytes of a secret.
    public static let maximumLength = 1 << 16
    private let folder: String

    /// Creates a store.
    ///
    /// - Parameter folder: the path of its folder, which is created with the first secret.
    public init(folder: String) { self.folder = folder }

    /// Returns the secret named `name`, or nil when there is none.
    ///
    /// - Throws: ``AccessError`` when the file cannot be read, is a link, or other users may read it too. In the last
    ///   case it is no longer a secret.
    public func secret(_ name: String) async throws -> Redacted<String>? {
        let path = try path(of: name)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw AccessError(description: "the secret '\(name)' cannot be read: \(String(cString: strerror(errno)))")
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw AccessError(description: "the secret '\(name)' is not an ordinary file")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw AccessError(
                description: "others can read the secret '\(name)': make a new one, and give its file the mode 0600")
        }
        let bytes = try file.read(upToCount: Self.maximumLength + 1) ?? Data()
        guard bytes.count <= Self.maximumLength, let text = String(validating: bytes, as: UTF8.self) else {
            throw AccessError(description: "the secret '\(name)' is not a text of at most \(Self.maximumLength) bytes")
        }
        return Redacted(text)
    }

    /// Keeps `secret` under `name`, in place of what was there. After a crash, one of the two is there, and complete.
    ///
    /// - Throws: ``AccessError``.
    public func keep(_ secret: Redacted<String>, as name: String) async throws {
        let path = try path(of: name)
        guard secret.reveal().utf8.count <= Self.maximumLength else {
            throw AccessError(description: "the secret '\(name)' has more than \(Self.maximumLength) bytes")
        }
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw failure("make the folder of secrets") }
        // A separate name keeps two concurrent writers from writing into one file.
        let draft = path + ".\(getpid())-\(UInt64.random(in: 0 ... .max))"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure("keep the secret '\(name)'") }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try file.write(contentsOf: Data(secret.reveal().utf8))
            try file.synchronize()
            guard rename(draft, path) == 0 else { throw failure("keep the secret '\(name)'") }
        } catch {
            unlink(draft)
            throw (error as? AccessError)
                ?? AccessError(description: "the secret '\(name)' was not kept: is the disk full?")
        }
    }

    /// Deletes the secret kept under `name`. Without one it does nothing. The disk may still hold its bytes.
    ///
    /// - Throws: ``AccessError``.
    public func forget(_ name: String) async throws {
        guard try unlink(path(of: name)) == 0 || errno == ENOENT else { throw failure("forget the secret '\(name)'") }
    }

    private func failure(_ what: String) -> AccessError {
        AccessError(description: "could not \(what): \(String(cString: strerror(errno)))")
    }

    /// Returns the path for a name, which is a file's name too. No part of it may lead elsewhere.
    private func path(of name: String) throws(AccessError) -> String {
        let isPlain = name.utf8.allSatisfy {
            $0.isASCIILetter || $0.isASCIIDigit || "-_.".utf8.contains($0)
        }
        guard isPlain, 1...128 ~= name.utf8.count, !name.hasPrefix(".") else {
            throw AccessError(
                description:
                    "a secret's name has 1 to 128 letters, digits, '-', '_' and '.', and does not begin with a dot")
        }
        return "\(folder)/\(name)"
    }
}

#if canImport(Security)
    /// Secrets in the keychain of this device: encrypted, and only while it is unlocked.
    public struct KeychainSecretStore: SecretKeeper {
        /// Why a secret was not read or stored, as the keychain's own number.
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
