// Measures routing and HTTP beside Foundation's, and the journal. Build for release:
//
//     swift run -c release Benchmarks [routing|http|journal]

switch CommandLine.arguments.dropFirst().first {
case nil:
    try RoutingBenchmark.run()
    try await HTTPBenchmark.run()
    try await JournalBenchmark.run()
case "routing": try RoutingBenchmark.run()
case "http": try await HTTPBenchmark.run()
case "journal": try await JournalBenchmark.run()
case "serve": try HTTPBenchmark.serve()
default: print("usage: Benchmarks [routing|http|journal]")
}
