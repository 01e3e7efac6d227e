#if FUZZER
    // Coverage-guided fuzzing of the same invariants by libFuzzer:
    //
    //     swift build -c release --product Fuzz --scratch-path .build/fuzzer \
    //         -Xswiftc -sanitize=fuzzer -Xswiftc -parse-as-library -Xswiftc -DFUZZER
    //     .build/fuzzer/release/Fuzz -max_len=1024 -max_total_time=60

    typealias CArguments = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

    @_silgen_name("LLVMFuzzerRunDriver")
    private func runDriver(
        _ count: UnsafeMutablePointer<Int32>, _ arguments: UnsafeMutablePointer<CArguments>,
        _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
    ) -> Int32

    // The package manager links `main` to this name, so libFuzzer's main function is left out.
    @_cdecl("Fuzz_main")
    func fuzzMain(_ count: Int32, _ arguments: CArguments) -> Int32 {
        var count = count
        var arguments = arguments
        return runDriver(&count, &arguments, testOneInput)
    }

    // The first byte of an input chooses the target.
    private let prepared = try? FuzzTargets()

    /// libFuzzer's entry point.
    @_cdecl("LLVMFuzzerTestOneInput")
    func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
        guard var targets = prepared else { fatalError("the targets cannot be set up") }
        let input = Array(UnsafeBufferPointer(start: data, count: size))
        if let problem = targets.violation(of: Int(input.first ?? 0), Array(input.dropFirst())) { fatalError(problem) }
        return 0
    }
#endif
