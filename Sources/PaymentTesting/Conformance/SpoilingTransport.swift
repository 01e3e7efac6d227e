import PaymentCore

/// A network that changes answers, or runs an action around a request.
struct SpoilingTransport: HTTPTransport {
    let base: any HTTPTransport
    let observation: Observation
    /// The answer to spoil.
    var spoiling: (index: Int, mutation: Mutation)?
    /// Changes every answer from the one of this number on.
    var distortion: (from: Int, change: @Sendable (HTTPResponse) -> HTTPResponse)?
    /// Answers every request from the one of this number on, without carrying it out.
    var refusal: (from: Int, answer: HTTPResponse)?
    /// The number of a request that arrives twice; only the second answer comes back.
    var doubled: Int?
    /// An action of another party before the request of this number reaches the service, or after it did and before its
    /// answer comes back.
    var meanwhile: (index: Int, isAfter: Bool, act: @Sendable () async -> Void)?

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let index = observation.responses.count
        if let refusal, index >= refusal.from, observation.refuses {
            observation.note(refusal.answer)
            return refusal.answer
        }
        let mutation = spoiling.flatMap { $0.index == index ? $0.mutation : nil }
        if doubled == index { _ = try await base.send(request) }
        if let meanwhile, meanwhile.index == index, !meanwhile.isAfter { await meanwhile.act() }
        var response = mutation?.isInstead == true ? HTTPResponse(status: 200) : try await base.send(request)
        if let meanwhile, meanwhile.index == index, meanwhile.isAfter { await meanwhile.act() }
        observation.note(response)
        if let mutation { response = mutation.apply(response) }
        if let distortion, index >= distortion.from { response = distortion.change(response) }
        guard response.body.count <= request.responseLimit else {
            throw TransportError(
                .maybeSent, .responseTooLarge(limit: request.responseLimit), origin: request.url.origin)
        }
        return response
    }
}
