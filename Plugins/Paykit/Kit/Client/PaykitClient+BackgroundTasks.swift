#if canImport(BackgroundTasks)
    import BackgroundTasks

    /// Rotation by the system's scheduler, as the guide's "Background Task (iOS)" has it.
    @available(macOS, unavailable)
    extension PaykitClient {
        /// The guide's name of the task.
        public static let rotationTask = "to.bitkit.rotationCheck"

        /// Has the system wake the app to replace endpoints that need it. Call it before the application has finished
        /// launching, and ``scheduleRotation(identifier:after:)`` when it goes to the background. The identifier has to
        /// be in the application's list of permitted identifiers (`BGTaskSchedulerPermittedIdentifiers`).
        ///
        /// Each run first requests the next one. The client needs a session then: see
        /// ``PaykitSessionManager/restore()``.
        ///
        /// - Parameters:
        ///   - identifier: the task's name.
        ///   - pause: the shortest wait between two runs.
        ///   - generate: creates a new endpoint for a method, such as the wallet's invoice.
        /// - Returns: true if the system accepted the registration; it does not if the identifier is not permitted.
        @discardableResult
        public nonisolated func registerRotation(
            identifier: String = rotationTask, every pause: Duration = .seconds(3600),
            _ generate: @escaping @Sendable (String) async throws -> String
        ) -> Bool {
            BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) { task in
                let run = SystemTask(task)
                // A failure leaves no next run; it is requested again when the app goes to the background.
                try? self.scheduleRotation(identifier: identifier, after: pause)
                let work = Task {
                    let replaced = try? await self.rotateEndpoints(generate)
                    run.task.setTaskCompleted(success: replaced != nil && !Task.isCancelled)
                }
                run.task.expirationHandler = { work.cancel() }
            }
        }

        /// Asks the system for a run. `identifier` is the task's name, as it was registered. `pause` is the shortest
        /// wait; the system decides.
        ///
        /// - Throws: the system's error, as when background work is switched off.
        public nonisolated func scheduleRotation(
            identifier: String = rotationTask, after pause: Duration = .seconds(3600)
        ) throws {
            let request = BGAppRefreshTaskRequest(identifier: identifier)
            request.earliestBeginDate = clock.now.addingTimeInterval(pause / .seconds(1))
            try BGTaskScheduler.shared.submit(request)
        }
    }

    /// The system's task, which is completed once, from any thread.
    private struct SystemTask: @unchecked Sendable {
        let task: BGTask

        init(_ task: BGTask) { self.task = task }
    }
#endif
