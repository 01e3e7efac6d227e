import PaymentCore
import PaymentRouting

/// Probes of a provider's or a service's statements about itself and about links.
extension ProbeSuite {
    func descriptor() -> [String] {
        let descriptor = subject.service.descriptor
        var findings: [String] = []
        if subject.service.descriptor != descriptor { findings.append("two looks at the descriptor differ") }
        if descriptor.name.isEmpty { findings.append("it has no name") }
        switch (subject.provider == nil, descriptor.patterns.isEmpty) {
        case (false, true): findings.append("it claims no links")
        case (true, false): findings.append("it claims links, but a merchant's service takes no payers")
        default: break
        }
        for host in descriptor.outboundHosts where !OutboundHosts.isWellFormed(host) {
            findings.append("'\(host)' is not a host as requests name it; write it in lower case, without a scheme")
        }
        if descriptor.replayWindow < .zero { findings.append("the replay window is negative") }
        return findings
    }

    func capabilities() -> [String] {
        ProviderDescriptor.Capability.allCases.compactMap { capability -> String? in
            let count = subject.capabilities.real.count { $0 == capability }
            return switch (subject.capabilities.meant.contains(capability), count > 0) {
            case _ where count > 1: "'\(capability.rawValue)' is a conformance of several of its services"
            case (true, false): "'\(capability.rawValue)' is meant, but no service conforms to its protocol"
            case (false, true): "'\(capability.rawValue)' is not meant, but a service conforms to its protocol"
            default: nil
            }
        }
    }

    func patterns() -> [String] {
        do { _ = try ProviderRegistry([subject.service]) } catch { return ["\(error)"] }
        return []
    }

    func links() throws -> [String] {
        guard let provider = subject.provider else { return [] }
        guard let link = try inBackend({ $0.link }) else { throw SkipError(reason: "the payment has no link") }
        var findings: [String] = []
        for text in HostileLinks.around(link) {
            guard let link = try? PaymentLink(text) else { continue }
            let match = provider.recognize(link)
            if match != provider.recognize(link) { findings.append("two looks at one link differ") }
            if match?.reference?.isEmpty == true { findings.append("a link names a payment without an id") }
        }
        for text in HostileLinks.impostors(of: link) {
            guard let route = route(text) else { continue }
            if route.match.trust == .verified { findings.append("a link to a foreign host is trusted") }
        }
        return findings
    }

    func spellings() throws -> [String] {
        guard let link = try inBackend({ $0.link }) else { throw SkipError(reason: "the payment has no link") }
        guard let match = route(link)?.match, let name = match.reference else {
            return ["its link names no payment"]
        }
        return SecondSpellings.all(of: link).compactMap { difference, text in
            guard let other = route(text)?.match, let reference = other.reference else { return nil }
            // Names are compared as they are stored, byte by byte.
            let isSame = reference.utf8.elementsEqual(name.utf8) && other.namesPayee == match.namesPayee
            return isSame ? nil : "written with \(difference), its link names another payment"
        }
    }

    /// Returns the route of `text` in a router that knows only the subject.
    func route(_ text: String) -> Route? {
        let world = SimulatedWorld(seed: 1)
        defer { world.end() }
        guard let registry = try? ProviderRegistry([subject.service]) else { return nil }
        let router = PaymentRouter(
            registry: registry, transport: ScriptedTransport([]), journal: world.start().journal)
        guard case .matched(let route) = router.route(text) else { return nil }
        return route
    }
}
