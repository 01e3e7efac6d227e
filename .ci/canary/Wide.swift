// A shape that Swift 6.3.1 compiles wrongly on x86-64, with and without the optimizer: an asynchronous function whose parameters
// leave 128 bits on the stack, with an odd number of words there in all. Its caller makes room for one word more than it
// takes away: the stack moves by 16 bytes with every call, until a function returns to what is no address.
// On aarch64 there are others of its kind: swiftlang/swift#89842 (returned 128 bits), #91204 (in a structure, without the
// optimizer).
//
// Six words are in registers. Beside the `Int128` an even number of words is sound, an odd one is not.

@inline(never)
func sound(_ a: Int, _ b: Int, _ c: Int, _ d: Int, _ e: Int, _ f: Int, _ wide: Int128) async -> Int {
    await Task.yield()
    return a &+ b &+ c &+ d &+ e &+ f &+ Int(truncatingIfNeeded: wide)
}

@inline(never)
func broken(_ a: Int, _ b: Int, _ c: Int, _ d: Int, _ e: Int, _ f: Int, _ wide: Int128, _ word: Int) async -> Int {
    await Task.yield()
    return a &+ b &+ c &+ d &+ e &+ f &+ word &+ Int(truncatingIfNeeded: wide)
}

@main
struct Wide {
    static func main() async {
        let isSound = CommandLine.arguments.last == "sound"
        var sum = 0
        for i in 0..<1000 {
            sum &+= isSound ? await sound(i, sum, 3, i, 5, 6, 7) : await broken(i, sum, 3, i, 5, 6, 7, i)
        }
        print(sum)
    }
}
