// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A stand-in of Apple's module: declarations that our code uses, without bodies.

import Dispatch
import Foundation

open class BGTask {
    public init() {}
    public var identifier: String { fatalError() }
    public var expirationHandler: (() -> Void)?
    public func setTaskCompleted(success: Bool) { fatalError() }
}

open class BGTaskRequest {
    public init() {}
    public var identifier: String { fatalError() }
    public var earliestBeginDate: Date?
}

public final class BGAppRefreshTaskRequest: BGTaskRequest {
    public init(identifier: String) {}
}

public final class BGTaskScheduler {
    public class var shared: BGTaskScheduler { fatalError() }
    public func register(
        forTaskWithIdentifier identifier: String, using queue: DispatchQueue?,
        launchHandler: @escaping (BGTask) -> Void
    ) -> Bool { fatalError() }
    public func submit(_ taskRequest: BGTaskRequest) throws { fatalError() }
    public func cancel(taskRequestWithIdentifier identifier: String) { fatalError() }
}
