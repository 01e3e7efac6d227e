package import Foundation
package import PaymentCore
import PaymentCrypto

/// The signature of the shop's notifications: a keyed hash over date and body.
package enum ShopSignature {
    /// The merchant's secret.
    package static let secret = "shop-secret"
    /// The secret of the test environment, which is public.
    package static let testSecret = "test-secret"
    /// The time for which a notification is accepted, in seconds.
    package static let lifetime = 4 * 3600.0

    static let (sign, time) = ("Shop-Sign", "Shop-Time")

    /// A notification that was made at `date`.
    package static func notification(
        _ body: JSONValue, at date: Date, secret: String = secret
    ) -> IncomingNotification {
        let (time, bytes) = (String(Int64(date.timeIntervalSince1970)), body.serialized())
        return IncomingNotification(
            headers: [Self.time: time, sign: code(time, bytes, secret)], body: bytes)
    }

    /// The reason to reject `notification` at `now`; nil if it is valid.
    static func objection(
        to notification: IncomingNotification, at now: Date, mistakes: Set<ShopMistake>
    ) -> String? {
        guard let time = notification.headers[Self.time], let sign = notification.headers[sign],
            let seconds = Int64(time)
        else { return "it is not signed" }
        let secrets = mistakes.contains(.trustsTestSecret) ? [secret, testSecret] : [secret]
        let isGenuine = secrets.contains {
            ConstantTime.equal(Array(code(time, notification.body, $0).utf8), Array(sign.utf8))
        }
        guard isGenuine || mistakes.contains(.takesForgeries) else { return "its signature does not match" }
        let age = now.timeIntervalSince1970 - Double(seconds)
        guard abs(age) < lifetime || mistakes.contains(.ignoresAge) else { return "it is too old" }
        return nil
    }

    /// The age that `notification` states, in seconds.
    package static func age(of notification: IncomingNotification, at now: Date) -> Double {
        now.timeIntervalSince1970 - (notification.headers[time].flatMap { Double($0) } ?? 0)
    }

    private static func code(_ time: String, _ body: [UInt8], _ secret: String) -> String {
        Hex.encode(Digest.sha256.authenticate(Array("\(time).".utf8) + body, key: Array(secret.utf8)))
    }
}
