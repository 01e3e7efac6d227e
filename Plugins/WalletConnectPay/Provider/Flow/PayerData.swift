import PaymentCore
import Synchronization

/// The data about the payer that an option requests, during one run of an attempt.
///
/// The values stay in memory: the journal keeps only the kind of answer.
final class PayerData: Sendable {
    /// The kind of the payer's answer.
    private enum Answer: String, Codable, Sendable {
        case notAsked, declined
        /// In the service's own form, which submits the data itself.
        case form
        /// As values, which are sent with the confirmation.
        case values
    }

    private static let step = "collect data"

    private let form: DataForm
    private let page: DataCollectionPage?
    private let isAsked: Bool
    private let collected = Mutex<[CollectedBody]>([])

    /// - Parameter allowsLoopback: true if the service's form may be on this machine: for a sandbox there.
    init(_ action: CollectDataBody?, allowsLoopback: Bool) {
        isAsked = action != nil
        page = action?.url.flatMap { try? DataCollectionPage($0, allowsLoopback: allowsLoopback) }
        form = Self.form(action)
    }

    /// The values for the confirmation.
    var values: [CollectedBody] { collected.withLock { $0 } }

    /// Asks the payer, if the option requests data.
    ///
    /// - Returns: false when the payer declined.
    func gather(for payment: String, in flow: PaymentFlow) async throws -> Bool {
        guard isAsked else { return true }
        let request = DataRequest(fields: form.fields, formURL: page?.url.reveal())
        let answer = try await flow.context.step(Self.step, .interaction) { try await self.ask(request, flow) }
        // Resumed: the values were not stored. They are needed again only if the confirmation has not arrived yet.
        if answer == .values, values.isEmpty {
            let status = try await flow.mapped { () throws(GatewayError) in
                try await flow.status(payment)
            }.status
            if status == .requiresAction { return try await ask(request, flow) != .declined }
        }
        return answer != .declined
    }

    private func ask(_ request: DataRequest, _ flow: PaymentFlow) async throws -> Answer {
        guard let collector = flow.context.payer.dataCollector else {
            throw flow.error(
                .unusableOption, "the option asks for data about the payer, but the payer has no way to give it")
        }
        let entered: [String: Redacted<String>]?
        do { entered = try await collector(request) } catch let error as PaymentError {
            throw error
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw flow.error(.payer, "the payer's data could not be collected (\(type(of: error)))", cause: error)
        }
        guard let entered else { return .declined }
        // Without any requested value, the payer has used the service's own form.
        guard form.fields.contains(where: { entered[$0.id] != nil }) else { return .form }
        do {
            let values = try form.accepted(entered).map { CollectedBody(id: $0.id, value: $0.value.reveal()) }
            collected.withLock { $0 = values }
        } catch {
            throw flow.error(.payer, "the payer's data: \(error)")
        }
        return .values
    }

    /// Returns the form. The schema, if the service sends one, has more detail than the old list of fields.
    private static func form(_ action: CollectDataBody?) -> DataForm {
        if let schema = action?.schema, let form = try? DataForm(schema: .string(schema)), !form.fields.isEmpty {
            return form
        }
        return DataForm(
            fields: (action?.fields ?? []).map { field in
                // Fields of unknown types are text.
                DataRequest.Field(
                    id: field.id, name: PlainLine.make(field.name, limit: 100),
                    kind: .init(rawValue: field.type) ?? .text, isRequired: field.required)
            })
    }
}
