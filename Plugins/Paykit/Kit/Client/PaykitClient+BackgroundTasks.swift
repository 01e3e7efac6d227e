#if canImport(BackgroundTasks)
    import BackgroundTasks
    import PaymentCore

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// Rotation by the system's scheduler, as the guide's "Background Task (iOS)" has it.
    @available(macOS, unavailable)
    extension PaykitClient {
        /// What the guide calls the task.
        public static let rotationTask = "to.bitkit.rotationCheck"

        /// Has the system wake the app to replace endpoints that need it. Call it before the application has finished
        /// launching, and ``scheduleRotation(identifier:after:)`` when it goes to the background. The identifier has to
        /// stand in the application's list of permitted identifiers (`BGTaskSchedulerPermittedIdentifiers`).
        ///
        /// Each run asks for the next one first. The client needs a session then: see
        /// ``PaykitSessionManager/restore()``.
        ///
        /// - Parameters:
        ///   - identifier: the task's name.
        ///   - pause: how long to wait between two runs, at least.
        ///   - generate: makes a new endpoint for a method, as by asking the wallet for an invoice.
        /// - Returns: whether the system took the registration; it does not where the identifier is not permitted.
        @discardableResult
        public nonisolated func registerRotation(
            identifier: String = rotationTask, every pause: Duration = .seconds(3600),
            _ generate: @escaping @Sendable (String) async throws -> String
        ) -> Bool {
            BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) { task in
                let run = SystemTask(task)
                // Without the next request there is none; it is asked for again when the app goes to the background.
                try? self.scheduleRotation(identifier: identifier, after: pause)
                let work = Task {
                    let replaced = try? await self.rotateEndpoints(generate)
                    run.task.setTaskCompleted(success: replaced != nil && !Task.isCancelled)
                }
                run.task.expirationHandler = { work.cancel() }
            }
        }

        /// Asks the system for a run.
        ///
        /// - Parameters:
        ///   - identifier: the task's name, as it was registered.
        ///   - pause: how long to wait, at least; the system decides.
        /// - Throws: what the system says, as where background work is switched off.
        public nonisolated func scheduleRotation(
            identifier: String = rotationTask, after pause: Duration = .seconds(3600)
        ) throws {
            let request = BGAppRefreshTaskRequest(identifier: identifier)
            request.earliestBeginDate = clock.now.addingTimeInterval(pause / .seconds(1))
            try BGTaskScheduler.shared.submit(request)
        }
    }

    /// The system's task, which is told once that it is over and may be told so from anywhere.
    private struct SystemTask: @unchecked Sendable {
        let task: BGTask

        init(_ task: BGTask) { self.task = task }
    }
#endif
