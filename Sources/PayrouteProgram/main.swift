import PaymentSandbox
import PayrouteCommands

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

// A reader that closes the stream (`| head`) must not kill a payment halfway; writes fail instead, quietly.
signal(SIGPIPE, SIG_IGN)
// This program starts external providers only, and a browser only where it starts none.
OrphanedProcesses.allow()
let console = Console(vendors: .all) { name in getenv(name).map { String(cString: $0) } }
let code = await CommandLineTool.run(Array(CommandLine.arguments.dropFirst()), console)
ExternalProcess.endAll()
// Everything is written. This skips the clean-up of `exit`, which would unload libraries under running threads.
_exit(code.rawValue)
