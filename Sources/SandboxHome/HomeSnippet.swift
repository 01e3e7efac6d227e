import PaymentCore

/// A program that makes a payment at this sandbox and pays it, whole: it runs as it is copied.
struct HomeSnippet {
    let name: String
    let text: String

    /// Returns one program for each language.
    ///
    /// - Parameters:
    ///   - service: The service's id; like the scenario's name, it needs no quoting in any of the languages.
    static func all(origin: String, service: String, scenario: String) -> [HomeSnippet] {
        let order = JSONValue.object(["service": .string(service), "scenario": .string(scenario)]).text
        return [
            HomeSnippet(
                name: "Shell",
                text: """
                    export PAYROUTE_SANDBOX=\(origin)
                    payroute pay "$(payroute sandbox new \(service)/\(scenario) | head -n 1)"
                    """),
            HomeSnippet(
                name: "curl",
                text: "curl -s \(origin)/_sandbox/payments -H 'Content-Type: application/json' -d '\(order)'"),
            HomeSnippet(name: "Swift", text: swift(origin, service, scenario)),
            HomeSnippet(
                name: "JavaScript",
                text: """
                    async function call(path, body) {
                      const answer = await fetch("\(origin)/_sandbox/" + path, {
                        method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)});
                      return answer.json();
                    }
                    async function main() {
                      const payment = await call("payments", \(order));
                      const paid = await call("payments/" + payment.id + "/pay", {});
                      console.log(payment.link, paid.outcome);
                    }
                    main();
                    """),
            HomeSnippet(
                name: "Python",
                text: """
                    import json, urllib.request

                    def call(path, body):
                        request = urllib.request.Request("\(origin)/_sandbox/" + path, json.dumps(body).encode(),
                                                         {"Content-Type": "application/json"})
                        return json.load(urllib.request.urlopen(request))

                    payment = call("payments", \(order))
                    paid = call("payments/" + payment["id"] + "/pay", {})
                    print(payment["link"], paid["outcome"])
                    """),
        ]
    }

    /// The example `sandbox-payment`, which is compiled and run with the tests, with this address and scenario.
    private static func swift(_ origin: String, _ service: String, _ scenario: String) -> String {
        """
        import PaymentCore
        import PaymentRouting
        import PaymentSandbox
        import PaymentStore
        import PaymentTransport

        // A merchant's part: make a payment. The address may be given as an argument.
        let address = CommandLine.arguments.dropFirst().first ?? "\(origin)"
        let order: JSONValue = ["service": "\(service)", "scenario": "\(scenario)"]
        let made = try await StandardTransport().send(
            HTTPRequest(
                .post, try HTTPURL(address + "/_sandbox/payments"), headers: ["Content-Type": "application/json"],
                body: order.serialized()))
        let link = try JSONValue(parsing: made.body)["link"]?.string ?? ""

        // The payer's part: pay it, with a wallet and money that are made up.
        let sandbox = try await SandboxConnection(address)
        let router = try sandbox.router(journal: InMemoryJournal())
        print(try await router.pay(link, as: sandbox.payer(), acceptingUnverified: true))
        """
    }
}
