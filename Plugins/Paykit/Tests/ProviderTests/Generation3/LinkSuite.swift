import PaykitSandbox
import PaymentCore

@testable import PaykitLaboratory
@testable import PaykitProvider

/// The common parts of the suites of one private link: a payer and a payee, whose homeservers have no faults.
protocol LinkSuite {
    var world: LinkWorld { get }
}

extension LinkSuite {
    var payer: LinkParticipant { world.payer }
    var payee: LinkParticipant { world.payee }
    var asPayer: PrivateLinkParty { payer.party(with: payee) }
    var asPayee: PrivateLinkParty { payee.party(with: payer) }
    var settler: SimulatedLinkSettler {
        SimulatedLinkSettler(bank: world.bank, fate: world.fate, line: payer.line, request: "")
    }
    var check: PaykitEndpointCheck { SimulatedLinkSettler.check }

    @discardableResult
    func pollPayer(_ flow: PrivateLinkFlow? = nil) async throws -> PrivateLinkFlow.Status {
        try await (flow ?? payer.flow).poll(payee.key, payee.receiver, payer.session)
    }

    @discardableResult
    func pollPayee(_ flow: PrivateLinkFlow? = nil) async throws -> PrivateLinkFlow.Status {
        try await (flow ?? payee.flow).poll(payer.key, payer.receiver, payee.session)
    }

    /// Lets the payer poll, and then the payee, `count` times.
    func rounds(_ count: Int, payer: PrivateLinkFlow? = nil, payee: PrivateLinkFlow? = nil) async throws {
        for _ in 0..<count {
            try await pollPayer(payer)
            try await pollPayee(payee)
        }
    }

    /// Delivers the payee's messages to the payer.
    func deliver() async throws {
        try await pollPayee()
        try await pollPayer()
    }

    /// Requests a payment at a new invoice, or at the list that was sent before.
    func ask(
        _ reference: String = "tea", hasInvoice: Bool = true, until end: PrivateLinkTime? = nil
    ) async throws -> String {
        let terms = try world.terms(reference, until: end)
        return try await payee.flow.ask(for: terms, at: hasInvoice ? [world.offer()] : nil, asPayee)
    }

    /// The requests that the payer has read.
    func requests(_ flow: PrivateLinkFlow? = nil) async throws -> [PrivateLinkRequest] {
        try await (flow ?? payer.flow).requests(with: payee.key, payee.receiver)
    }

    /// The requests that the payee has made.
    func ownRequests() async throws -> [PrivateLinkRequest] {
        try await payee.flow.requests(with: payer.key, payer.receiver)
    }

    /// A participant's files in the messages' folders, by path.
    func files(of one: LinkParticipant) async -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for path in await world.sandbox.paths(of: one.key) where path.contains("/messages/") {
            files[path] = await world.sandbox.file(at: path, of: one.key)
        }
        return files
    }
}
