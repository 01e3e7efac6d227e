// Measures routing and HTTP beside Foundation's, the reading of payment texts, and the journal. Build for release, with
// the product payroute for `inspect`:
//
//     swift run -c release Benchmarks [routing|standards|inspect|http|journal]

switch CommandLine.arguments.dropFirst().first {
case nil:
    try RoutingBenchmark.run()
    try StandardsBenchmark.run()
    try InspectBenchmark.run()
    try await HTTPBenchmark.run()
    try await JournalBenchmark.run()
case "routing": try RoutingBenchmark.run()
case "standards": try StandardsBenchmark.run()
case "inspect": try InspectBenchmark.run()
case "http": try await HTTPBenchmark.run()
case "journal": try await JournalBenchmark.run()
case "serve": try HTTPBenchmark.serve()
default: print("usage: Benchmarks [routing|standards|inspect|http|journal]")
}
