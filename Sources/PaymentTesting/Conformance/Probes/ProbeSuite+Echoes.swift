import PaymentCore

/// Probes of answers that repeat the request.
extension ProbeSuite {
    /// Lets the service repeat every secret of a request, in any text of the answer and in refusals.
    func echoes() throws -> [String] {
        guard !subject.secrets.isEmpty else { throw SkipError(reason: "the vendor names no secrets") }
        return try forEachProbeCase { probeCase in
            let usual = try run(Trial(subject: subject, probeCase: probeCase))
            var findings: [String] = []
            for (index, response) in usual.observation.responses.prefix(20).enumerated() {
                let known = secrets(in: usual.observation.sent[index].request)
                guard !known.isEmpty else { continue }
                let echo = "x " + Set(known).sorted().joined(separator: " ")
                for mutation in Self.refusals(repeating: echo)
                    + Mutation.replacingTexts(in: response, by: { _ in echo })
                {
                    let result = try run(Trial(subject: subject, probeCase: probeCase, spoiling: (index, mutation)))
                    let holds = result.writtenTexts.contains { text in subject.secrets.contains { text.contains($0) } }
                    if holds { findings.append("answer \(index + 1), \(mutation.name): a secret is written") }
                }
            }
            return findings
        }
    }

    private static func refusals(repeating echo: String) -> [Mutation] {
        let names = ["code", "message", "error", "errors", "detail", "details", "title", "id", "status", "reason"]
        let error = JSONValue.object(Dictionary(uniqueKeysWithValues: names.map { ($0, .string(echo)) }))
        return [400, 401, 500].flatMap { status in
            [("an error", error.serialized()), ("HTML", Array("<p>\(echo)</p>".utf8))].map { name, body in
                Mutation(name: "HTTP \(status) with \(name)", isInstead: true) { _ in
                    HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: body)
                }
            }
        }
    }

    /// Returns the values of a request that hold secrets.
    private func secrets(in request: HTTPRequest) -> [String] {
        var texts = request.headers.fields.map { $0.value.split(separator: " ").last.map(String.init) ?? "" }
        if let body = try? JSONValue(parsing: request.body) { texts += Self.texts(in: body) }
        return texts.filter { text in subject.secrets.contains { text.contains($0) } }
    }

    private static func texts(in value: JSONValue) -> [String] {
        switch value {
        case .string(let text): [text]
        case .array(let elements): elements.flatMap(texts)
        case .object(let members): members.values.flatMap(texts)
        case .null, .bool, .number: []
        }
    }
}
