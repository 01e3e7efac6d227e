import PaymentCore
import Synchronization

/// The data about the payer that an option asks for, during one run of an attempt.
///
/// The values stay in memory: what the journal keeps is only how they were handed in.
final class PayerData: Sendable {
    /// How the payer answered.
    private enum Answer: String, Codable, Sendable {
        case notAsked, declined
        /// In the service's own form, which hands the data in by itself.
        case form
        /// As values, which go with the confirmation.
        case values
    }

    private static let step = "collect data"

    private let form: DataForm
    private let page: DataCollectionPage?
    private let isAsked: Bool
    private let collected = Mutex<[CollectDataFieldResult]>([])

    /// - Parameter allowsLoopback: whether the service's form may be on this machine: for a sandbox there.
    init(_ action: CollectDataAction?, allowsLoopback: Bool) {
        isAsked = action != nil
        page = action?.url.flatMap { try? DataCollectionPage($0, allowsLoopback: allowsLoopback) }
        form = Self.form(action)
    }

    /// What goes with the confirmation.
    var values: [CollectDataFieldResult] { collected.withLock { $0 } }

    /// Asks the payer, unless there is nothing to ask.
    ///
    /// - Returns: false when the payer declined.
    func gather(in context: ProviderContext, payment: String, gateway: PayGateway) async throws -> Bool {
        guard isAsked else { return true }
        let request = DataRequest(fields: form.fields, formURL: page?.url.reveal())
        let answer = try await context.step(Self.step, .interaction) { try await self.ask(request, context.payer) }
        // Resumed: the values were not kept. They are needed again only if the confirmation has not arrived yet.
        if answer == .values, values.isEmpty {
            let status = try await translated { () throws(GatewayError) in try await gateway.status(payment) }.status
            if status == .requiresAction { return try await ask(request, context.payer) != .declined }
        }
        return answer != .declined
    }

    private func ask(_ request: DataRequest, _ payer: Payer) async throws -> Answer {
        guard let collector = payer.dataCollector else {
            throw PaymentError(
                .unusableOption, "the option asks for data about the payer, but the payer has no way to give it",
                provider: WalletConnectPayProvider.id)
        }
        let entered: [String: Redacted<String>]?
        do { entered = try await collector(request) } catch let error as PaymentError {
            throw error
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw PaymentError(
                .payer, "the payer's data could not be collected (\(type(of: error)))",
                provider: WalletConnectPayProvider.id)
        }
        guard let entered else { return .declined }
        // Nothing, or nothing that was asked for, means that the service's own form was used.
        guard form.fields.contains(where: { entered[$0.id] != nil }) else { return .form }
        do {
            let values = try form.accepted(entered).map { CollectDataFieldResult(id: $0.id, value: $0.value.reveal()) }
            collected.withLock { $0 = values }
        } catch {
            throw PaymentError(.payer, "the payer's data: \(error)", provider: WalletConnectPayProvider.id)
        }
        return .values
    }

    /// The schema says more than the old list of fields, where the service sends one.
    private static func form(_ action: CollectDataAction?) -> DataForm {
        if let schema = action?.schema, let form = try? DataForm(schema: .string(schema)), !form.fields.isEmpty {
            return form
        }
        return DataForm(
            fields: (action?.fields ?? []).map { field in
                // Fields of unknown types are text.
                DataRequest.Field(
                    id: field.id, name: PlainLine.make(field.name, limit: 100),
                    kind: .init(rawValue: field.fieldType.rawValue) ?? .text, isRequired: field.required)
            })
    }
}

/// Runs `call` and turns its failure into the core's error.
func translated<Answer>(
    isMutation: Bool = false, _ call: () async throws(GatewayError) -> Answer
) async throws -> Answer {
    do { return try await call() } catch { throw ErrorTable.error(error, isMutation: isMutation) }
}
