import Synchronization

/// Counts of the payments of this process, as Prometheus reads them. Nothing of a payment is a label but its outcome.
final class ServeMetrics: Sendable {
    private struct State {
        var running = 0
        var outcomes: [String: Int] = [:]
        var buckets = [Int](repeating: 0, count: ServeMetrics.bounds.count)
        var seconds = 0.0
        var count = 0
        var answers: [Int: Int] = [:]
        var webhooks: [String: Int] = [:]
    }

    private static let bounds = [0.1, 0.5, 1, 5, 15, 60, 300]
    private let state = Mutex(State())

    /// Notes that a payment begins or resumes.
    func begin() { state.withLock { $0.running += 1 } }

    /// Notes that a payment no longer runs.
    func end(_ outcome: String, after time: Duration) {
        let seconds = time / .seconds(1)
        state.withLock { state in
            state.running -= 1
            state.outcomes[outcome, default: 0] += 1
            state.seconds += seconds
            state.count += 1
            for (place, bound) in Self.bounds.enumerated() where seconds <= bound { state.buckets[place] += 1 }
        }
    }

    /// Notes the result of sending a webhook.
    func webhook(_ result: String) { state.withLock { $0.webhooks[result, default: 0] += 1 } }

    /// Notes an answer.
    func answer(_ status: Int) { state.withLock { $0.answers[status, default: 0] += 1 } }

    /// The text form, version 0.0.4.
    var text: String {
        let state = state.withLock(\.self)
        var lines = [
            "# HELP payroute_payments_running Payments that run now, or wait for their payer.",
            "# TYPE payroute_payments_running gauge", "payroute_payments_running \(state.running)",
            "# HELP payroute_payments_total Runs of payments that ended, by outcome.",
            "# TYPE payroute_payments_total counter",
        ]
        lines += state.outcomes.sorted { $0.key < $1.key }.map {
            "payroute_payments_total{outcome=\"\($0.key)\"} \($0.value)"
        }
        lines += [
            "# HELP payroute_payment_seconds Time from the beginning of a run to its end.",
            "# TYPE payroute_payment_seconds histogram",
        ]
        lines += zip(Self.bounds, state.buckets).map { "payroute_payment_seconds_bucket{le=\"\($0)\"} \($1)" }
        lines += [
            "payroute_payment_seconds_bucket{le=\"+Inf\"} \(state.count)",
            "payroute_payment_seconds_sum \(state.seconds)", "payroute_payment_seconds_count \(state.count)",
            "# HELP payroute_http_answers_total Answers by status.", "# TYPE payroute_http_answers_total counter",
        ]
        lines += state.answers.sorted { $0.key < $1.key }.map {
            "payroute_http_answers_total{status=\"\($0.key)\"} \($0.value)"
        }
        lines += [
            "# HELP payroute_webhooks_total Webhooks by result: taken, failed (sent again later), abandoned.",
            "# TYPE payroute_webhooks_total counter",
        ]
        lines += state.webhooks.sorted { $0.key < $1.key }.map {
            "payroute_webhooks_total{result=\"\($0.key)\"} \($0.value)"
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
