#if canImport(CCurl)
    import CCurl
    import Glibc

    /// Starts the threads of the libcurl transport.
    enum CurlThread {
        private final class Body {
            let run: @Sendable () -> Void
            init(_ run: @escaping @Sendable () -> Void) { self.run = run }
        }

        /// Starts a thread that ends with `run`.
        ///
        /// - Parameter name: at most 15 characters, for debuggers and `ps`.
        /// - Returns: false when the system gives no thread.
        static func start(_ name: StaticString, _ run: @escaping @Sendable () -> Void) -> Bool {
            var thread = pthread_t()
            let body = Unmanaged.passRetained(
                Body {
                    name.utf8Start.withMemoryRebound(to: CChar.self, capacity: name.utf8CodeUnitCount + 1) {
                        ccurl_name_thread($0)
                    }
                    run()
                })
            // The thread inherits the mask: the application's signal handlers do not run on it, and a connection that
            // closes while something is written to it does not end the process.
            var all = sigset_t()
            var before = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_SETMASK, &all, &before)
            defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
            let failure = pthread_create(
                &thread, nil,
                { context in
                    guard let context else { return nil }
                    Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
                    return nil
                }, body.toOpaque())
            guard failure == 0 else {
                body.release()
                return false
            }
            pthread_detach(thread)
            return true
        }
    }
#endif
