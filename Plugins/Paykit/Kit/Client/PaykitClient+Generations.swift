/// The user's own endpoints in both of Paykit's forms (Protocol 11.4).
extension PaykitClient {
    /// Publishes an endpoint in each configured form that has a name for it, the newest first: payers prefer it.
    func publish(_ endpoint: PaykitEndpoint, _ session: PubkySession) async throws(PaykitNetworkError) {
        let identifier = Self.identifier(of: endpoint)
        let former = identifier?.text == endpoint.methodID ? identifier?.formerName : endpoint.methodID
        var isPublished = false
        if configuration.generations != .second, let receiver = configuration.receiver, let identifier {
            let isGeneral = identifier.text != endpoint.methodID
            try await receivers.publish(
                identifier, endpoint.endpoint, of: receiver, inPlaceOf: isGeneral ? former : nil, session)
            isPublished = true
        }
        if configuration.generations != .third, let former {
            try await directory.publish(PaykitEndpoint(methodID: former, endpoint: endpoint.endpoint), session)
            isPublished = true
        }
        guard !isPublished else { return }
        throw PaykitNetworkError(
            .validationFailed,
            configuration.receiver == nil
                ? "to publish in generation 3, say as which app: PaykitClientConfiguration.receiver"
                : "generation 3 has no name for this; name it as asset-rail-format, such as btc-lightning-bolt11",
            methodID: endpoint.methodID)
    }

    func remove(_ method: String, _ session: PubkySession) async throws(PaykitNetworkError) {
        if configuration.generations != .second, let receiver = configuration.receiver {
            try await receivers.remove(method, of: receiver, session)
        }
        guard configuration.generations != .third else { return }
        let former = PaykitIdentifier(method).flatMap { $0.parts == nil ? nil : $0.formerName }
        try await directory.remove(former ?? method, session)
    }

    private static func identifier(of endpoint: PaykitEndpoint) -> PaykitIdentifier? {
        if let identifier = PaykitIdentifier(endpoint.methodID), identifier.parts != nil { return identifier }
        return PaykitIdentifier.candidates(for: endpoint.endpoint).lazy.compactMap { PaykitIdentifier($0) }
            .first { $0.formerName == endpoint.methodID }
    }

    func publishedNames(_ session: PubkySession) async throws(PaykitNetworkError) -> Set<String> {
        var names: Set<String> = []
        if configuration.generations != .second, let receiver = configuration.receiver {
            let server = try await reader.homeserver(of: session.user)
            for identifier in try await receivers.identifiers(of: receiver, session.user, at: server) {
                names.insert(identifier.text)
                if let former = identifier.formerName { names.insert(former) }
            }
        }
        if configuration.generations != .third {
            names.formUnion(try await directory.endpoints(of: session.user).map(\.methodID))
        }
        return names
    }
}
