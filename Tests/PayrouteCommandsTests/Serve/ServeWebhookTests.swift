import Foundation
import PaymentCore
import PaymentLoopback
import PaymentRouting
import PaymentTesting
import PaymentTransport
import Synchronization
import TestSupport
import Testing

@testable import PayrouteCommands

/// Webhooks of `payroute serve`: signed, stored with what they state, and sent until they are taken.
@Suite("serve: webhooks", .timeLimit(.minutes(15)))
struct ServeWebhookTests {
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    private static let key = [UInt8](Data(base64Encoded: String(secret.dropFirst(6))) ?? Data())

    /// A receiver that answers with these, then takes everything; a sender that never ends is noticed.
    private final class Receiver: HTTPTransport, Sendable {
        private let answers: Mutex<[Result<Int, TransportError>]>
        let taken = Gate()
        private let requests = Mutex<[HTTPRequest]>([])

        init(_ answers: [Result<Int, TransportError>] = []) { self.answers = Mutex(answers) }

        var sent: [HTTPRequest] { requests.withLock { $0 } }

        func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
            let count = requests.withLock { requests in
                requests.append(request)
                return requests.count
            }
            if count == 200 { Issue.record("a webhook that was taken or abandoned is sent again") }
            let answer = answers.withLock { $0.isEmpty ? .success(204) : $0.removeFirst() }
            let status = try answer.get()
            if status == 204 { await taken.open() }
            return HTTPResponse(status: status)
        }
    }

    /// A table with a payment of Ann's, which has ended; the webhook is not sent yet.
    private static func table(_ clock: any PaymentClock) async throws -> ServeTable {
        let (table, now) = (try await ServeTable.opened(clock: clock), clock.now)
        let order = try ServeOrder(stored: ["link": "https://shop.example/order/7"])
        let payment = ServedPayment(
            id: "pay_1", tenant: "ann", key: "k", input: order.link, order: order, created: now)
        _ = try await table.begin(payment, digest: "d")
        try await table.state("pay_1", ["outcome": "succeeded"], isEnd: true, webhook: "msg_1", at: now)
        // What is over is not stated again.
        try await table.state("pay_1", ["outcome": "failed"], isEnd: true, webhook: "msg_2", at: now)
        return table
    }

    private static func sender(
        _ table: ServeTable, _ receiver: Receiver, _ metrics: ServeMetrics, _ clock: any PaymentClock
    ) throws -> WebhookSender {
        WebhookSender(
            "ann", WebhookTargets.Target(url: try HTTPURL("https://shop.example/hooks"), key: Redacted(key)), table,
            transport: receiver, metrics: metrics, clock: clock)
    }

    @Test("The signature is that of the published example of Standard Webhooks")
    func signature() {
        let signature = WebhookSender.signature(
            of: #"{"test": 2432232314}"#, "msg_p5jXN8AQM9LWM0D4loKWxJek", at: "1614265330", key: Self.key)
        #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test("A webhook is sent until it is taken, each time with the same id and body, and a signature of that time")
    func repeated() async throws {
        let (clock, metrics) = (VirtualClock(), ServeMetrics())
        let lost = TransportError(.maybeSent, .timedOut, origin: "https://shop.example")
        let receiver = Receiver([.success(500), .failure(lost), .success(307)])
        let table = try await Self.table(clock)
        let begun = clock.now
        let sender = try Self.sender(table, receiver, metrics, clock)
        await sender.start()
        try await eventually("it is not sent again") { try await table.nextWebhook(of: "ann") == nil }
        await sender.stop()
        let sent = receiver.sent
        #expect(sent.map { $0.headers["webhook-id"] } == Array(repeating: "msg_1", count: 4))
        #expect(Set(sent.map(\.body)).count == 1 && clock.naps.prefix(3) == WebhookSender.pauses.prefix(3))
        let times = sent.compactMap { $0.headers["webhook-timestamp"].flatMap { Double($0) } }
        #expect(times.map { $0 - begun.timeIntervalSince1970 } == [0, 5, 35, 155])
        for request in sent {
            let signature = WebhookSender.signature(
                of: String(decoding: request.body, as: UTF8.self), "msg_1",
                at: request.headers["webhook-timestamp"] ?? "", key: Self.key)
            #expect(request.headers["webhook-signature"] == signature)
        }
        let first = try #require(sent.first)
        #expect(first.timeout == .seconds(10) && first.responseLimit == 65536 && first.method == .post)
        let body = try JSONValue(parsing: first.body)
        #expect(body["type"] == "payment.ended" && body["data"]?["id"] == "pay_1" && body["data"]?["state"] == "ended")
        #expect(body["data"]?["outcome"]?["outcome"] == "succeeded")
        #expect(metrics.text.contains("{result=\"failed\"} 3\n") && metrics.text.contains("{result=\"taken\"} 1\n"))
    }

    @Test("A webhook that is never taken is abandoned after three days")
    func abandoned() async throws {
        let (clock, metrics) = (VirtualClock(), ServeMetrics())
        let table = try await Self.table(clock)
        let begun = clock.now
        let deaf = Receiver(Array(repeating: .success(503), count: 1000))
        let sender = try Self.sender(table, deaf, metrics, clock)
        await sender.start()
        try await eventually("it is not sent again") {
            metrics.text.contains("{result=\"abandoned\"} 1\n") || deaf.sent.count >= 100
        }
        await sender.stop()
        #expect(try await table.nextWebhook(of: "ann") == nil)
        let days = clock.now.timeIntervalSince(begun) / 86_400
        #expect(days > 2.8 && days <= 3, "\(days)")
        let pauses = [5, 30, 120, 600, 1800, 3600, 7200] + Array(repeating: 14_400, count: 17)
        #expect(clock.naps == pauses.map { .seconds($0) })
    }

    @Test("A webhook is sent until exactly three days after it was made")
    func lastTime() async throws {
        let (clock, metrics) = (VirtualClock(), ServeMetrics())
        let table = try await Self.table(clock)
        clock.advance(by: .seconds(3 * 86_400 - 5))
        let deaf = Receiver(Array(repeating: .success(503), count: 1000))
        let sender = try Self.sender(table, deaf, metrics, clock)
        await sender.start()
        try await eventually("it is not sent again") {
            metrics.text.contains("{result=\"abandoned\"} 1\n") || deaf.sent.count >= 100
        }
        await sender.stop()
        #expect(deaf.sent.count == 2)
    }

    @Test("Webhooks that cannot be read are read again after the first pause, until they can be, and are sent")
    func unreadable() async throws {
        let (clock, metrics) = (VirtualClock(), ServeMetrics())
        let table = try await Self.table(clock)
        let webhook = try #require(try await table.nextWebhook(of: "ann"))
        guard case .put(let key, let value, let marks) = try webhook.write() else { return }
        func store(_ value: [UInt8]) async throws {
            try await table.change([.record(key)]) { _ in RecordChange([.put(key, value, marks: marks)], ()) }
        }
        try await store(Array("{".utf8))
        await #expect(throws: JournalError.self) { try await table.nextWebhook(of: "ann") }
        let receiver = Receiver()
        let sender = try Self.sender(table, receiver, metrics, clock)
        await sender.start()
        try await eventually("the table is not read again") { clock.naps.count >= 2 }
        try await store(value)
        try await eventually("the webhook is not sent") { !receiver.sent.isEmpty }
        await sender.stop()
        #expect(clock.naps.allSatisfy { $0 == .seconds(5) } && receiver.sent.count == 1)
    }

    @Test("After its clock was set back a sender waits no longer than its longest pause", arguments: [14_400, 14_401])
    func setBack(wait: Int) async throws {
        let (clock, metrics) = (VirtualClock(), ServeMetrics())
        let table = try await Self.table(clock)
        clock.advance(by: .seconds(-wait))
        let receiver = Receiver()
        let sender = try Self.sender(table, receiver, metrics, clock)
        await sender.start()
        await receiver.taken.pass()
        await sender.stop()
        #expect(clock.naps == (wait == 14_400 ? [.seconds(14_400)] : []))
    }

    @Test("A sender that is woken while it waits waits once more, and no more often")
    func woken() async throws {
        let (clock, metrics) = (StillClock(), ServeMetrics())
        let table = try await Self.table(clock)
        let sender = try Self.sender(table, Receiver([.success(500)]), metrics, clock)
        await sender.start()
        for count in 1...2 {
            try await eventually("it waits for nothing") { clock.naps >= count }
            sender.wake()
        }
        try await eventually("it waits for nothing") { clock.naps >= 3 }
        for _ in 0..<100 { await Task.yield() }
        await sender.stop()
        #expect(clock.naps == 3)
        try await eventually("a timer is left") { clock.ended == 3 }
    }

    /// Time that stands still: a sleep lasts until it is cancelled.
    private final class StillClock: PaymentClock {
        private let count = Mutex(0)
        private let end = Mutex(0)
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let uptime = Duration.zero
        var naps: Int { count.withLock { $0 } }
        /// The sleeps that were cancelled.
        var ended: Int { end.withLock { $0 } }

        func sleep(for duration: Duration) async throws {
            count.withLock { $0 += 1 }
            defer { end.withLock { $0 += 1 } }
            try await Task.sleep(for: .seconds(3600))
        }
    }

    /// A receiver that answers once it may.
    private struct HeldReceiver: HTTPTransport {
        let status: Int
        let arrival = Gate()
        let gate = Gate()
        let sent = Sent()

        actor Sent {
            private(set) var ids: [String?] = []
            func add(_ id: String?) { ids.append(id) }
        }

        func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
            let id = request.headers["webhook-id"]
            await sent.add(id)
            await arrival.open()
            await gate.pass()
            return HTTPResponse(status: status)
        }
    }

    @Test(
        "The end of the server sends what is due, up to the first failure",
        arguments: [(200, ["msg_1", "msg_3"]), (299, ["msg_1", "msg_3"]), (300, ["msg_1"]), (199, ["msg_1"])])
    func ending(status: Int, sent: [String]) async throws {
        let (clock, metrics) = (VirtualClock(), ServeMetrics())
        let table = try await Self.table(clock)
        let order = try ServeOrder(stored: ["link": "https://shop.example/order/8"])
        let payment = ServedPayment(
            id: "pay_2", tenant: "ann", key: "k2", input: order.link, order: order, created: clock.now)
        _ = try await table.begin(payment, digest: "d")
        try await table.state("pay_2", ["outcome": "succeeded"], isEnd: true, webhook: "msg_3", at: clock.now)
        let receiver = HeldReceiver(status: status)
        let sender = WebhookSender(
            "ann", WebhookTargets.Target(url: try HTTPURL("https://shop.example/hooks"), key: Redacted(Self.key)),
            table, transport: receiver, metrics: metrics, clock: clock)
        let (registry, journal) = (try ProviderRegistry([]), InMemoryJournal())
        let payments = ServePayments(
            router: PaymentRouter(registry: registry, transport: receiver, journal: journal), journal: journal,
            table: table, wallet: nil, metrics: metrics, webhooks: ["ann": sender], clock: clock)
        await sender.start()
        await receiver.arrival.pass()
        let drained = Task { await payments.drain(within: .zero) }
        try await eventually("the sender does not end") { await sender.isEnding }
        await receiver.gate.open()
        await drained.value
        #expect(await receiver.sent.ids == sent)
        #expect(try await table.nextWebhook(of: "ann")?.id == (sent.count == 2 ? nil : "msg_3"))
    }

    @Test("What a server could not send, the next one sends; nothing of it is another tenant's")
    func left() async throws {
        let (clock, metrics) = (VirtualClock(), ServeMetrics())
        let table = try await Self.table(clock)
        let deaf = Receiver([.success(500)])
        let first = try Self.sender(table, deaf, metrics, clock)
        // It ends at once: it tries what is due, and no more.
        await first.start()
        await first.stop()
        #expect(try await table.nextWebhook(of: "ann")?.id == "msg_1")
        #expect(try await table.nextWebhook(of: "bob") == nil)
        // Also where the clock was set back by a year meanwhile.
        clock.advance(by: .seconds(-365 * 86_400))
        let receiver = Receiver()
        let second = try Self.sender(table, receiver, metrics, clock)
        await second.start()
        await receiver.taken.pass()
        await second.stop()
        #expect(receiver.sent.map { $0.headers["webhook-id"] } == ["msg_1"])
        #expect(clock.naps.allSatisfy { $0 <= WebhookSender.pauses[7] })
        #expect(try await table.nextWebhook(of: "ann") == nil)
    }

    @Test("Each line of the file is a tenant's address, encrypted or on this machine")
    func files() throws {
        func read(_ text: String) throws -> WebhookTargets {
            try WebhookTargets(OwnersFile(text, called: "webhooks"), tenants: ["ann", "bob"])
        }
        let both = try read(
            "# two\nann https://shop.example/a \(Self.secret)\n\nbob http://127.0.0.1:9/ \(Self.secret)")
        #expect(both.targets.keys.sorted() == ["ann", "bob"] && both.targets["ann"]?.key.reveal() == Self.key)
        for (count, isTaken) in [(23, false), (24, true), (64, true), (65, false)] {
            let secret = "whsec_" + Data(count: count).base64EncodedString()
            #expect(((try? read("ann https://shop.example/ \(secret)")) != nil) == isTaken, "\(count)")
        }
        // Lines of Windows.
        let lines = try read("# two\r\nann https://shop.example/a \(Self.secret)\r\n\r\n").targets
        #expect(lines.keys.sorted() == ["ann"] && lines["ann"]?.key.reveal() == Self.key)
        for text in [
            "ann https://shop.example/", "ann nothing \(Self.secret)", "ann http://shop.example/ \(Self.secret)",
            "ann https://shop.example/ whsec_c2hvcnQ=", "ann https://shop.example/ \(Self.secret.dropFirst(6))",
            "eve https://shop.example/ \(Self.secret)",
            "ann https://a.example/ \(Self.secret)\nann https://b.example/ \(Self.secret)",
        ] {
            let error = #expect(throws: CommandError.self, "\(text)") { try read(text) }
            #expect(error?.description.contains("line ") == true)
            #expect(error?.description.contains("MfKQ") == false)
        }
    }

    @Test(
        "A program in Python takes the webhook of a payment, and refuses one that is not signed",
        .enabled(if: ServedClient.python != nil))
    func received() async throws {
        let receiver = try ServedClient.receiver(secret: Self.secret)
        var lines = receiver.lines.makeAsyncIterator()
        let address = try #require(await lines.next()?.split(separator: " ").last.map(String.init))
        let folder = ScratchFolder()
        let file = folder.file("webhooks")
        try "local \(address) \(Self.secret)".write(toFile: file, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        let served = try await ServedShop(["--wallet", "1", "--webhooks", file])
        let paid = try await served.pay(["link": "https://shop.example/order/7", "option": "tab"], key: "order-7")
        #expect(paid["outcome"]?["outcome"] == "succeeded")
        try await eventually("nothing was sent") { served.api.metrics.text.contains("{result=\"taken\"} 1\n") }
        await served.api.payments.drain(within: .seconds(5))
        let forged = HTTPRequest(.post, try HTTPURL(address), headers: ["webhook-id": "m"], body: Array("{}".utf8))
        #expect(try await StandardTransport().send(forged).status == 401)
        // Not SIGTERM: the program inherits the mask of a worker thread, which blocks it.
        receiver.signal(SIGKILL)
        #expect(await lines.next() == "payment.ended order-7 succeeded")
        _ = await receiver.end()
    }
}
