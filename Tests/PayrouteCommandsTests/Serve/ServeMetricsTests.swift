import Testing

@testable import PayrouteCommands

/// The counts of `payroute serve`.
@Suite("serve: counts")
struct ServeMetricsTests {
    @Test("A run is counted by its outcome, and in each bucket that is not below its time")
    func runs() {
        let metrics = ServeMetrics()
        for _ in 0..<3 { metrics.begin() }
        metrics.end("succeeded", after: .seconds(1))
        metrics.end("failed", after: .milliseconds(1500))
        let lines = metrics.text.split(separator: "\n")
        for line in [
            "payroute_payments_running 1", "payroute_payments_total{outcome=\"succeeded\"} 1",
            "payroute_payments_total{outcome=\"failed\"} 1", "payroute_payment_seconds_sum 2.5",
            "payroute_payment_seconds_count 2", "payroute_payment_seconds_bucket{le=\"+Inf\"} 2",
        ] {
            #expect(lines.contains(Substring(line)), "\(metrics.text)")
        }
        let buckets = lines.filter { $0.hasPrefix("payroute_payment_seconds_bucket") }.dropLast()
            .compactMap { $0.split(separator: "\"").dropFirst().joined() }
        #expect(buckets == ["0.1} 0", "0.5} 0", "1.0} 1", "5.0} 2", "15.0} 2", "60.0} 2", "300.0} 2"])
    }

    @Test("Answers and webhooks are counted by their results, in order")
    func results() {
        let metrics = ServeMetrics()
        for status in [404, 200, 404] { metrics.answer(status) }
        for result in ["taken", "failed", "taken"] { metrics.webhook(result) }
        let lines = metrics.text.split(separator: "\n").filter { $0.contains("{") && !$0.contains("bucket") }
        #expect(
            lines == [
                "payroute_http_answers_total{status=\"200\"} 1", "payroute_http_answers_total{status=\"404\"} 2",
                "payroute_webhooks_total{result=\"failed\"} 1", "payroute_webhooks_total{result=\"taken\"} 2",
            ])
        for line in lines {
            let name = line.prefix { $0 != "{" }
            for part in ["HELP", "TYPE"] { #expect(metrics.text.contains("# \(part) \(name) "), "\(name)") }
        }
    }
}
