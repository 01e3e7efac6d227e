// Measures the lookup of many people. Build for release:
//
//     swift run -c release PaykitBenchmarkProcess

switch CommandLine.arguments.dropFirst().first {
case nil: try await DiscoveryBenchmark.run()
case "serve-people": try await DiscoveryBenchmark.serve()
case "discover": try await DiscoveryBenchmark.discover(Array(CommandLine.arguments.dropFirst(2)))
default: print("usage: PaykitBenchmarkProcess")
}
