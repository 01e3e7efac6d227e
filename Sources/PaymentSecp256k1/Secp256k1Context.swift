import CSecp256k1

/// The library's precomputed state, made once for the process.
///
/// Unchecked, because the compiler cannot see into the pointer. It is safe: `init` is the only place that writes to its
/// target (creation and blinding), `shared` is a constant whose initialiser runs once and completes before any caller
/// gets the pointer, and every later call takes it as `const secp256k1_context *`, which secp256k1.h declares usable
/// from several threads at once as long as none writes. It is never destroyed.
struct Secp256k1Context: @unchecked Sendable {
    static let shared = Secp256k1Context()

    let pointer: OpaquePointer

    private init() {
        guard let context = secp256k1_context_create(UInt32(SECP256K1_CONTEXT_NONE)) else {
            fatalError("out of memory: cannot create a secp256k1 context")
        }
        // Blinds the computation against timing and power analysis. It changes no result, so signatures stay
        // deterministic; if it fails, they are still correct.
        var generator = SystemRandomNumberGenerator()
        let seed = (0..<32).map { _ in UInt8.random(in: 0 ... .max, using: &generator) }
        _ = secp256k1_context_randomize(context, seed)
        pointer = context
    }
}
