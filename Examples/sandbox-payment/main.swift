import PaymentCore
import PaymentRouting
import PaymentSandbox
import PaymentStore
import PaymentTransport

// A merchant's part: make a payment. The address may be given as an argument.
let address = CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8080"
let order: JSONValue = ["service": "walletconnect-pay", "scenario": "paid-at-once"]
let made = try await StandardTransport().send(
    HTTPRequest(
        .post, try HTTPURL(address + "/_sandbox/payments"), headers: ["Content-Type": "application/json"],
        body: order.serialized()))
let link = try JSONValue(parsing: made.body)["link"]?.string ?? ""

// The payer's part: pay it, with a wallet and money that are made up.
let sandbox = try await SandboxConnection(address)
let router = try sandbox.router(journal: InMemoryJournal())
print(try await router.pay(link, as: sandbox.payer(), acceptingUnverified: true))
