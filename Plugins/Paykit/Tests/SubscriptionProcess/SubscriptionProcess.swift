import Foundation
import PaykitKit
import PaykitProvider
import PaykitSandbox
import PaymentCore
import PaymentCrypto
import PaymentLoopback
import PaymentTransport

/// One side of a private link, as an application has it, and the sandbox that both sides use. The peer is another
/// program, `links.py`. Each line of standard input is a command, each line of output its result.
struct LinkSide {
    let sandbox: PubkySandbox
    let client: PaykitClient
    let link: PaykitPrivateLink

    /// A wallet that pays once under a key.
    struct Wallet: PaykitOrderWallet {
        let sandbox: PubkySandbox

        func outcome(of order: PaykitOrder) async throws -> PaykitSettlement? { nil }
        func settle(_ order: PaykitOrder) async throws -> PaykitSettlement {
            let paid = try await sandbox.pay(order.endpoint.endpoint, amount: nil, key: order.key)
            guard case .preimage(let preimage) = paid else { return .notPaid("it is no invoice") }
            let hash = Hex.encode(Digest.sha256.hash(Hex.decode(preimage) ?? []))
            return .paid(.preimage(preimage, paymentHash: hash))
        }
    }

    struct Unfit: Error, CustomStringConvertible {
        let description: String
    }

    static let bolt11 = "btc-lightning-bolt11"

    func answer(_ command: JSONValue) async throws -> JSONValue {
        switch command["do"]?.string {
        case "poll":
            let status = try await link.poll()
            let requests = try await link.requests().map { request -> JSONValue in
                [
                    "id": .string(request.id), "own": .bool(request.isOwn), "phase": .string(request.phase.rawValue),
                    "reference": .string(request.reference), "recurs": .bool(request.recurs),
                    "amount": .string(request.amount?.decimalText ?? ""),
                ]
            }
            return ["status": .string("\(status)"), "requests": .array(requests)]
        case "ask":
            let (amount, start) = (try Money(minorUnits: 2100, currency: .satoshi), try number("start", command))
            let recurrence = PaykitRecurrence(
                every: 1, .month, from: Date(timeIntervalSince1970: Double(start)), until: nil)
            guard let own = await client.user else { throw Unfit(description: "no user is signed in") }
            let id = try await link.ask(
                for: amount, reference: word("reference", command), methods: [Self.bolt11],
                at: [PaykitEndpoint(methodID: Self.bolt11, endpoint: await sandbox.createInvoice(2100, for: own))],
                recurring: recurrence)
            return ["id": .string(id)]
        case "accept": try await link.accept(word("id", command))
        case "cancel": try await link.cancel(word("id", command), reason: "moved away")
        case "pay":
            try await link.pay(
                period: try await period(command), of: word("id", command), with: Wallet(sandbox: sandbox))
        case "receipt":
            let (id, period) = (try word("id", command), try await period(command))
            guard case .preimage(_, let hash)? = try await link.proof(of: id, period: period),
                await sandbox.proof(ofPaying: hash) != nil
            else { throw Unfit(description: "the payment has not arrived") }
            try await link.issueReceipt(for: id, period: period)
        case "receipts":
            return ["receipts": .array(try await link.receipts(for: word("id", command)).map { .string($0) })]
        default: throw Unfit(description: "there is no such command")
        }
        return [:]
    }

    private func period(_ command: JSONValue) async throws -> RecurringPeriod {
        let id = try word("id", command)
        guard let schedule = try await link.requests().first(where: { $0.id == id })?.schedule,
            let period = schedule.period(Int(try number("number", command)))
        else { throw Unfit(description: "the request has no such period") }
        return period
    }

    private func word(_ name: String, _ command: JSONValue) throws -> String {
        guard let text = command[name]?.string else { throw Unfit(description: "\(name) is missing") }
        return text
    }

    private func number(_ name: String, _ command: JSONValue) throws -> Int64 {
        guard let number = command[name]?.int64 else { throw Unfit(description: "\(name) is missing") }
        return number
    }
}

@main
struct SubscriptionProcess {
    static func main() async throws {
        let sandbox = PubkySandbox()
        let server = try LoopbackServer(sandbox)
        defer { server.stop() }
        var configuration = PaykitClientConfiguration(
            network: try .sandbox(HTTPURL("http://localhost:\(server.baseURL.port)")))
        configuration.receiver = PaykitReceiverPath("router/wallet")
        configuration.receiverSecret = Redacted(Array(repeating: 9, count: 32))
        let client = PaykitClient(configuration: configuration, transport: StandardTransport())
        try await client.initialize(
            secretKeyHex: String(repeating: "07", count: 32), homeserverPubkey: sandbox.homeserver.text)
        try await client.publishReceiver()
        say([
            "port": .number(JSONNumber(UInt64(server.baseURL.port))), "homeserver": .string(sandbox.homeserver.text),
            "user": .string(await client.user?.text ?? ""), "receiver": "router/wallet",
        ])
        var side: LinkSide?
        while let line = readLine() {
            do {
                let command = try JSONValue(parsing: line)
                if command["do"]?.string == "link" {
                    side = LinkSide(
                        sandbox: sandbox, client: client,
                        link: try await client.privateLink(with: command["user"]?.string ?? ""))
                    say([:])
                } else if let side {
                    say(try await side.answer(command))
                } else {
                    say(["error": "there is no link yet"])
                }
            } catch { say(["error": .string("\(error)")]) }
        }
    }

    private static func say(_ answer: JSONValue) {
        print(String(decoding: answer.serialized(), as: UTF8.self))
        fflush(nil)
    }
}
