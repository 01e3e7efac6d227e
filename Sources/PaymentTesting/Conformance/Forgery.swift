import PaymentCore
import Synchronization

/// Ways to alter a genuine notification.
enum Forgery {
    /// Returns all altered notifications, each with its name.
    static func all(of genuine: IncomingNotification) -> [(String, IncomingNotification)] {
        let response = HTTPResponse(status: 200, headers: genuine.headers, body: genuine.body)
        var all = Mutation.structured(response).map { mutation in
            (mutation.name, IncomingNotification(headers: genuine.headers, body: mutation.apply(response).body))
        }
        func add(_ name: String, _ body: [UInt8]) {
            all.append((name, IncomingNotification(headers: genuine.headers, body: body)))
        }
        add("an empty body", [])
        add("garbage", [0xFF, 0xFE, 0x00, 0x7B])
        add("half a body", Array(genuine.body.prefix(genuine.body.count / 2)))
        add("10 MB", [UInt8](repeating: 0x20, count: 10 << 20))
        for place in stride(from: 0, to: genuine.body.count, by: max(1, genuine.body.count / 60)) {
            var body = genuine.body
            body[place] ^= 0x01
            add("byte \(place) changed", body)
        }
        for field in genuine.headers.fields {
            var headers = genuine.headers
            headers[field.name] = nil
            all.append(("without \(field.name)", IncomingNotification(headers: headers, body: genuine.body)))
            headers[field.name] = String(field.value.reversed())
            guard headers[field.name] != field.value else { continue }
            all.append(("another \(field.name)", IncomingNotification(headers: headers, body: genuine.body)))
        }
        return all
    }
}

/// Carries one value out of a world.
final class Captured<Value: Sendable>: Sendable {
    private let state = Mutex<Value?>(nil)
    var value: Value? { state.withLock { $0 } }
    func set(_ value: Value) { state.withLock { $0 = value } }
}
