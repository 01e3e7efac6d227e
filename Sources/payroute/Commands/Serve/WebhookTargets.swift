import Foundation
import PaymentCore

/// The addresses that `payroute serve` sends tenants' webhooks to.
struct WebhookTargets: Sendable {
    /// One tenant's address.
    struct Target: Sendable {
        let url: HTTPURL
        /// The key of the signatures.
        let key: Redacted<[UInt8]>
    }

    /// By tenant.
    let targets: [String: Target]

    /// Reads a file of addresses: on each line a tenant's name, the address, and the secret: `whsec_` and base64, as in
    /// Standard Webhooks.
    ///
    /// - Parameter tenants: The tenants that there are.
    init(_ file: OwnersFile, tenants: Set<String>) throws(CommandError) {
        var targets: [String: Target] = [:]
        for (number, words) in file.lines {
            guard words.count == 3, let url = try? HTTPURL(words[1]), let key = Self.key(words[2]) else {
                throw CommandError(
                    description:
                        "line \(number) of \(file.name) is no webhook: give a tenant, an address, and a secret: whsec_ "
                        + "and the base64 of 24 to 64 bytes")
            }
            guard url.isConfidential else {
                throw CommandError(
                    description: "line \(number) of \(file.name): give an address that begins with https://")
            }
            guard tenants.contains(words[0]) else {
                let name = Printable.short(words[0], 40)
                throw CommandError(description: "line \(number) of \(file.name): no token is the tenant '\(name)''s")
            }
            guard targets.updateValue(Target(url: url, key: Redacted(key)), forKey: words[0]) == nil else {
                throw CommandError(description: "line \(number) of \(file.name) repeats a tenant; each has one address")
            }
        }
        self.targets = targets
    }

    private static func key(_ secret: String) -> [UInt8]? {
        guard secret.hasPrefix("whsec_"), let data = Data(base64Encoded: String(secret.dropFirst(6))),
            24...64 ~= data.count
        else { return nil }
        return Array(data)
    }
}
