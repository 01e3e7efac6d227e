// Measures routing and HTTP beside Foundation's, the reading of payment texts, the journal, and payments from a wallet.
// Build for release, with the product payroute for `inspect`:
//
//     swift run -c release Benchmarks [routing|standards|inspect|http|journal|wallet]

switch CommandLine.arguments.dropFirst().first {
case nil:
    try RoutingBenchmark.run()
    try StandardsBenchmark.run()
    try InspectBenchmark.run()
    try await HTTPBenchmark.run()
    try await JournalBenchmark.run()
    try await WalletBenchmark.run()
case "routing": try RoutingBenchmark.run()
case "standards": try StandardsBenchmark.run()
case "inspect": try InspectBenchmark.run()
case "http": try await HTTPBenchmark.run()
case "journal": try await JournalBenchmark.run()
case "wallet": try await WalletBenchmark.run()
case "serve": try HTTPBenchmark.serve()
default: print("usage: Benchmarks [routing|standards|inspect|http|journal|wallet]")
}
